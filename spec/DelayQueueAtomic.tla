-------------------------- MODULE DelayQueueAtomic --------------------------
(***************************************************************************)
(* The delay queue as the layers above it see it: a thread that waits is    *)
(* let in, in one step, when the first element is due or its time is up.    *)
(* No sleepers, notifications and leaders are known, nor a heap: the        *)
(* elements are in their order.  DelayQueueRefinement shows that the queue  *)
(* on Python's condition does nothing that is not allowed here.             *)
(*                                                                          *)
(* Time may pass at any moment, and as far as it likes: when a thread is    *)
(* let in is not promised, only when it may be.  A thread that waits may    *)
(* leave without the gate if the scenario has an interrupter for it.        *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS Program, Items, NULL

Others  == {t \in DOMAIN Program : Program[t][1][1] \in {"clock", "interrupt"}}
Threads == DOMAIN Program \ Others

VARIABLES holder, items, now,
  place,    \* thread |-> "idle", "begins", "waits", "looks", "takes", "enters", "offers", "leaves",
            \*            "ticks"
  turn, deadline
vars == <<holder, items, now, place, turn, deadline>>

Operation(t) == Program[t][turn[t] - 1]
Due == items # << >> /\ Head(items) <= now

RECURSIVE Insert(_, _)
Insert(s, x) == IF s = << >> \/ x < Head(s) THEN <<x>> \o s ELSE <<Head(s)>> \o Insert(Tail(s), x)

Init == /\ holder = NULL /\ items = Items /\ now = 0
        /\ turn = [t \in Threads |-> 1]
        /\ deadline = [t \in Threads |-> 0]
        /\ place = [t \in Threads |-> "idle"]

Begin(t) == /\ place[t] = "idle" /\ turn[t] <= Len(Program[t])
            /\ turn' = [turn EXCEPT ![t] = @ + 1]
            /\ deadline' = [deadline EXCEPT ![t] = 0]
            /\ place' = [place EXCEPT ![t] =
                           CASE Program[t][turn[t]][1] = "poll" -> "begins"
                             [] Program[t][turn[t]][1] = "tick" -> "ticks"
                             [] OTHER -> "enters"]
            /\ UNCHANGED <<holder, items, now>>

\* The time that the thread has begins.
Start(t) == /\ place[t] = "begins"
            /\ deadline' = [deadline EXCEPT ![t] = now + Operation(t)[2]]
            /\ place' = [place EXCEPT ![t] = "waits"]
            /\ UNCHANGED <<holder, items, now, turn>>

\* Where there is nothing, a thread that is let in leaves again.
Inside == IF items = << >> THEN "leaves" ELSE "looks"

\* acquire_when: one step.
AcquireWhen(t) == /\ place[t] = "waits" /\ holder = NULL
                  /\ Due \/ deadline[t] <= now
                  /\ holder' = t
                  /\ place' = [place EXCEPT ![t] = Inside]
                  /\ UNCHANGED <<items, now, turn, deadline>>

Look(t) == /\ place[t] = "looks"
           /\ place' = [place EXCEPT ![t] = IF Due THEN "takes" ELSE "leaves"]
           /\ UNCHANGED <<holder, items, now, turn, deadline>>

Take(t) == /\ place[t] = "takes"
           /\ items' = Tail(items)
           /\ place' = [place EXCEPT ![t] = "leaves"]
           /\ UNCHANGED <<holder, now, turn, deadline>>

Enter(t) == /\ place[t] = "enters" /\ holder = NULL
            /\ holder' = t
            /\ place' = [place EXCEPT ![t] =
                           IF Operation(t)[1] = "offer" THEN "offers" ELSE Inside]
            /\ UNCHANGED <<items, now, turn, deadline>>

Offer(t) == /\ place[t] = "offers"
            /\ items' = Insert(items, Operation(t)[2])
            /\ place' = [place EXCEPT ![t] = "leaves"]
            /\ UNCHANGED <<holder, now, turn, deadline>>

Leave(t) == /\ place[t] = "leaves"
            /\ holder' = NULL
            /\ place' = [place EXCEPT ![t] = "idle"]
            /\ UNCHANGED <<items, now, turn, deadline>>

\* A thread lets time pass, where its program says so.
Tick(t) == /\ place[t] = "ticks"
           /\ now' = now + Operation(t)[2]
           /\ place' = [place EXCEPT ![t] = "idle"]
           /\ UNCHANGED <<holder, items, turn, deadline>>

\* A deadline that is over is of no interest any more.
End(t) == /\ place[t] = "idle" /\ turn[t] > Len(Program[t])
          /\ deadline[t] # 0
          /\ deadline' = [deadline EXCEPT ![t] = 0]
          /\ UNCHANGED <<holder, items, now, turn, place>>

Step(t) == \/ Begin(t) \/ Start(t) \/ AcquireWhen(t) \/ Look(t) \/ Take(t)
           \/ Enter(t) \/ Offer(t) \/ Leave(t) \/ Tick(t) \/ End(t)

Interrupted(t) == /\ place[t] = "waits"
                  /\ \E i \in Others : Program[i][1] = <<"interrupt", t>>
                  /\ place' = [place EXCEPT ![t] = "idle"]
                  /\ UNCHANGED <<holder, items, now, turn, deadline>>

Pass == now' > now /\ UNCHANGED <<holder, items, turn, deadline, place>>

Next == (\E t \in Threads : Step(t) \/ Interrupted(t)) \/ Pass
Spec == Init /\ [][Next]_vars
Fair == \A t \in Threads : WF_vars(Step(t))
FairSpec == Spec /\ Fair

\* While no time passes by itself, which TLC can enumerate.
Timeless == \E t \in Threads : Step(t)
TimelessSpec == Init /\ [][Timeless]_vars /\ Fair

Termination == <>(\A t \in Threads : place[t] = "idle" /\ turn[t] > Len(Program[t]))
=============================================================================

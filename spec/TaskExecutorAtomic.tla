------------------------- MODULE TaskExecutorAtomic -------------------------
(***************************************************************************)
(* The executor as the layers above it see it: to hand a task over is one   *)
(* step, which takes it or refuses it; the pool's thread takes the first    *)
(* task in one step and runs it in another; close shuts the pool down in    *)
(* one step, and in another one its caller finds that the pool's thread has *)
(* ended.  SystemTimer has the same steps: E1 takes a task, E2 runs it, B1  *)
(* shuts the pool down.  TaskExecutorRefinement shows that the executor on  *)
(* its pool does nothing that is not allowed here.                          *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS Program, Does, NULL

Workers == {t \in DOMAIN Program : Program[t][1][1] = "work"}
Threads == DOMAIN Program
Users   == Threads \ Workers

VARIABLES waiting, shut, ended, ran, turn,
  place,    \* thread |-> "idle", "submits", "closes", "waits"; the pool's: "takes", "runs"
  task      \* thread |-> the task that it hands over or runs; NULL
vars == <<waiting, shut, ended, ran, turn, place, task>>

Into(operation) == IF operation[1] = "submit" THEN "submits" ELSE "closes"
Of(operation)   == IF operation[1] = "submit" THEN operation[2] ELSE NULL
Between(t)      == IF t \in Workers THEN "takes" ELSE "idle"   \* where t is in no operation

Init == /\ waiting = << >> /\ shut = FALSE /\ ended = FALSE /\ ran = << >>
        /\ turn = [t \in Users |-> 1]
        /\ place = [t \in Threads |-> Between(t)]
        /\ task = [t \in Threads |-> NULL]

Begin(t) == /\ place[t] = "idle" /\ turn[t] <= Len(Program[t])
            /\ turn' = [turn EXCEPT ![t] = @ + 1]
            /\ place' = [place EXCEPT ![t] = Into(Program[t][turn[t]])]
            /\ task' = [task EXCEPT ![t] = Of(Program[t][turn[t]])]
            /\ UNCHANGED <<waiting, shut, ended, ran>>

\* The task is taken, or refused.
Submit(t) == /\ place[t] = "submits"
             /\ waiting' = IF shut THEN waiting ELSE Append(waiting, task[t])
             /\ place' = [place EXCEPT ![t] = Between(t)]
             /\ task' = [task EXCEPT ![t] = NULL]
             /\ UNCHANGED <<shut, ended, ran, turn>>

Shut(t) == /\ place[t] = "closes"
           /\ shut' = TRUE
           /\ place' = [place EXCEPT ![t] = IF t \in Workers THEN "takes" ELSE "waits"]
           /\ UNCHANGED <<waiting, ended, ran, turn, task>>

\* The pool's thread has ended.
Wait(t) == /\ place[t] = "waits" /\ ended
           /\ place' = [place EXCEPT ![t] = "idle"]
           /\ UNCHANGED <<waiting, shut, ended, ran, turn, task>>

Take(t) == /\ place[t] = "takes" /\ waiting # << >>
           /\ waiting' = Tail(waiting)
           /\ place' = [place EXCEPT ![t] = "runs"]
           /\ task' = [task EXCEPT ![t] = Head(waiting)]
           /\ UNCHANGED <<shut, ended, ran, turn>>

Run(t) == /\ place[t] = "runs"
          /\ ran' = Append(ran, task[t])
          /\ IF Does[task[t]] \in {<< >>, <<"raise">>}
             THEN /\ place' = [place EXCEPT ![t] = "takes"]
                  /\ task' = [task EXCEPT ![t] = NULL]
             ELSE /\ place' = [place EXCEPT ![t] = Into(Does[task[t]])]
                  /\ task' = [task EXCEPT ![t] = Of(Does[task[t]])]
          /\ UNCHANGED <<waiting, shut, ended, turn>>

End(t) == /\ place[t] = "takes" /\ waiting = << >> /\ shut /\ ~ended
          /\ ended' = TRUE
          /\ UNCHANGED <<waiting, shut, ran, turn, place, task>>

Step(t) == Begin(t) \/ Submit(t) \/ Shut(t) \/ Wait(t) \/ Take(t) \/ Run(t) \/ End(t)

Next == \E t \in Threads : Step(t)
Spec == Init /\ [][Next]_vars

\* The pool of SystemTimer alone, where a close does not wait.
Unwaited == \E t \in Threads : Begin(t) \/ Submit(t) \/ Shut(t) \/ Take(t) \/ Run(t) \/ End(t)

FairSpec == Spec /\ \A t \in Threads : WF_vars(Step(t))

Termination == <>(\A t \in Users : place[t] = "idle" /\ turn[t] > Len(Program[t]))
=============================================================================

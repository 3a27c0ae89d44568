--------------------------- MODULE AtomicInOneStep ---------------------------
(***************************************************************************)
(* The atomic variable as the layers above it see it: an operation is one   *)
(* step, which changes the variable and fixes what will be returned.        *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS Program, Initial, Kind, NULL

Threads == DOMAIN Program

VARIABLES held, got,
  place,    \* thread |-> "idle" or "asks"
  turn
vars == <<held, got, place, turn>>

Op(t) == Program[t][turn[t] - 1]

Init == /\ held = Initial
        /\ got = [t \in Threads |-> << >>]
        /\ turn = [t \in Threads |-> 1]
        /\ place = [t \in Threads |-> "idle"]

Begin(t) == /\ place[t] = "idle" /\ turn[t] <= Len(Program[t])
            /\ turn' = [turn EXCEPT ![t] = @ + 1]
            /\ place' = [place EXCEPT ![t] = "asks"]
            /\ UNCHANGED <<held, got>>

Returns(t, value) == got' = [got EXCEPT ![t] = Append(@, value)]

\* The one step.
Act(t) == /\ place[t] = "asks"
          /\ \/ Op(t)[1] = "get"  /\ Returns(t, held) /\ UNCHANGED held
             \/ Op(t)[1] = "set"  /\ held' = Op(t)[2] /\ UNCHANGED got
             \/ Op(t)[1] = "swap" /\ held' = Op(t)[2] /\ Returns(t, held)
             \/ Op(t)[1] = "cas"  /\ held' = (IF held = Op(t)[2] THEN Op(t)[3] ELSE held)
                                  /\ Returns(t, held = Op(t)[2])
             \/ Op(t)[1] = "add"  /\ held' = held + Op(t)[2] /\ Returns(t, held + Op(t)[2])
          /\ place' = [place EXCEPT ![t] = "idle"]
          /\ UNCHANGED turn

Step(t) == Begin(t) \/ Act(t)
AllDone == \A t \in Threads : place[t] = "idle" /\ turn[t] > Len(Program[t])

\* Stuttering at the end keeps the deadlock check meaningful.
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t)) \/ Terminating
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ \A t \in Threads : WF_vars(Step(t))

Termination == <>AllDone
=============================================================================

----------------------- MODULE SystemTimerReaperAtomic -----------------------
(***************************************************************************)
(* The reaper's life as the layers above it see it: it looks and polls      *)
(* until it is stopped, and then it has ended, in one step.  A close        *)
(* stops it in one step, and closes the timer in another one, once the      *)
(* reaper has ended; what a poll runs closes the timer without that.        *)
(* SystemTimerReaperRefinement shows that the reaper on its thread does     *)
(* nothing that is not allowed here.                                        *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS Program, Due, NULL

Reapers == {t \in DOMAIN Program : Program[t][1][1] = "reap"}
Threads == DOMAIN Program
Closers == Threads \ Reapers

VARIABLES stopping, ended, due, closed, turn,
  place     \* thread |-> "idle", "polls", "tells", "waits"
vars == <<stopping, ended, due, closed, turn, place>>

Goto(t, p) == place' = [place EXCEPT ![t] = p]

Init == /\ stopping = FALSE /\ ended = FALSE /\ due = Due /\ closed = 0
        /\ turn = [t \in Closers |-> 1]
        /\ place = [t \in Threads |-> "idle"]

Begin(t) == /\ t \in Closers /\ place[t] = "idle" /\ turn[t] <= Len(Program[t])
            /\ turn' = [turn EXCEPT ![t] = @ + 1]
            /\ Goto(t, "tells")
            /\ UNCHANGED <<stopping, ended, due, closed>>

Tell(t) == /\ place[t] = "tells"
           /\ stopping' = TRUE
           /\ Goto(t, "waits")
           /\ UNCHANGED <<ended, due, closed, turn>>

CloseTimer(t) == /\ place[t] = "waits" /\ (ended \/ t \in Reapers)
                 /\ closed' = closed + 1
                 /\ Goto(t, "idle")
                 /\ UNCHANGED <<stopping, ended, due, turn>>

Look(t) == /\ t \in Reapers /\ place[t] = "idle" /\ ~stopping
           /\ Goto(t, "polls")
           /\ UNCHANGED <<stopping, ended, due, closed, turn>>

Poll(t) == /\ place[t] = "polls"
           /\ due' = FALSE
           /\ Goto(t, IF due THEN "tells" ELSE "idle")
           /\ UNCHANGED <<stopping, ended, closed, turn>>

End(t) == /\ t \in Reapers /\ place[t] = "idle" /\ stopping /\ ~ended
          /\ ended' = TRUE
          /\ UNCHANGED <<stopping, due, closed, turn, place>>

Step(t) == Begin(t) \/ Tell(t) \/ CloseTimer(t) \/ Look(t) \/ Poll(t) \/ End(t)

Next == \E t \in Threads : Step(t)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ \A t \in Threads : WF_vars(Step(t))

Termination == <>(\A t \in Closers : place[t] = "idle" /\ turn[t] > Len(Program[t]))
=============================================================================

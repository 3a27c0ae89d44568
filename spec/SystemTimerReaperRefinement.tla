--------------------- MODULE SystemTimerReaperRefinement ---------------------
(***************************************************************************)
(* SystemTimerReaper => SystemTimerReaperAtomic: every step on the          *)
(* condition of the reaper's thread is one atomic step or none.             *)
(***************************************************************************)
EXTENDS SystemTimerReaperProperties

placeBar == [t \in DOMAIN Program |->
  CASE pc[t] = "P1" -> "polls"
    [] pc[t] \in {"T1", "E2"} -> "tells"
    [] pc[t] \in {"J1", "J2", "J3", "J4", "J5", "S1"} -> "waits"
    [] OTHER -> "idle"]

Atomic == INSTANCE SystemTimerReaperAtomic WITH place <- placeBar

Refines == Atomic!Spec

\* Fair steps of the threads are fair steps there.
RefinesFair == Atomic!FairSpec
=============================================================================

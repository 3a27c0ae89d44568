---------------------- MODULE ReadWriteLockRefinement ----------------------
(***************************************************************************)
(* ReadWriteLock => ReadWriteLockAtomic: every step on the condition is one *)
(* atomic step or none.  A reader enters at R5 and leaves at U2, a writer   *)
(* enters at W6 and leaves at X2.  One that is interrupted is never inside. *)
(***************************************************************************)
EXTENDS ReadWriteLockProperties

placeBar == [t \in Threads |->
  CASE raised[t] /\ pc[t] \in {"R6", "W7", "W8", "W9"} -> "asks"
    [] pc[t] \in {"R1", "R2", "R3", "R4", "R5", "W1", "W2", "W3", "W4", "W5", "W6"} -> "asks"
    [] pc[t] \in {"R6", "D1", "W7", "W8", "D2"} -> "inside"
    [] pc[t] \in {"U1", "U2", "X1", "X2"} -> "leaves"
    [] OTHER -> "idle"]

Atomic == INSTANCE ReadWriteLockAtomic WITH place <- placeBar

Refines == Atomic!Spec

\* Fair steps of the lock are fair steps of the atomic one: a waiting thread is let in, and leaves.
RefinesFair == Atomic!FairSpec
=============================================================================

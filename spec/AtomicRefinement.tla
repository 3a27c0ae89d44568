-------------------------- MODULE AtomicRefinement --------------------------
(***************************************************************************)
(* Atomic => AtomicInOneStep: an operation takes effect at its write, a     *)
(* compare-and-set that fails at its read.  What it will return is fixed    *)
(* then, and counts as returned: no other thread sees that.                 *)
(***************************************************************************)
EXTENDS AtomicProperties

placeBar == [t \in Threads |->
  IF pc[t] \in {"G1", "S1", "S2", "E1", "E2", "E3", "C1", "C2", "C3", "A1", "A2", "A3"}
  THEN "asks" ELSE "idle"]

gotBar == [t \in Threads |->
  CASE pc[t] = "E4" -> Append(got[t], seen[t])
    [] pc[t] = "C4" -> Append(got[t], done[t])
    [] pc[t] = "A4" -> Append(got[t], total[t])
    [] OTHER -> got[t]]

OneStep == INSTANCE AtomicInOneStep WITH got <- gotBar, place <- placeBar

Refines == OneStep!Spec
RefinesFair == OneStep!FairSpec
=============================================================================

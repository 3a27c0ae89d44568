----------------------- MODULE TaskExecutorRefinement -----------------------
(***************************************************************************)
(* TaskExecutor => TaskExecutorAtomic: every step on the pool's condition   *)
(* is one atomic step or none.  A task is handed over when it is in the     *)
(* queue, and refused when its thread has found the pool shut.  A close has *)
(* waited when its thread has found that the pool's thread has ended.       *)
(***************************************************************************)
EXTENDS TaskExecutorProperties

placeBar == [t \in DOMAIN Program |->
  CASE pc[t] \in {"S1", "S2"} -> "submits"
    [] pc[t] \in {"C1", "D1", "D2"} -> "closes"
    [] pc[t] \in {"D3", "D4", "D5", "D6"} /\ t \in Users -> "waits"
    [] pc[t] = "R1" \/ (pc[t] = "Y8" /\ taken[t] # NULL) -> "runs"
    [] OTHER -> IF t \in Workers THEN "takes" ELSE "idle"]

taskBar == [t \in DOMAIN Program |->
  CASE placeBar[t] = "submits" -> task[t]
    [] pc[t] = "R1" -> job[t]
    [] placeBar[t] = "runs" -> taken[t]
    [] OTHER -> NULL]

Atomic == INSTANCE TaskExecutorAtomic WITH waiting <- calls, place <- placeBar, task <- taskBar

Refines == Atomic!Spec

\* Fair steps of the threads are fair steps there.
RefinesFair == Atomic!FairSpec
=============================================================================

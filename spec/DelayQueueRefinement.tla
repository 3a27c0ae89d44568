------------------------ MODULE DelayQueueRefinement ------------------------
(***************************************************************************)
(* DelayQueue => DelayQueueAtomic: every step on the condition is one       *)
(* atomic step or none.  A thread is let in when it has looked for the last *)
(* time, at Q1 or A3; until then it holds the condition's lock now and      *)
(* then, and the gate not at all.  So does one that is interrupted.         *)
(***************************************************************************)
EXTENDS DelayQueueProperties, TLC

placeBar == [t \in Threads |->
  CASE pc[t] = "A1" -> "begins"
    [] pc[t] \in {"A2", "Q1", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11"} -> "waits"
    [] pc[t] \in {"L1", "L2"} /\ raised[t] -> "waits"
    [] pc[t] = "K1" -> "looks"
    [] pc[t] = "K2" -> "takes"
    [] pc[t] = "G1" -> "enters"
    [] pc[t] = "P1" -> "offers"
    [] pc[t] \in {"L1", "L2", "N1", "N2", "G2"} -> "leaves"
    [] OTHER -> "idle"]

holderBar == IF mutex # NULL /\ placeBar[mutex] \in {"looks", "takes", "offers", "leaves"}
             THEN mutex ELSE NULL

\* The heap's elements in their order.
itemsBar == SortSeq(items, LAMBDA x, y : x < y)

Atomic == INSTANCE DelayQueueAtomic WITH holder <- holderBar, place <- placeBar, items <- itemsBar

Refines == Atomic!Spec

\* Fair steps of the queue, and of the clock, are fair steps of the atomic queue.
RefinesFair == Atomic!FairSpec
=============================================================================

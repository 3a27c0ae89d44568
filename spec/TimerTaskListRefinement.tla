---------------------- MODULE TimerTaskListRefinement ----------------------
(***************************************************************************)
(* TimerTaskList => TimerTaskListAtomic: every step on pointers and locks   *)
(* is one atomic step or none.                                              *)
(*                                                                          *)
(* An add takes effect at A7, where a traversal first meets the             *)
(* entry, and an unlink at U5, where one last meets it.  From U5 to A7      *)
(* an entry on its way is in no ring; the atomic machine leaves it in the   *)
(* list that it came from and says who holds it.  In this module both are   *)
(* read from the state: the flush that has it as `head` holds it, and it    *)
(* came from that flush's list.  That is enough where an entry is linked by *)
(* one thread and moved by flushes, as SystemTimer does.  Several adders of *)
(* one entry need TimerTaskListRefinementHistory.                           *)
(***************************************************************************)
EXTENDS TimerTaskListProperties

CONSTANTS
  MissAllowed,  \* see TimerTaskListAtomic
  OneEffect,
  FromRing      \* membership comes from the ring; FALSE, from entry.list, is the control below

ASSUME FromRingIsBoolean == FromRing \in BOOLEAN

\* From the ring, because the ring is what flush reads.  An entry names one list at most, whatever
\* the ring has become: read through entry.list, an entry that is linked twice looks fine, and the
\* refinement holds without the locks and tests that keep the ring whole.
MembersOf(l) == IF FromRing THEN Members(l) ELSE {e \in Entries : list[e] = l}
IsMember(e)  == \E l \in Lists : e \in MembersOf(l)

\* t has passed the step at which its add, or its unlink, takes effect.  `done` covers the rest of
\* an add, so that A10 and A11 before another attempt differ from those after a link.
HasLinked(t)   == pc[t] \in {"A8", "A9"} \/ done[t] \/ (~FromRing /\ pc[t] = "A7")
HasUnlinked(t) == pc[t] \in {"U9", "U10", "U11"} \/ (FromRing /\ pc[t] \in {"U6", "U7", "U8"})

\* t is inside a call of p.
Inside(t, p) == \E i \in DOMAIN stack[t] : stack[t][i].procedure = p

\* What t will do next, in the words of the atomic machine.  A procedure may serve several callers:
\* an add within a flush is the move, a remove within an add is a part of that add.
phaseBar == [t \in Threads |->
  LET flushes == Inside(t, "flush") IN
  CASE pc[t] \in {"T0", "F4", "Done"} -> "idle"
    [] pc[t] \in {"C1", "S1"} -> "entering"
    [] pc[t] \in {"C2", "S2"} -> "reading"
    [] pc[t] \in {"C3", "S3"} -> "setting"
    [] pc[t] \in {"C4", "S4"} -> "releasing"
    [] pc[t] \in {"T1", "K1"} /\ ~flushes -> "checking"
    [] pc[t] \in {"F1", "F2"} -> "flushing"
    [] pc[t] \in {"F3", "K1"} /\ flushes -> "held"
    [] pc[t] = "K2" -> "moving"
    [] Inside(t, "add") -> IF flushes THEN (IF HasLinked(t) THEN "flushing" ELSE "moving")
                                      ELSE (IF HasLinked(t) THEN "idle" ELSE "linking")
    [] flushes /\ ~Inside(t, "add") -> IF HasUnlinked(t) THEN "held" ELSE "flushing"
    [] OTHER -> "removing"]

\* The entry that t's flush has taken out and not yet dealt with.
pickedBar == [t \in Threads |-> IF phaseBar[t] \in {"held", "moving"} THEN head[t] ELSE NULL]

\* The flush that has taken e out of its list, while e is in no list.
moverBar == [e \in Entries |->
  IF ~IsMember(e) /\ \E t \in Threads : pickedBar[t] = e
  THEN CHOOSE t \in Threads : pickedBar[t] = e ELSE NULL]

\* An entry that is held still belongs to the list that its flush empties.
membersBar == [l \in Lists |->
  MembersOf(l) \cup {e \in Entries : moverBar[e] # NULL /\ fl[moverBar[e]] = l}]

\* Who is in the task's monitor; how often it entered is of no interest.
taskOwnerBar == [x \in Tasks |-> taskMonitor[x].owner]

Plain == INSTANCE TimerTaskListAtomic WITH
  members <- membersBar, mover <- moverBar, taskOwner <- taskOwnerBar,
  phase <- phaseBar, picked <- pickedBar     \* timerTaskEntry and turn are themselves

RefinesPlainly == Plain!Spec

\* Fair steps of the algorithm are fair steps of the atomic machine: no operation goes on for ever.
RefinesPlainlyFair == Plain!FairSpec
=============================================================================

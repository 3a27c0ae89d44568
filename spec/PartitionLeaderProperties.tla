----------------------- MODULE PartitionLeaderProperties -----------------------
\* What must hold of PartitionLeader, and what its scenarios must reach.
EXTENDS PartitionLeader

Outcomes == [leader : Replicas \cup {NoLeader}, isr : Seq(Replicas), unclean : BOOLEAN]

TypeOK ==
  /\ node \in [leader : Replicas, isr : Seq(Replicas), epoch : Nat, recovering : BOOLEAN,
               version : Nat]
  /\ live \subseteq Replicas /\ stopping \subseteq Replicas
  /\ answer.kind \in Kinds \cup {NULL} /\ answer.elected \in Outcomes
  /\ \A t \in Threads : elected[t] \in Outcomes

(* What has been elected and from what: by those that are about to write it, and by a survey. *)
Elections ==
  {[kind |-> kind[t], isr |-> seen[t].isr, live |-> up[t], down |-> down[t],
    elected |-> elected[t]] : t \in {u \in Threads : pc[u] = "E3"}}
  \cup (IF answer.kind = NULL THEN {} ELSE {answer})

Elects(a)  == a.elected.leader # NoLeader
Usable(a)  == a.live \ a.down
InSync(a)  == Range(a.isr) \cap Usable(a)
Order(a)   == IF a.kind = "reassign" THEN Target
              ELSE IF a.kind = "preferred" THEN <<Head(Assignment)>> ELSE Assignment

\* No replica that may lead stands before the elected one.
FirstInAssignment == \A a \in Elections : Elects(a) =>
  \E i \in DOMAIN Order(a) :
    /\ Order(a)[i] = a.elected.leader
    /\ \A j \in 1..(i - 1) : Order(a)[j] \notin InSync(a)
    /\ a.elected.unclean => \A j \in 1..(i - 1) : Order(a)[j] \notin Usable(a)

\* The leader was in sync, or unclean election is permitted and nothing else was possible.
CleanLeader == \A a \in Elections : Elects(a) =>
  IF a.elected.unclean
  THEN Unclean /\ a.kind = "offline" /\ \A i \in DOMAIN Assignment : Assignment[i] \notin InSync(a)
  ELSE a.elected.leader \in Range(a.isr)

LeaderIsUp == \A a \in Elections : Elects(a) => a.elected.leader \in Usable(a)

LeaderInIsr == /\ node.leader \in Range(node.isr)
               /\ \A a \in Elections : Elects(a) => a.elected.leader \in Range(a.elected.isr)

IsrNeverGrows == \A a \in Elections :
  ~a.elected.unclean => Range(a.elected.isr) \subseteq Range(a.isr)

\* Dead brokers, and those that shut down, leave the ISR.
GoneLeaveIsr == \A a \in Elections : Elects(a) =>
  /\ a.kind = "offline" => Range(a.elected.isr) \subseteq Usable(a)
  /\ a.kind = "shutdown" => Range(a.elected.isr) \cap a.down = {}

OnlyPreferred == \A a \in Elections :
  Elects(a) /\ a.kind = "preferred" => a.elected.leader = Head(Assignment)

NoneOnlyIfNobody == \A a \in Elections : ~Elects(a) =>
  \A i \in DOMAIN Order(a) :
    /\ Order(a)[i] \notin InSync(a)
    /\ Unclean /\ a.kind = "offline" => Order(a)[i] \notin Usable(a)

EpochCounts == node.epoch = elections

NoLostUpdate == ~overwritten

IsrIsComplete == Range(node.isr) \subseteq complete

NoLossIfClean == Unclean \/ ~lost

RecoversAlone == node.recovering => node.isr = <<node.leader>>

\* False by design: unclean election gives records up.
CommittedSurvives == ~lost

\* False: a broker may fail between the look at the live ones and the write.
ElectedLives == ~dead

-----------------------------------------------------------------------------
\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == \A t \in T :
  WF_vars(\/ thread(t) \/ elect(t) \/ shrink(t) \/ expand(t) \/ recover(t)
          \/ fail(t) \/ start(t) \/ stop(t) \/ survey(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A controller is about to write over a state that it has not read.
WriteIsRefused == \E t \in Threads : pc[t] = "E3" /\ node.version # seen[t].version

\* The leader is about to change an ISR that a controller has just changed.
LeaderIsRefused == \E t \in Threads : pc[t] = "K2" /\ node.version # kept[t].version

\* An unclean election is written.
ElectsUncleanly == node.recovering /\ elections > 0

\* The partition leads where it moves to.
Moves == elections > 0 /\ Target # << >> /\ node.leader = Head(Target)
===============================================================================

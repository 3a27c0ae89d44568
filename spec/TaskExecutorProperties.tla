------------------------ MODULE TaskExecutorProperties ------------------------
\* What must hold of TaskExecutor, and what its scenarios must reach.
EXTENDS TaskExecutor

\* A task runs at most once; in the scenarios each is handed over once.
RunsOnce == \A x \in Tasks : Times(ran, x) <= 1

\* Tasks run in the order in which the pool has taken them, and none that it has not taken.
RunsInOrder == Len(ran) <= Len(accepted) /\ \A i \in DOMAIN ran : ran[i] = accepted[i]

\* A task whose hand-over has returned was taken or refused; in the end what was taken has run.
HandedOver(t) == {Program[t][i][2] : i \in {j \in 1..(turn[t] - 1) : Program[t][j][1] = "submit"}}
NothingLost == /\ \A t \in Users : pc[t] \in {"T0", "Done"} =>
                    HandedOver(t) \subseteq Range(accepted) \cup refused
               /\ (\A t \in DOMAIN Program : pc[t] = "Done") => Len(ran) = Len(accepted)

\* When close has returned to a thread that is not the pool's own, the pool's thread has ended.
CloseWaits == closed \cap Users # {} => ended

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) == /\ \A t \in P \cap Users : WF_vars(user(t) \/ submit(t) \/ run(t) \/ close(t))
               /\ \A t \in P \cap Workers : WF_vars(worker(t) \/ submit(t) \/ run(t) \/ close(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A task was refused.
IsRefused == refused # {}

\* A thread closes before it has seen the pool's thread, which runs a task by now.
ClosesBeforeItIsKnown == ran # << >> /\ \E t \in Users : pc[t] = "D1" /\ own[t] = NULL

\* A task closes its executor while others wait.
ClosesInside == calls # << >> /\ \E t \in Workers : pc[t] = "D3"

\* A task starts that was taken before the pool was shut.
RunsWhenShut == shut /\ \E t \in DOMAIN Program : pc[t] = "R1"
===============================================================================

--------------------------- MODULE AtomicProperties ---------------------------
\* What must hold of Atomic, and what its scenarios must reach.
EXTENDS Atomic

TypeOK == /\ held \in Values
          /\ lock \in {t \in Threads : pc[t] # "Done"} \cup {NULL}
          /\ \A t \in Threads : Len(got[t]) <= Len(Program[t])

\* The variable holds, and has returned, what one whose operations are single steps would.
AsIfAtomic == exact /\ held = ought

\* An operation that changes the variable is alone at it.
LockExcludes == \A t \in Threads :
  pc[t] \in {"S2", "S3", "E2", "E3", "E4", "C2", "C3", "C4", "A2", "A3", "A4"} => lock = t

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == \A t \in T : WF_vars(thread(t) \/ get(t) \/ set(t) \/ swap(t) \/ cas(t) \/ add(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A thread is about to read, without the lock, what another one is about to change.
SeesHalf == /\ \E t \in Threads : pc[t] = "G1"
            /\ \E t \in Threads : pc[t] \in {"S2", "E3", "C3", "A3"}

\* A compare_and_set has found another value.
Refused == \E t \in Threads : pc[t] = "C4" /\ ~done[t]
===============================================================================

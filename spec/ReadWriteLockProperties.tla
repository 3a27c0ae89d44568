------------------------ MODULE ReadWriteLockProperties -----------------------
\* What must hold of ReadWriteLock, and what its scenarios must reach.
EXTENDS ReadWriteLock

Reading(t) == pc[t] = "D1"
Writing(t) == pc[t] = "D2"

TypeOK == /\ mutex \in Threads \cup {NULL} /\ writer \in Threads \cup {NULL}
          /\ asleep \subseteq Threads /\ readers \subseteq Threads /\ interrupted \subseteq Threads
          /\ \A i \in DOMAIN tickets : tickets[i] \subseteq asleep
          /\ Len(tickets) <= Cardinality(asleep)
          /\ waiting \in 0..Cardinality(Threads) /\ page \in Nat

\* A writer is alone: there is neither a reader nor another writer beside it.
MutualExclusion == \A t \in Threads : Writing(t) =>
  \A u \in Threads \ {t} : ~Reading(u) /\ ~Writing(u)

\* No reader is let in while a writer waits for the lock or holds it.
WriterGoesFirst == \A t \in Threads : pc[t] = "R5" => waiting = 0 /\ writer = NULL

\* Where the condition's lock is free, the lock knows who is inside and how many writers wait.
Registered == mutex = NULL =>
  /\ \A t \in Threads : pc[t] \in {"D1", "U1"} <=> t \in readers
  /\ \A t \in Threads : pc[t] \in {"D2", "X1"} <=> writer = t
  /\ waiting = Cardinality({t \in Threads : pc[t] \in {"W4", "W5"}})

\* A thread that sleeps, with no notification on its way, has a thread to wait for.
WaitsForAThread == mutex = NULL /\ tickets = << >> => \A t \in asleep :
  writer # NULL \/ IF pc[t] = "R3" THEN waiting > 0 ELSE readers # {}

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == /\ \A t \in T \cap Threads : WF_vars(thread(t) \/ read(t) \/ read_on(t) \/ write(t))
               /\ \A i \in T \cap Interrupters : WF_vars(interrupter(i))

\* No run leaves a writer waiting for ever.
WriterGetsIn == []<>(\A t \in Threads : pc[t] \notin {"W3", "W4", "W5"})

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* Two readers are inside.
TwoRead == Cardinality({t \in Threads : Reading(t)}) > 1

\* A reader sleeps although only readers are inside.
ReaderWaitsForWaitingWriter == writer = NULL /\ readers # {} /\ \E t \in asleep : pc[t] = "R3"

\* Two writers have begun to wait.
TwoWritersWait == waiting > 1

\* A writer has woken, and another thread has entered before it has the lock back.
WakesInVain == (writer # NULL \/ readers # {}) /\ \E t \in Threads : pc[t] = "W5"

\* A writer's wait is to raise while a reader sleeps that waits for this writer alone.
WriterIsInterrupted == /\ writer = NULL /\ waiting = 1
                       /\ \E t \in interrupted : pc[t] = "W4"
                       /\ \E t \in asleep : pc[t] = "R3"
===============================================================================

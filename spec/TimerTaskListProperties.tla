------------------------ MODULE TimerTaskListProperties -----------------------
\* What must hold of TimerTaskList, and what its scenarios must reach.
EXTENDS TimerTaskList

(* What the ring says: an entry is linked into l if l reaches it along next. *)
RECURSIVE Reached(_, _, _)
Reached(n, l, fuel) == IF n \in {l, NULL} \/ fuel = 0 THEN {}
                       ELSE {n} \cup Reached(next[n], l, fuel - 1)
Members(l) == Reached(next[l], l, Cardinality(Nodes))
Linked(e)  == \E l \in Lists : e \in Members(l)

\* A lock guards e if it is e's own, or that of a list that has e or that e believes to be in.
Guarded(e) == \/ entryMonitor[e] # Free
              \/ \E l \in Lists : listMonitor[l] # Free /\ (list[e] = l \/ e \in Members(l))
AllDone == \A t \in Threads : pc[t] = "Done"

Monitor == [owner : Threads \cup {NULL}, depth : Nat]
TypeOK ==
  /\ next \in [Nodes -> Nodes \cup {NULL}]
  /\ prev \in [Nodes -> Nodes \cup {NULL}]
  /\ list \in [Entries -> Lists \cup {NULL}]
  /\ listMonitor  \in [Lists -> Monitor]
  /\ entryMonitor \in [Entries -> Monitor]
  /\ taskMonitor  \in [Tasks -> Monitor]
  /\ timerTaskEntry \in [Tasks -> Entries \cup {NULL}]
  /\ taskCounter \in Nat
  /\ revoked \in [Entries -> BOOLEAN]
  /\ slipped \in SUBSET Entries
  /\ owed \in [Tasks -> Int]
  /\ {ul[t] : t \in Threads} \cup {al[t] : t \in Threads} \cup {kl[t] : t \in Threads}
       \cup {fl[t] : t \in Threads} \cup {fd[t] : t \in Threads} \subseteq Lists \cup {NULL}
  /\ {ue[t] : t \in Threads} \cup {re[t] : t \in Threads} \cup {ae[t] : t \in Threads}
       \cup {ke[t] : t \in Threads} \cup {se[t] : t \in Threads} \subseteq Entries \cup {NULL}
  /\ {tail[t] : t \in Threads} \cup {head[t] : t \in Threads} \subseteq Nodes \cup {NULL}
  /\ {ct[t] : t \in Threads} \cup {st[t] : t \in Threads} \subseteq Tasks \cup {NULL}
  /\ done \in [Threads -> BOOLEAN]
  /\ \A t \in Threads : turn[t] \in 1..Len(Program[t]) + 1

\* In every state, in the middle of a move too.
AtMostOneList == \A e \in Entries : Cardinality({l \in Lists : e \in Members(l)}) <= 1

\* The ring and entry.list agree whenever no lock that guards the entry is held.
ExactlyItsList == \A e \in Entries : ~Guarded(e) =>
                    \A l \in Lists : e \in Members(l) <=> list[e] = l

RingWellFormed == \A l \in Lists : listMonitor[l] = Free =>
  LET ring == {l} \cup Members(l) IN
    \A n \in ring : /\ next[n] \in ring /\ prev[next[n]] = n
                    /\ prev[n] \in ring /\ next[prev[n]] = n

CounterExact == (\A l \in Lists : listMonitor[l] = Free) =>
                  taskCounter = Cardinality({e \in Entries : Linked(e)})

\* No check made after cancel has returned lets the entry through.
CancelWins == slipped = {}

\* What flush hands to the executor counts as run.
RunsOncePerAdd == \A x \in Tasks : owed[x] >= 0

\* Not a property of Kafka's timer: the check may come before cancel and the link after it.
CancelledUnlinked == AllDone =>
  \A e \in Entries : timerTaskEntry[TaskOf[e]] # e => ~Linked(e)

\* Liveness: Termination, which the translation defines, says <>AllDone.

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == \A t \in T : WF_vars(\/ thread(t) \/ unlink(t) \/ remove(t) \/ add(t)
                                     \/ addTimerTaskEntry(t) \/ flush(t)
                                     \/ setTimerTaskEntry(t) \/ cancel(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* add finds the entry linked again, after its own remove.
AddMustRetry == \E t \in Threads : pc[t] = "A3" /\ list[ae[t]] # NULL

\* remove holds the monitor of a list that the entry has left.
RemoveComesTooLate == \E t \in Threads : pc[t] = "U3" /\ list[ue[t]] # ul[t]

\* A flush holds an entry whose task was cancelled meanwhile.
CancelledInTheHand == \E t \in Threads :
  pc[t] = "K1" /\ timerTaskEntry[TaskOf[ke[t]]] # ke[t]

\* An entry goes to the executor.
HandedOver == \E t \in Threads : pc[t] = "K2"

\* A list's monitor is held re-entrantly.
MonitorEnteredTwice == \E l \in Lists : listMonitor[l].depth > 1

\* Kafka's documented window.
CancelledStaysLinked == ~CancelledUnlinked
===============================================================================

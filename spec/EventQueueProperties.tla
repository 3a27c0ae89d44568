------------------------- MODULE EventQueueProperties -------------------------
\* What must hold of EventQueue, and what its scenarios must reach.
EXTENDS EventQueue

Times(e) == Cardinality({i \in DOMAIN log : log[i][2] = e})
Handled == {log[i][2] : i \in DOMAIN log}

\* The events that wait in the beginning, that programs put, and those of handlers that have run.
Called(t) == {i \in DOMAIN Program[t] : Program[t][i][1] \in {"put", "expire"}}
Given == Range(Waiting) \cup UNION {{Program[t][i][2] : i \in Called(t)} : t \in Users}
PutOn == {i \in DOMAIN log : log[i][1] = "processed" /\ Len(Does[log[i][2]]) = 2}
Due == Given \cup {Does[log[i][2]][2] : i \in PutOn}

ExpiriesOf(t) == {Program[t][i][2] : i \in {j \in DOMAIN Program[t] : Program[t][j][1] = "expire"}}
Expiries == UNION {ExpiriesOf(t) : t \in Users}

AllDone == \A t \in DOMAIN Program : pc[t] = "Done"

\* An event is processed or preempted, and once at most.
EventHandledOnce == \A e \in Events : Times(e) <= 1

\* In the end each event that was put is handled.
EveryEventHandled == AllDone => Due \subseteq Handled

\* An event for which the queue was cleared stands first in it.
ExpireFirst == \A i \in DOMAIN queue : queue[i] \in Expiries \cup {NULL} => i = 1

\* Where the queue is drained at one moment, an event is in one thread's hands.
InOneHand == Clear = "drain" => \A t \in DOMAIN Program :
               /\ pc[t] = "X1" => ~spent[taken[t]]
               /\ pc[t] = "Z1" => ~spent[old[t]]

\* Events are processed in the order in which they have come to the queue.
Processed == SelectSeq(log, LAMBDA x : x[1] = "processed")
Place(e) == CHOOSE i \in DOMAIN entered : entered[i] = e
QueueOrder == \A i, j \in DOMAIN Processed :
                i < j => Place(Processed[i][2]) <= Place(Processed[j][2])

\* A request of an event that came before an expiry is made in a session before the new one.
Before(e) == {x \in Expiries \cap Range(entered) : Place(x) < Place(e)}
Behind(e) == {x \in Expiries \cap Range(entered) : Place(x) > Place(e)}
NoZombieRequest == \A i \in DOMAIN requests :
                     LET e == requests[i][1]
                     IN  Behind(e) # {} => requests[i][2] <= 1 + Cardinality(Before(e))

\* When close has returned, the event thread has ended.
HasClosed(t) == \E i \in 1..(turn[t] - 1) :
                  /\ Program[t][i][1] = "close"
                  /\ i < turn[t] - 1 \/ pc[t] \in {"T0", "Done"}
CloseWaits == (\E t \in Users : HasClosed(t)) => ended

\* Liveness: each event that a program puts is handled, and each thread comes to its end.
EachIsHandled == <>(Given \subseteq Handled)
EachReturns == <>AllDone

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) ==
  /\ \A t \in P \cap Users :
       WF_vars(\/ user(t) \/ put(t) \/ expire(t) \/ close(t) \/ enqueue(t) \/ preempt(t)
               \/ replace(t) \/ look(t))
  /\ \A t \in P \cap Workers : WF_vars(worker(t) \/ put(t) \/ enqueue(t) \/ preempt(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

At(label) == {t \in DOMAIN Program : pc[t] = label}

\* A thread is about to put while another one clears the queue.
PutWaitsForClear == At("P1") # {} /\ At("D2") # {}

\* The event thread has taken an event, and has not begun with it when the rest goes.
TakenBeforeDrain == At("X1") # {} /\ At("D3") # {}

\* The event thread has taken an event that is preempted by then.
SpentByAnother == \E t \in Workers : pc[t] = "X1" /\ spent[taken[t]]

\* An event comes after a close has begun.
RefusedAtClose == ~running /\ At("P2") # {}

\* The event thread has ended without the event of the close.
ClosesUnseen == ended /\ At("D1") # {}

\* The event of an expiry was preempted, and its thread learns of that.
ExpiryPreempted == \E t \in At("W3") : \E i \in DOMAIN log : log[i] = <<"preempted", expiry[t]>>

\* A handler makes a request while the session's thread waits for its event.
AsksInOldSession == At("H2") # {} /\ At("W2") # {}
===============================================================================

------------------------- MODULE DelayQueueProperties -------------------------
\* What must hold of DelayQueue, and what its scenarios must reach.
EXTENDS DelayQueue

Inside == {"Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2"}

TypeOK == /\ mutex \in Threads \cup {NULL} /\ leader \in Threads \cup {NULL}
          /\ asleep \subseteq Threads /\ leading \subseteq Threads /\ interrupted \subseteq Threads
          /\ \A i \in DOMAIN tickets : tickets[i] \subseteq asleep
          /\ Len(tickets) <= Cardinality(asleep)
          /\ now \in Nat
          /\ \A t \in Threads : alarm[t] \in Nat /\ (alarm[t] # Never => t \in asleep)
          /\ \A i \in DOMAIN items : items[i] \in Int /\ (i > 1 => items[i \div 2] <= items[i])

\* What the gate guards is touched only by the thread that holds it.
Exclusive == \A t \in Threads : pc[t] \in Inside => mutex = t

\* What is offered is queued until it is taken, once.
EachOnce == Len(items) = queued

\* Only what is due is taken.
TakesDue == \A t \in Threads : pc[t] = "K2" => head[t] <= now

\* A notification takes the lead away only for an element that has become the first.
NotifiesForFirst == \A t \in Threads : pc[t] = "N1" => items[1] = Argument(t, turn[t])

\* The thread that is noted as leader sleeps as such, or has just woken.
LeaderLeads == leader # NULL => pc[leader] \in {"A8", "A9", "A10", "A11"}

\* At most one thread sleeps for as long as the first element takes.
OneLeads == Cardinality(leading) <= 1

\* If threads sleep while an element waits, one of them sleeps for it or for less, or one is up: not
\* one that has yet to begin its next operation.
SomebodyUp == \/ tickets # << >> \/ interrupted # {}
              \/ \E t \in Threads : pc[t] \notin {"T0", "A1", "G1", "Done", "A5", "A9"} \/ Late(t)
Watched == items # << >> /\ asleep # {} => SomebodyUp \/ \E t \in asleep :
  (leader = t /\ head[t] <= Head(items)) \/ alarm[t] <= Head(items)

\* The gate opens for a thread that waits when something is due, or its time is up.
NotEarly == \A t \in Threads :
  \/ pc[t] = "K1" /\ Operation(t, turn[t]) = "poll"
  \/ pc[t] \in {"L1", "L2"} /\ ~found[t] /\ ~raised[t]
  => Due \/ deadline[t] <= now

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) == /\ \A t \in P \cap Threads : WF_vars(thread(t))
               /\ \A i \in P \cap Interrupters : WF_vars(interrupter(i))
               /\ \A c \in P \cap Clocks : WF_vars(clock(c))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A leader sleeps on while another thread has the lead, or no thread.
LeadIsTaken == \E t \in Threads : pc[t] = "A9" /\ t \in asleep /\ leader # t

\* The time of a thread that waits is up, and it leaves without an element.
TimesOutEmptyHanded == \E t \in Threads : pc[t] \in {"L1", "L2"} /\ ~found[t] /\ ~raised[t]

\* A thread that has slept as follower leads: it was notified by one that left.
FollowerBecomesLeader == \E t \in Threads : pc[t] = "A8" /\ left[t] < Argument(t, turn[t])

\* A notification may be taken by a thread whose time is up.
LateNotification == \E t \in Threads : Late(t) /\ Offered(tickets, t)

\* The leader is to raise while another thread sleeps.
LeaderIsInterrupted == leader \in interrupted /\ Cardinality(asleep) > 1

\* A notification may be taken by a thread whose wait is to raise.
InterruptedWithTicket == \E t \in asleep : t \in interrupted /\ Offered(tickets, t)
===============================================================================

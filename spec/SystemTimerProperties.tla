------------------------- MODULE SystemTimerProperties ------------------------
\* What must hold of SystemTimer, and what its scenarios must reach.
EXTENDS SystemTimer

Critical == writer # NULL
\* A thread has polled a bucket, and waits for the write lock.
Waits(t) == pc[t] \in {"R2", "Q2"}
Polled(b) == Cardinality({t \in Threads : Waits(t) /\ polled[t] = b})

\* A thread has linked an entry into b and is about to key and to queue b.
Halfway(b) == \E t \in Threads : pc[t] \in {"W3", "W4"} /\ bucket[t] = b

TypeOK ==
  /\ now \in Nat
  /\ current \in [1..Levels -> Nat]
  /\ \A b \in Buckets : key[b] \in Nat \cup {-1}
  /\ \A b \in Buckets : \A i \in DOMAIN content[b] : content[b][i] \in Entries
  /\ \A i \in DOMAIN queue : queue[i] \in Buckets
  /\ timerTaskEntry \in [Tasks -> Entries \cup {NULL}]
  /\ flushing \in Buckets \cup {0}
  /\ readers \subseteq Threads /\ writer \in Threads \cup {NULL}
  /\ shut \in BOOLEAN /\ reaperDied \in BOOLEAN /\ thrown \in [Threads -> BOOLEAN]
  /\ raised \subseteq Entries /\ \A i \in DOMAIN refused : refused[i] \in Entries
  /\ \A i \in DOMAIN started : started[i] \in Entries
  /\ adding \in Nat /\ taskCounter \in Nat
  /\ Len(waiting) <= Cardinality(Entries)
  /\ \A t \in Threads : level[t] \in 1..Levels /\ bucket[t] \in Buckets \cup {0}
  /\ \A t \in Threads : polled[t] \in Buckets \cup {0}
  /\ \A t \in Threads : task[t] \in Entries \cup {NULL}

\* A bucket with entries is queued once, and a queued bucket's key never changes.
QueuedOnceWithItsKey ==
  /\ rekeyed = {}
  /\ \A b \in Buckets : Count(b) <= 1
  /\ ~Critical => \A b \in Buckets : content[b] # <<>> /\ ~Halfway(b) => Count(b) + Polled(b) = 1

\* No bucket waits longer than one of its entries.
KeyBeforeDeadline == \A b \in Buckets :
  ~Halfway(b) /\ Count(b) > 0 => \A i \in DOMAIN content[b] : key[b] <= Deadline[content[b][i]]

\* The reaper idle, nothing due, no adder inside: no entry is past its deadline by more than a tick.
Idle == ~Critical /\ readers = {} /\ ~Due /\ \A t \in Threads : ~Waits(t)
LatenessBound == Idle => \A e \in Entries : Linked(e) => now <= Deadline[e] + 1

\* The same for entries whose bucket has got no other key.
BystandersInTime ==
  Idle => \A b \in Buckets \ rekeyed :
            \A i \in DOMAIN content[b] : now <= Deadline[content[b][i]] + 1

NotEarly == early = {}
FiredOnce == \A e \in Entries : submitted[e] <= 1
\* The executor starts tasks in the order in which they were handed over.
StartsInOrder == \A i \in DOMAIN started : i \in DOMAIN handed /\ started[i] = handed[i]
RunsOncePerAdd == \A x \in Tasks : ran[x] <= added[x]
CancelWins == slipped = {}
CounterExact == taskCounter = Cardinality({e \in Entries : Linked(e)})

\* Not a property of Kafka's timer: the check may come before cancel and the link after it.
CancelledUnlinked == \A e \in Entries : Linked(e) => timerTaskEntry[TaskOf[e]] = e

\* Liveness: each entry is handed over, unless its task was cancelled or added again.
AllFired == /\ adding = 0
            /\ \A e \in Entries : submitted[e] > 0 \/ timerTaskEntry[TaskOf[e]] # e
EveryTimerFires == <>AllFired

\* The same, where the executor may refuse a task.
AllTried == /\ adding = 0
            /\ \A e \in Entries : \/ submitted[e] > 0 \/ \E i \in DOMAIN refused : refused[i] = e
                                  \/ timerTaskEntry[TaskOf[e]] # e
EveryTimerIsTried == <>AllTried

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) ==
  \A t \in T :
    WF_vars(\/ thread(t) \/ addTimerTaskEntry(t) \/ add(t) \/ cancel(t) \/ close(t)
            \/ expire(t) \/ reap(t) \/ kafkaReap(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* The reaper waits for the write lock, and its bucket is no longer the earliest (D1).
EarlierBucketAfterPoll == \E t \in Threads :
  Waits(t) /\ queue # <<>> /\ key[queue[1]] < key[polled[t]]

\* A flush links an entry into a lower level.
GoesDown == \E t \in Threads : pc[t] = "W3" /\ head[t] # NULL

\* A flush holds an entry whose task was cancelled meanwhile.
CancelledInTheHand == \E t \in Threads : pc[t] = "K1" /\ head[t] # NULL /\ Cancelled(ke[t])
===============================================================================

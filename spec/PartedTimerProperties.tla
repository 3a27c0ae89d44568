------------------------ MODULE PartedTimerProperties -----------------------
\* What must hold of PartedTimer, and what its scenarios must reach.
EXTENDS PartedTimer

Critical == writer # NULL
\* A thread has linked an entry into b and is about to key and to queue b.
Halfway(b) == \E t \in Threads : pc[t] \in {"W3", "W4"} /\ bucket[t] = b

\* A hold of the write lock moves at most Part entries, and Levels for each one that was linked in
\* the gap before it: adders wait for no more.
PartBounded == moved <= Part + Levels * came

\* The full parts until nothing is due are bounded by what was linked when the first one began,
\* however many entries are added meanwhile: each part moves Part more than those can ask for.
NotOutpaced == credit >= 0

\* Between two parts no other thread waits for the write lock: it would go before every adder.
OpenGap == Cardinality({t \in Threads : pc[t] = "R2" \/ writer = t}) <= 1

\* A bucket with entries is queued once, and a queued bucket's key never changes.
QueuedOnceWithItsKey ==
  /\ rekeyed = {}
  /\ \A b \in Buckets : Count(b) <= 1
  /\ ~Critical => \A b \in Buckets : content[b] # <<>> /\ ~Halfway(b) => Count(b) = 1

\* The clock stays at the key of a bucket that is half flushed, and passes none that is queued.
KeyNotPassed == \A b \in Buckets : Count(b) > 0 => key[b] >= current[1]

\* No thread inside, nothing due: no entry is past its deadline by more than a tick.
Idle == ~Critical /\ readers = {} /\ ~Due
LatenessBound == Idle => \A e \in Entries : Linked(e) => now <= Deadline[e] + 1

NotEarly == early = {}
FiredOnce == \A e \in Entries : submitted[e] <= 1
CancelWins == slipped = {}
CounterExact == taskCounter = Cardinality({e \in Entries : Linked(e)})

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
    WF_vars(\/ thread(t) \/ addTimerTaskEntry(t) \/ add(t) \/ cancel(t) \/ close(t) \/ wake(t)
            \/ reap(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* The lock is free, and b has entries although the clock has reached its key.
HalfFlushed(b) == ~Critical /\ Count(b) > 0 /\ content[b] # <<>> /\ key[b] <= current[1]

\* An adder links its entry while a bucket is half flushed.
AddsBetween == \E b \in Buckets, t \in readers : HalfFlushed(b) /\ pc[t] = "W3"

\* A thread is about to cancel the task of an entry in a bucket that is half flushed.
CancelsBetween == \E b \in Buckets, t \in Threads :
  /\ HalfFlushed(b) /\ pc[t] = "X1"
  /\ \E i \in DOMAIN content[b] : content[b][i] = timerTaskEntry[ct[t]]

\* The executor was shut down while a bucket is half flushed.
ClosedBetween == \E b \in Buckets : HalfFlushed(b) /\ shut /\ refused = <<>>

\* A reaper is between two parts, and another one waits for its turn.
TwoReap == ~Critical /\ expiring # NULL /\ \E t \in Threads : t # expiring /\ pc[t] = "P1"

\* A flush has emptied its bucket, which is the first in the queue no more.
WokenInFlush == \E t \in Threads : pc[t] = "R8" /\ Due /\ queue[1] # polled[t]
===============================================================================

------------------------- MODULE TimingWheelProperties ------------------------
\* What must hold of TimingWheel, and what its scenarios must reach.
EXTENDS TimingWheel

InHand(b) ==
  Cardinality({t \in Threads : (polled[t] = b /\ pc[t] # "P1") \/ (taken[t] = b /\ pc[t] # "Q1")})

\* A thread has linked an entry into b, or has queued b for one, and has not done the rest.
Halfway(b) == \E t \in Threads : pc[t] \in {"A11", "W3", "W4"} /\ bucket[t] = b

\* A thread has chosen a bucket, and is about to link.
Linking(t) == pc[t] \in {"W2", "A1"}

TypeOK ==
  /\ made \in 1..Levels
  /\ \A l \in 1..Levels : IF l <= made THEN current[l] \in Nat ELSE current[l] = -1
  /\ \A b \in Buckets : key[b] \in Nat \cup {-1}
  /\ \A b \in Buckets : \A i \in DOMAIN content[b] : content[b][i] \in Entries
  /\ \A b \in Buckets : monitor[b].owner \in Threads \cup {NULL}
  /\ \A b \in Buckets : (monitor[b].depth = 0 <=> monitor[b].owner = NULL)
  /\ \A i \in DOMAIN queue : queue[i] \in Buckets
  /\ readers \subseteq Threads /\ writer \in Threads \cup {NULL}
  /\ adding \in Nat /\ taskCounter \in Nat
  /\ Len(handed) <= Cardinality(Entries)
  /\ \A t \in Threads : level[t] \in 1..Levels /\ bucket[t] \in Buckets \cup {0}
  /\ \A t \in Threads : polled[t] \in Buckets \cup {0}

\* An entry is put on a level that there is, into the slot that its tick names.
SlotInRange ==
  \A t \in Threads :
    Linking(t) => level[t] <= made /\ bucket[t] = SlotOf(Deadline[ke[t]], level[t])

\* The slot that the clock points at is over: nothing is put there.
NotCurrentSlot == \A t \in Threads : Linking(t) => bucket[t] # SlotOf(current[level[t]], level[t])

\* What is in one bucket has one key.
OneKeyPerSlot == \A b \in Buckets : \A i, j \in DOMAIN content[b] :
  KeyFor(content[b][i], LevelOf(b)) = KeyFor(content[b][j], LevelOf(b))

\* A key is after the clock, and less than a turn after it.
KeyWindow == \A t \in Threads : Linking(t) =>
  LET l == level[t]  k == KeyFor(ke[t], l)
  IN current[l] < k /\ k <= current[l] + Tick(l) * (WheelSize - 1)

\* A flush puts an entry on a lower level than the bucket's.
DemotionDescends == \A t \in Threads : Linking(t) /\ polled[t] # 0 => level[t] < LevelOf(polled[t])

\* What is due in d ticks, Tick(l) <= d < Tick(l + 1), goes to level l or to the one above.
LevelBound == \A t \in Threads : Linking(t) =>
  LET d == Deadline[ke[t]] - current[1]
  IN d < Tick(level[t] + 1) /\ (level[t] > 1 => d >= Tick(level[t] - 1))

\* A bucket with entries is queued once, and a queued bucket's key never changes.
QueuedOnceWithItsKey ==
  /\ rekeyed = {}
  /\ \A b \in Buckets : Count(b) <= 1
  /\ \A b \in Buckets : content[b] # <<>> /\ ~Halfway(b) => Count(b) + InHand(b) >= 1

\* No bucket waits longer than one of its entries.
KeyBeforeDeadline == \A b \in Buckets :
  ~Halfway(b) /\ Count(b) > 0 => \A i \in DOMAIN content[b] : key[b] <= Deadline[content[b][i]]

NotEarly == early = {}
FiredOnce == \A i, j \in DOMAIN handed : handed[i] = handed[j] => i = j

\* Liveness: each entry is handed over.
AllHanded == adding = 0 /\ \A e \in Entries : \E i \in DOMAIN handed : handed[i] = e
EveryTimerFires == <>AllHanded

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) ==
  \A t \in T :
    WF_vars(\/ thread(t) \/ hand(t) \/ put(t) \/ add(t) \/ flush(t) \/ expire(t) \/ withdraw(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A flush puts an entry on the lowest level that has been on the third.
GoesDownTwice == \E t \in Threads :
  /\ Linking(t) /\ polled[t] # 0 /\ LevelOf(polled[t]) = 2
  /\ Deadline[ke[t]] >= WheelSize ^ 2

\* An adder is about to link while a flush is under way.
AddsBesideFlush == /\ \E t \in Threads : Linking(t) /\ ae[t] # NULL
                   /\ \E t \in Threads : pc[t] = "F2"

\* Two threads are about to ask for the same level, which is not there.
TwoWantTheLevel == Cardinality({t \in Threads : pc[t] = "W5" /\ level[t] = made}) > 1
===============================================================================

------------------------- MODULE PurgatoryProperties -------------------------
\* What must hold of Purgatory, and what its scenarios must reach.
EXTENDS Purgatory

AllDone  == \A t \in Threads : pc[t] = "Done"
Lock     == [owner : Threads \cup {NULL}, depth : Nat]
Expirers == {t \in Threads : \E i \in DOMAIN Program[t] : Program[t][i][1] = "expire"}
Range(seq) == {seq[i] : i \in DOMAIN seq}

\* The operations in the list that a key has now.
Current(k) == IF list[k] = 0 THEN <<>> ELSE From(content[k][list[k]], 1)
In(o, k)   == {i \in DOMAIN Current(k) : Current(k)[i][2] = o}

TypeOK ==
  /\ ready \in [Conditions -> BOOLEAN] /\ completed \in [Operations -> BOOLEAN]
  /\ pending \in [Operations -> BOOLEAN]
  /\ outer \in Threads \cup {NULL}
  /\ armed \in [Operations -> BOOLEAN] /\ entering \in [Operations -> BOOLEAN]
  /\ lock \in [Operations -> Lock] /\ shard \in [1..Shards -> Threads \cup {NULL}]
  /\ used \in [1..Shards -> BOOLEAN]
  /\ \A k \in Keys : /\ list[k] \in 0..Len(content[k])
                     /\ list[k] # 0 => used[Shard(k)]
                     /\ \A i \in DOMAIN content[k] :
                          Range(content[k][i]) \subseteq Operations \cup {NULL}
  /\ estimated \in 0..Cardinality(Operations)
  /\ \A o \in Operations : completions[o] \in 0..Cardinality(Threads) /\ expirations[o] \in 0..1
  /\ won \in [Threads -> BOOLEAN] /\ raised \in [Threads -> BOOLEAN]
  /\ winner \in [Operations -> Threads \cup {NULL}]
  /\ expiredBy \in [Operations -> SUBSET Threads]

CompletedOnce == \A o \in Operations : completions[o] <= 1

\* Once all events are through, an operation that can complete has completed, without its timeout.
NoLostCompletion == (\A t \in Threads \ Expirers : pc[t] = "Done") =>
  \A o \in Operations : ready[Need[o]] /\ ~entering[o] /\ o \notin revoked => completed[o]

\* An operation that waits is in the list that its key has, where an event finds it.
WatcherReachable == \A o \in Operations : \A p \in places[o] :
  ~completed[o] /\ o \notin revoked /\ p \notin dropped => list[p[1]] = p[2] /\ In(o, p[1]) # {}

NoLeakedTimer == AllDone => \A o \in Operations : ~(completed[o] /\ armed[o])

\* The timer has what waits, and nothing else.
NumDelayedExact == AllDone =>
  \A o \in Operations : ~entering[o] /\ o \notin revoked => armed[o] = ~completed[o]

\* No list is empty, and what waits is in the list of each of its keys, once.
WatchedExact == AllDone /\ (\A t \in Threads : ~raised[t]) =>
  /\ \A k \in Keys : list[k] # 0 => Current(k) # <<>>
  /\ \A o \in Operations : ~entering[o] /\ ~completed[o] /\ o \notin revoked =>
       \A i \in DOMAIN KeysOf[o] : Cardinality(In(o, KeysOf[o][i])) = 1

ExpiredByTimeoutOnly == \A o \in Operations : \A t \in expiredBy[o] : winner[o] = t

TriesBesideComplete(t) == pc[t] = "Y1" /\ completions[yo[t]] > 0
TryExcludesComplete == Protocol = "Blocking" => \A t \in Threads : ~TriesBesideComplete(t)

\* Not properties, by design.
TryAlwaysExcludesComplete == \A t \in Threads : ~TriesBesideComplete(t)
RemovedOnce == \A t \in Threads : ~(pc[t] = "C7" /\ content[ck[t]][mine[t]][here[t][1]] = NULL)
CancelledIsTimed == AllDone => \A o \in revoked : completed[o] \/ armed[o]
CancelledIsUntimed == AllDone => \A o \in revoked : ~armed[o]

\* Liveness, beside Termination, which the translation defines.
CompletesOnce == <>(\A o \in Operations : completions[o] = 1)

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == \A t \in T : WF_vars(\/ thread(t) \/ cancelTask(t) \/ onComplete(t)
                                    \/ forceUnlocked(t) \/ forceComplete(t) \/ tryComplete(t)
                                    \/ tryPending(t) \/ safeTryComplete(t)
                                    \/ tryCompleteElseWatch(t) \/ removeKeyIfEmpty(t)
                                    \/ checkAndComplete(t) \/ cancelForKey(t)
                                    \/ purgeCompleted(t) \/ purge(t) \/ watched(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* An operation ends by its timeout.
ExpiryWins == \E o \in Operations : expiredBy[o] # {}

\* The timer runs an operation that is completed.
ExpiryTooLate == \E t \in Threads : pc[t] = "T1" /\ ~won[t]

\* An event comes between the first try and the second one, which completes.
SecondTryCompletes == \E t \in Threads :
  pc[t] \in {"A4", "A8"} /\ won[t] /\ places[ao[t]] # {}

\* An event completes an operation before the timer has it.
CompletedBeforeTimed == \E t \in Threads : pc[t] = "A7" /\ completed[ao[t]]

\* A list that was empty has an operation again, when it is to be removed.
ListGrowsMeanwhile == \E t \in Threads :
  pc[t] = "R3" /\ list[rk[t]] = rw[t] /\ ~Empty(rk[t], rw[t])

\* The key has another list, when its old one is to be removed.
OtherListMeanwhile == \E t \in Threads : pc[t] = "R2" /\ list[rk[t]] \notin {0, rw[t]}

\* A traversal meets a second operation.
SeenOnTheWay == \E t \in Threads : pc[t] = "C0" /\ here[t][1] > 0

\* An operation has come into a list behind the last one that a thread's iterator has found.
CameTooLate == \E t \in Threads :
  pc[t] = "C7" /\ ahead[t] = Nowhere /\ First(content[ck[t]][mine[t]], here[t][1] + 1) # Nowhere

\* A lock is held while what onComplete raised goes up the stack.
Unwinding == \E t \in Threads : raised[t] /\ pc[t] \in {"L7", "B3", "A4", "P3"}

\* A thread that has given an operation's lock back finds the note of one that did not get it.
ReadsNote == \E t \in Threads : pc[t] = "P4" /\ pending[po[t]]
===============================================================================

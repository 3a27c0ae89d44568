---------------------- MODULE DelayedOperationProperties ----------------------
\* What must hold of DelayedOperation, and what its scenarios must reach.
EXTENDS DelayedOperation

AllDone == \A t \in Threads : pc[t] = "Done"
Lock    == [owner : Threads \cup {NULL}, depth : Nat]
Expirers == {t \in Threads : \E i \in DOMAIN Program[t] : Program[t][i][1] = "expire"}

TypeOK ==
  /\ ready \in [Conditions -> BOOLEAN]
  /\ completed \in [Operations -> BOOLEAN] /\ pending \in [Operations -> BOOLEAN]
  /\ armed \in [Operations -> BOOLEAN]
  /\ lock \in [Operations -> Lock] /\ outer \in [Locks -> Lock]
  /\ \A o \in Operations : completions[o] \in 0..Cardinality(Threads) /\ expirations[o] \in 0..1
  /\ won \in [Threads -> BOOLEAN] /\ raised \in [Threads -> BOOLEAN]
  /\ gaveUp \in [Threads -> BOOLEAN]
  /\ winner \in [Operations -> Threads \cup {NULL}]
  /\ expiredBy \in [Operations -> SUBSET Threads]

CompletedOnce == \A o \in Operations : completions[o] <= 1

\* Once all events are through, an operation that can complete has completed, without its timeout.
NoLostCompletion == (\A t \in Threads \ Expirers : pc[t] = "Done") =>
  \A o \in Operations : (\A i \in DOMAIN Needs[o] : ready[Needs[o][i]]) => completed[o]

ExpiredByTimeoutOnly == \A o \in Operations : \A t \in expiredBy[o] : winner[o] = t

\* What the lock is for, in every generation.
OneTries == \A t, u \in Threads : pc[t] = "Y1" /\ pc[u] = "Y1" /\ yo[t] = yo[u] => t = u

Trying(t) == pc[t] = "Y1" /\ completions[yo[t]] > 0

\* Blocking: tryComplete does not run while onComplete runs or after it.
TryExcludesComplete == \A t \in Threads : Trying(t) => Protocol[yo[t]] # "Blocking"

\* Not properties: one that only Blocking has, and one that the retry of one loser does not give.
TryAlwaysExcludesComplete == \A t \in Threads : ~Trying(t)
EveryLoserRetries == \A t, u \in Threads : gaveUp[t] /\ t # u =>
  ~(pc[u] = "P6" /\ retry[u] /\ Holder(po[u]) \notin {NULL, t, u})

\* Liveness, beside Termination, which the translation defines.
CompletesOnce == <>(\A o \in Operations : completions[o] = 1)

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == \A t \in T : WF_vars(\/ thread(t) \/ onComplete(t) \/ forceComplete(t)
                                    \/ forceCompleteLocked(t) \/ tryComplete(t) \/ tryOnce(t)
                                    \/ tryPending(t) \/ lockedTry(t) \/ safeTryComplete(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A thread leaves a note, since another one is in tryComplete.
LockNotHad == \E t \in Threads : pc[t] = "P5" /\ lock[po[t]].owner # NULL

\* A holder sees a note and tries once more.
NoteSeen == \E t \in Threads : pc[t] = "P4" /\ pending[po[t]]

\* An operation ends by its timeout.
ExpiryWins == \E o \in Operations : expiredBy[o] # {}

\* An expirer finds the operation completed.
ExpiryTooLate == \E t \in Threads : pc[t] = "T1" /\ ~won[t]

\* A lock is held while what onComplete raised goes up the stack.
Unwinding == \E t \in Threads : raised[t] /\ pc[t] \in {"O2", "P3", "L7", "S2", "B3"}
===============================================================================

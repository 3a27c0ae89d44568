------------------------- MODULE ShareFetchProperties -------------------------
\* What must hold of ShareFetch, and what its scenarios must reach.
EXTENDS ShareFetch

AllDone == \A t \in Threads : pc[t] = "Done"

\* The member of a fetch has its records: it has not acknowledged them, or in vain, and has time.
Has(f) == result[f] # << >> /\ ~expired[f] /\ reply[f] \in {NULL, "failed"}

\* Two members never have one record.
OneMember ==
  \A f \in Fetches : \A g \in Fetches :
    f # g /\ Has(f) /\ Has(g) =>
      result[f][2] < result[g][1] \/ result[g][2] < result[f][1]

\* What a member has is acquired by it.
MembersHold ==
  \A f \in Fetches :
    Has(f) => \E i \in Held(f) : <<cache[i].first, cache[i].last>> = result[f]

\* Only what is acquired, or may be again, has an acquisition lock.
LockedAsAcquired ==
  \A i \in DOMAIN cache : cache[i].owner # NULL <=> cache[i].state = "acquired" \/ cache[i].moving

\* Who acquires has the fetch lock.
OneFetches == \A t \in Threads : pc[t] \in {"G1", "G2", "G3", "K2"} => fetching = taker[t]

\* In the end no fetch has the fetch lock.
FetchLockFree == AllDone => fetching = NULL

\* In the end no member has a batch whose time is up.
FreedInTime ==
  AllDone => \A i \in DOMAIN cache : cache[i].state = "acquired" => ~expired[cache[i].owner]

AnsweredOnce == \A f \in Fetches : answers[f] <= 1

\* In the end no fetch waits while records are available and the fetch lock is free.
NoLostWakeUp ==
  AllDone /\ fetching = NULL /\ Free # {} => \A f \in Fetches : completed[f]

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) ==
  \A t \in T :
    WF_vars(\/ thread(t) \/ enter(t) \/ expire(t) \/ try(t) \/ answer(t) \/ check(t)
            \/ acknowledge(t) \/ end_write(t) \/ time_out(t) \/ append(t) \/ trim(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

At(label) == {t \in Threads : pc[t] = label}

\* A fetch does not get the fetch lock, and there are records.
LosesTheFetchLock == Free # {} /\ \E t \in At("F1") : fetching \notin {NULL, tried[t]}

\* A fetch that has the fetch lock sees no records, and there are some by now.
SeesNothingInTime == Free # {} /\ \E t \in At("F2") : ~won[t]

\* The time of an acquisition lock is up while the member's release is being written.
ExpiresInTransition ==
  \E i \in DOMAIN cache : cache[i].moving /\ expired[cache[i].owner]

\* The log's start moves into a batch whose release is being written.
TrimsInTransition ==
  \E t \in At("M3") : \E i \in DOMAIN cache : cache[i].moving /\ cache[i].first < start

\* A fetch acquires, and what it saw is no longer there.
AcquiresNothing == \E t \in At("G3") : offsets[t] = << >>

\* A check meets a fetch that another thread has taken out of the list.
MeetsWhatHasLeft == \E t \in At("B1") : watched[met[t][1]] = NULL
===============================================================================

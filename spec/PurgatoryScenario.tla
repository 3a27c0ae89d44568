------------------------- MODULE PurgatoryScenario -------------------------
\* What a scenario of Purgatory gives, and what follows from it. Lists of watchers as sequences.
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Protocol,     \* the generation of the operations, one of Protocols
  Need,         \* operation |-> the condition that it waits for
  KeysOf,       \* operation |-> the keys that it is watched under, in order
  Adds,         \* operation |-> the operations that its onComplete enters, none or one
  Raises,       \* the operations whose onComplete raises
  Locking,      \* the operations whose onComplete takes the callers' own lock
  Number,       \* key |-> its hash
  Shards,       \* the number of shards
  Interval,     \* purge does nothing while the estimate is at most so far off
  Program,      \* thread |-> sequence of <<name, argument, ...>>
  NULL

Operations == DOMAIN Need
Conditions == {Need[o] : o \in Operations}
Keys       == DOMAIN Number
Threads    == DOMAIN Program
Protocols  == {"TryPending", "Blocking"}
Names      == {"watch", "watch_holding", "deliver", "check", "force", "expire", "cancel_key",
               "purge", "watched", "num_delayed"}

ASSUME ProtocolIsKnown == Protocol \in Protocols
ASSUME EveryOperationHasAKey == /\ DOMAIN KeysOf = Operations
                                /\ \A o \in Operations : Len(KeysOf[o]) \in 1..Cardinality(Keys)
ASSUME AddsOneAtMost == /\ DOMAIN Adds = Operations
                        /\ \A o \in Operations : Len(Adds[o]) <= 1
ASSUME RaisesAreOperations == Raises \subseteq Operations
ASSUME LockingDoesNoMore ==
  Locking \subseteq {o \in Operations \ Raises : Adds[o] = <<>>}
ASSUME ThereAreShards == Shards \in Nat \ {0}
ASSUME HashesDiffer == \A j, k \in Keys : Number[j] = Number[k] => j = k
ASSUME ProgramsAreOperations ==
  \A t \in Threads : \A i \in DOMAIN Program[t] : Program[t][i][1] \in Names

Free     == [owner |-> NULL, depth |-> 0]
Shard(k) == (Number[k] % Shards) + 1
\* j comes behind k in the order of hashes, or k is none.
Later(j, k) == IF k = NULL THEN TRUE ELSE Number[k] < Number[j]

\* What is in a list from a place on: pairs of place and operation.
RECURSIVE From(_, _)
From(seq, i) == IF i > Len(seq) THEN <<>>
                 ELSE IF seq[i] = NULL THEN From(seq, i + 1)
                 ELSE <<<<i, seq[i]>>>> \o From(seq, i + 1)

\* The first of them, which an iterator holds, or Nowhere.
Nowhere == <<0, NULL>>
RECURSIVE First(_, _)
First(seq, i) == IF i > Len(seq) THEN Nowhere
                 ELSE IF seq[i] = NULL THEN First(seq, i + 1)
                 ELSE <<i, seq[i]>>

Live(seq) == Cardinality({i \in DOMAIN seq : seq[i] # NULL})
============================================================================

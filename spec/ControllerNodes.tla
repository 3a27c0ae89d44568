--------------------------- MODULE ControllerNodes ---------------------------
(***************************************************************************)
(* What the nodes of Controller have, and what a server has of them.        *)
(*                                                                          *)
(* A server may be late: it has applied an older state of the nodes.  late  *)
(* is << >>, or a sequence of that state, with the first event of           *)
(* /controller that the server still has to deliver.                        *)
(***************************************************************************)
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

None == "none"
Never == "never"                             \* there was no controller yet
Unreadable == "?"                            \* written by hand: it names no broker
Vacant == [id |-> None, session |-> 0]       \* there is no node /controller
NoEpoch == [value |-> 0, version |-> 0]
NoEpochNode == [value |-> 0, version |-> -1] \* there is no node /controller_epoch
NoState == [epoch |-> 0, by |-> 0, isr |-> 0, version |-> 0]
\* A partition: its leader epoch, the controller epoch of the last election, and how often its ISR
\* has changed.

\* What a controller writes over the state that it knows.
New(read, e) == [read EXCEPT !.epoch = read.epoch + 1, !.by = e.value, !.version = read.version + 1]

\* The node names no broker.
Nameless(n) == n.id \in {None, Unreadable}

Has(s, x) == \E i \in DOMAIN s : s[i] = x

\* The event of which a session hears, and a server after an event of which it does not hear.
Due(late, event) == IF late = << >> \/ late[1].missed = None THEN event ELSE late[1].missed
Missing(late, event) ==
  IF late = << >> THEN late ELSE <<[late[1] EXCEPT !.missed = Due(late, event)]>>
==============================================================================

--------------------------- MODULE ControllerNodes ---------------------------
(***************************************************************************)
(* What the nodes of Controller have, and what a server has of them.        *)
(*                                                                          *)
(* A server may be late: it has applied an older state of the nodes.  late  *)
(* is << >>, or a sequence of that state, with the first event of           *)
(* /controller that the server still has to deliver.                        *)
(***************************************************************************)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

None == "none"
Unreadable == "?"                            \* written by hand: it names no broker
Vacant == [id |-> None, session |-> 0]       \* there is no node /controller
NoEpoch == [value |-> 0, version |-> 0]
NoState == [epoch |-> 0, by |-> 0, isr |-> 0, version |-> 0]

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

----------------------------- MODULE Conditions -----------------------------
(***************************************************************************)
(* Python's condition as two values: the set of threads that sleep, and a   *)
(* sequence of tickets.  A notification that is not yet taken is a          *)
(* ticket: the set of threads that may take it, those that slept when it    *)
(* was given.  Which of them takes it is decided when the first one wakes.  *)
(***************************************************************************)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

\* The tickets after notify(n): one per sleeper that has none, at most n more.
Notified(tickets, asleep, n) ==
  LET free == Cardinality(asleep) - Len(tickets) IN
  tickets \o [i \in 1..(IF n < free THEN n ELSE free) |-> asleep]

NotifiedAll(tickets, asleep) == Notified(tickets, asleep, Cardinality(asleep))

\* t may wake, and need not wait for its time to be up.  No \E: in an action TLC would take one
\* step for each witness.
Offered(tickets, t) == {i \in DOMAIN tickets : t \in tickets[i]} # {}

\* The tickets after t has woken: it has taken the oldest that it may take, if there is one.
Taken(tickets, t) ==
  LET first == CHOOSE i \in DOMAIN tickets :
                 t \in tickets[i] /\ \A j \in 1..(i - 1) : t \notin tickets[j]
      left  == IF Offered(tickets, t)
               THEN SubSeq(tickets, 1, first - 1) \o SubSeq(tickets, first + 1, Len(tickets))
               ELSE tickets
  IN [i \in DOMAIN left |-> left[i] \ {t}]
=============================================================================

------------------------------ MODULE Choices ------------------------------
(* What PlusCal has beside procedures: either, with, several kinds of processes, a process alone. *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Workers, Boxes, NULL

(*--algorithm Choices
variables
  box = [b \in Boxes |-> <<>>],
  log = <<>>,
  total = [count |-> 0, last |-> NULL];

define
  Free(b) == box[b] = <<>>
  Held == {b \in Boxes : ~Free(b)}
end define;

macro put(b, x) begin
  box[b] := Append(box[b], x);
end macro;

fair process worker \in Workers
variables mine = NULL, tries = 0;
begin
W0: with b \in {c \in Boxes : Free(c)} do
      put(b, self);
      mine := b;
    end with;
W1: either
      total.count := total.count + 1 || total.last := self;
    or
      await total.count > 0;
      tries := tries + 1;
W2:   total := [total EXCEPT !.count = @ - 1, !.last = NULL];
    end either;
W3: with old = Head(box[mine]) do
      box[mine] := Tail(box[mine]) || log := Append(log, <<self, old>>);
    end with;
end process;

fair process watcher = "watcher"
variables seen = {};
begin
V0: while Cardinality(seen) < Cardinality(Workers) do
      with i \in {j \in DOMAIN log : log[j][1] \notin seen} do
        seen := seen \cup {log[i][1]};
      end with;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES box, log, total, pc

(* define statement *)
Free(b) == box[b] = <<>>
Held == {b \in Boxes : ~Free(b)}

VARIABLES mine, tries, seen

vars == << box, log, total, pc, mine, tries, seen >>

ProcSet == (Workers) \cup {"watcher"}

Init == (* Global variables *)
        /\ box = [b \in Boxes |-> <<>>]
        /\ log = <<>>
        /\ total = [count |-> 0, last |-> NULL]
        (* Process worker *)
        /\ mine = [self \in Workers |-> NULL]
        /\ tries = [self \in Workers |-> 0]
        (* Process watcher *)
        /\ seen = {}
        /\ pc = [self \in ProcSet |-> CASE self \in Workers -> "W0"
                                        [] self = "watcher" -> "V0"]

W0(self) == /\ pc[self] = "W0"
            /\ \E b \in {c \in Boxes : Free(c)}:
                 /\ box' = [box EXCEPT ![b] = Append(box[b], self)]
                 /\ mine' = [mine EXCEPT ![self] = b]
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << log, total, tries, seen >>

W1(self) == /\ pc[self] = "W1"
            /\ \/ /\ total' = [total EXCEPT !.count = total.count + 1,
                                            !.last = self]
                  /\ pc' = [pc EXCEPT ![self] = "W3"]
                  /\ tries' = tries
               \/ /\ total.count > 0
                  /\ tries' = [tries EXCEPT ![self] = tries[self] + 1]
                  /\ pc' = [pc EXCEPT ![self] = "W2"]
                  /\ total' = total
            /\ UNCHANGED << box, log, mine, seen >>

W2(self) == /\ pc[self] = "W2"
            /\ total' = [total EXCEPT !.count = @ - 1, !.last = NULL]
            /\ pc' = [pc EXCEPT ![self] = "W3"]
            /\ UNCHANGED << box, log, mine, tries, seen >>

W3(self) == /\ pc[self] = "W3"
            /\ LET old == Head(box[mine[self]]) IN
                 /\ box' = [box EXCEPT ![mine[self]] = Tail(box[mine[self]])]
                 /\ log' = Append(log, <<self, old>>)
            /\ pc' = [pc EXCEPT ![self] = "Done"]
            /\ UNCHANGED << total, mine, tries, seen >>

worker(self) == W0(self) \/ W1(self) \/ W2(self) \/ W3(self)

V0 == /\ pc["watcher"] = "V0"
      /\ IF Cardinality(seen) < Cardinality(Workers)
            THEN /\ \E i \in {j \in DOMAIN log : log[j][1] \notin seen}:
                      seen' = (seen \cup {log[i][1]})
                 /\ pc' = [pc EXCEPT !["watcher"] = "V0"]
            ELSE /\ pc' = [pc EXCEPT !["watcher"] = "Done"]
                 /\ seen' = seen
      /\ UNCHANGED << box, log, total, mine, tries >>

watcher == V0

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == watcher
           \/ (\E self \in Workers: worker(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Workers : WF_vars(worker(self))
        /\ WF_vars(watcher)

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION

Names == Workers \cup {"watcher"}

TypeOK == /\ box \in [Boxes -> Seq(Workers)]
          /\ log \in Seq(Workers \X Workers)
          /\ total \in [count : Int, last : Workers \cup {NULL}]
          /\ mine \in [Workers -> Boxes \cup {NULL}]
          /\ seen \subseteq Workers

Small == total.count <= 1
Quiet == \A w \in Workers : pc[w] = "Done" => tries[w] = 0
OneEach == \A w, v \in Workers : mine[w] = mine[v] /\ mine[w] # NULL => w = v \/ pc[w] # pc[v]
Apart(w, v) == LET both == {mine[w], mine[v]} IN
  /\ w \in Workers  \* so it is
  /\ \A b \in both :
       b # NULL => w = v
  /\ v \in Workers
Nested == TypeOK /\ \A one, other \in Workers : Apart(one, other)
Ends == <>(\A name \in Names : pc[name] = "Done")
=============================================================================

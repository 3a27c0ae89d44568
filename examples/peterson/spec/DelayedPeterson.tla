--------------------------- MODULE DelayedPeterson ---------------------------
(***************************************************************************)
(* Peterson, under a memory that delays what threads store into plain       *)
(* fields.  A thread sees its own late store at once.  A step W1 brings a   *)
(* thread's oldest late store into a field to memory.  Volatile fields are  *)
(* never late.  A write of one marks all late stores of its thread, and who *)
(* reads that field first brings them to memory.                            *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Program,     \* process |-> sequence of <<"use", thread>>, or one <<"memory", thread, field>>
  NULL

Memories == {p \in DOMAIN Program : Program[p][1][1] = "memory"}
Threads == DOMAIN Program \ Memories
Sides == {"a", "b"}
Other(s) == IF s = "a" THEN "b" ELSE "a"
Volatile == {"wants", "turn"}

ASSUME Threads \subseteq Sides

(* Late stores are <<thread, field, place, value, marks>>, in the order of storing. *)
Stored(stores, place, old) ==                \* what is in the place once these are in memory
  LET hits == {i \in DOMAIN stores : stores[i][3] = place}
  IN  IF hits = {} THEN old ELSE stores[CHOOSE i \in hits : \A j \in hits : j <= i][4]
Seen(stores, t, place, old) == Stored(SelectSeq(stores, LAMBDA x : x[1] = t), place, old)
Due(stores, s, t)    == SelectSeq(stores, LAMBDA x : x[1] # t /\ s \in x[5])
Later(stores, s, t)  == SelectSeq(stores, LAMBDA x : x[1] = t \/ s \notin x[5])
Marked(stores, s, t) == [i \in DOMAIN stores |->
  IF stores[i][1] = t THEN [stores[i] EXCEPT ![5] = @ \cup {s}] ELSE stores[i]]
Waiting(stores, t, field) == {i \in DOMAIN stores : stores[i][1] = t /\ stores[i][2] = field}
Oldest(stores, t, field)  ==
  CHOOSE i \in Waiting(stores, t, field) : \A j \in Waiting(stores, t, field) : i <= j
Without(stores, i)   == SubSeq(stores, 1, i - 1) \o SubSeq(stores, i + 1, Len(stores))

(*--algorithm DelayedPeterson
variables
  late = <<>>,       \* what has been stored and is not in memory
  wants = [s \in Sides |-> FALSE],
  turn = "a",
  inside = 0;

macro look(field, place) begin
  if field \in Volatile then
    wants := [s \in Sides |-> Stored(Due(late, place, self), s, wants[s])];
    turn := Stored(Due(late, place, self), "turn", turn);
    inside := Stored(Due(late, place, self), "inside", inside);
    late := Later(late, place, self);
  end if;
end macro;

macro store(field, place, variable, value) begin
  if field \in Volatile then variable := value; late := Marked(late, place, self);
  else late := Append(late, <<self, field, place, value, {}>>);
  end if;
end macro;

fair process thread \in Threads
variables calls = 0;
begin
T0: while calls < Len(Program[self]) do
      calls := calls + 1;
A1:   store("wants", self, wants[self], TRUE);
A2:   store("turn", "turn", turn, Other(self));
A3:   look("wants", Other(self));
      if Seen(late, self, Other(self), wants[Other(self)]) then
A4:     look("turn", "turn");
        if Seen(late, self, "turn", turn) # self then goto A3; end if;
      end if;
C1:   store("inside", "inside", inside, Seen(late, self, "inside", inside) + 1);
C2:   store("inside", "inside", inside, Seen(late, self, "inside", inside) - 1);
R1:   store("wants", self, wants[self], FALSE);
    end while;
end process;

fair process memory \in Memories
begin
W1: while Waiting(late, Program[self][1][2], Program[self][1][3]) # {} do
      with i = Oldest(late, Program[self][1][2], Program[self][1][3]) do
        if late[i][2] = "wants" then wants[late[i][3]] := late[i][4];
        elsif late[i][2] = "turn" then turn := late[i][4];
        else inside := late[i][4];
        end if;
        late := Without(late, i);
      end with;
W2:   skip;                                        \* a step has to leave its label
    end while;
    await pc[Program[self][1][2]] = "Done";
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "a7e3c5ed" /\ chksum(tla) = "661c28a3")
VARIABLES late, wants, turn, inside, pc, calls

vars == << late, wants, turn, inside, pc, calls >>

ProcSet == (Threads) \cup (Memories)

Init == (* Global variables *)
        /\ late = <<>>
        /\ wants = [s \in Sides |-> FALSE]
        /\ turn = "a"
        /\ inside = 0
        (* Process thread *)
        /\ calls = [self \in Threads |-> 0]
        /\ pc = [self \in ProcSet |-> CASE self \in Threads -> "T0"
                                        [] self \in Memories -> "W1"]

T0(self) == /\ pc[self] = "T0"
            /\ IF calls[self] < Len(Program[self])
                  THEN /\ calls' = [calls EXCEPT ![self] = calls[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "A1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ calls' = calls
            /\ UNCHANGED << late, wants, turn, inside >>

A1(self) == /\ pc[self] = "A1"
            /\ IF "wants" \in Volatile
                  THEN /\ wants' = [wants EXCEPT ![self] = TRUE]
                       /\ late' = Marked(late, self, self)
                  ELSE /\ late' = Append(late, <<self, "wants", self, TRUE, {}>>)
                       /\ wants' = wants
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << turn, inside, calls >>

A2(self) == /\ pc[self] = "A2"
            /\ IF "turn" \in Volatile
                  THEN /\ turn' = Other(self)
                       /\ late' = Marked(late, "turn", self)
                  ELSE /\ late' = Append(late, <<self, "turn", "turn", (Other(self)), {}>>)
                       /\ turn' = turn
            /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << wants, inside, calls >>

A3(self) == /\ pc[self] = "A3"
            /\ IF "wants" \in Volatile
                  THEN /\ wants' = [s \in Sides |-> Stored(Due(late, (Other(self)), self), s, wants[s])]
                       /\ turn' = Stored(Due(late, (Other(self)), self), "turn", turn)
                       /\ inside' = Stored(Due(late, (Other(self)), self), "inside", inside)
                       /\ late' = Later(late, (Other(self)), self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << late, wants, turn, inside >>
            /\ IF Seen(late', self, Other(self), wants'[Other(self)])
                  THEN /\ pc' = [pc EXCEPT ![self] = "A4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ calls' = calls

A4(self) == /\ pc[self] = "A4"
            /\ IF "turn" \in Volatile
                  THEN /\ wants' = [s \in Sides |-> Stored(Due(late, "turn", self), s, wants[s])]
                       /\ turn' = Stored(Due(late, "turn", self), "turn", turn)
                       /\ inside' = Stored(Due(late, "turn", self), "inside", inside)
                       /\ late' = Later(late, "turn", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << late, wants, turn, inside >>
            /\ IF Seen(late', self, "turn", turn') # self
                  THEN /\ pc' = [pc EXCEPT ![self] = "A3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ calls' = calls

C1(self) == /\ pc[self] = "C1"
            /\ IF "inside" \in Volatile
                  THEN /\ inside' = Seen(late, self, "inside", inside) + 1
                       /\ late' = Marked(late, "inside", self)
                  ELSE /\ late' = Append(late, <<self, "inside", "inside", (Seen(late, self, "inside", inside) + 1), {}>>)
                       /\ UNCHANGED inside
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << wants, turn, calls >>

C2(self) == /\ pc[self] = "C2"
            /\ IF "inside" \in Volatile
                  THEN /\ inside' = Seen(late, self, "inside", inside) - 1
                       /\ late' = Marked(late, "inside", self)
                  ELSE /\ late' = Append(late, <<self, "inside", "inside", (Seen(late, self, "inside", inside) - 1), {}>>)
                       /\ UNCHANGED inside
            /\ pc' = [pc EXCEPT ![self] = "R1"]
            /\ UNCHANGED << wants, turn, calls >>

R1(self) == /\ pc[self] = "R1"
            /\ IF "wants" \in Volatile
                  THEN /\ wants' = [wants EXCEPT ![self] = FALSE]
                       /\ late' = Marked(late, self, self)
                  ELSE /\ late' = Append(late, <<self, "wants", self, FALSE, {}>>)
                       /\ wants' = wants
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << turn, inside, calls >>

thread(self) == T0(self) \/ A1(self) \/ A2(self) \/ A3(self) \/ A4(self)
                   \/ C1(self) \/ C2(self) \/ R1(self)

W1(self) == /\ pc[self] = "W1"
            /\ IF Waiting(late, Program[self][1][2], Program[self][1][3]) # {}
                  THEN /\ LET i == Oldest(late, Program[self][1][2], Program[self][1][3]) IN
                            /\ IF late[i][2] = "wants"
                                  THEN /\ wants' = [wants EXCEPT ![late[i][3]] = late[i][4]]
                                       /\ UNCHANGED << turn, inside >>
                                  ELSE /\ IF late[i][2] = "turn"
                                             THEN /\ turn' = late[i][4]
                                                  /\ UNCHANGED inside
                                             ELSE /\ inside' = late[i][4]
                                                  /\ turn' = turn
                                       /\ wants' = wants
                            /\ late' = Without(late, i)
                       /\ pc' = [pc EXCEPT ![self] = "W2"]
                  ELSE /\ pc[Program[self][1][2]] = "Done"
                       /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << late, wants, turn, inside >>
            /\ calls' = calls

W2(self) == /\ pc[self] = "W2"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << late, wants, turn, inside, calls >>

memory(self) == W1(self) \/ W2(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ (\E self \in Memories: memory(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))
        /\ \A self \in Memories : WF_vars(memory(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

Inside == {t \in Threads : pc[t] = "C2"}
Exclusion == Cardinality(Inside) <= 1
CountsItself == \A t \in Inside : Seen(late, t, "inside", inside) = 1
SomeoneWaits == \E t \in Threads : pc[t] = "A4" /\ turn # t

\* Fair processes alone; Spec has them all.
Fairness(T) == \A t \in T : IF t \in Threads THEN WF_vars(thread(t)) ELSE WF_vars(memory(t))
=============================================================================

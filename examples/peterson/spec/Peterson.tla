------------------------------ MODULE Peterson ------------------------------
(* Peterson's lock: two threads exclude each other by reads and writes alone. *)
EXTENDS Naturals, Sequences

CONSTANTS
  Program,     \* thread |-> sequence of operations <<"use", thread>>
  NULL

Threads == DOMAIN Program
Sides == {"a", "b"}
Other(s) == IF s = "a" THEN "b" ELSE "a"

ASSUME Threads \subseteq Sides

(*--algorithm Peterson
variables
  wants = [s \in Sides |-> FALSE],
  turn = "a",        \* goes first if both want to
  inside = 0;        \* how many threads are in the critical section

fair process thread \in Threads
variables calls = 0;
begin
T0: while calls < Len(Program[self]) do
      calls := calls + 1;
A1:   wants[self] := TRUE;
A2:   turn := Other(self);
A3:   if wants[Other(self)] then
A4:     if turn # self then goto A3; end if;
      end if;
C1:   inside := inside + 1;
C2:   inside := inside - 1;
R1:   wants[self] := FALSE;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "6a8e6424" /\ chksum(tla) = "4b5ed0a1")
VARIABLES wants, turn, inside, pc, calls

vars == << wants, turn, inside, pc, calls >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ wants = [s \in Sides |-> FALSE]
        /\ turn = "a"
        /\ inside = 0
        (* Process thread *)
        /\ calls = [self \in Threads |-> 0]
        /\ pc = [self \in ProcSet |-> "T0"]

T0(self) == /\ pc[self] = "T0"
            /\ IF calls[self] < Len(Program[self])
                  THEN /\ calls' = [calls EXCEPT ![self] = calls[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "A1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ calls' = calls
            /\ UNCHANGED << wants, turn, inside >>

A1(self) == /\ pc[self] = "A1"
            /\ wants' = [wants EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << turn, inside, calls >>

A2(self) == /\ pc[self] = "A2"
            /\ turn' = Other(self)
            /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << wants, inside, calls >>

A3(self) == /\ pc[self] = "A3"
            /\ IF wants[Other(self)]
                  THEN /\ pc' = [pc EXCEPT ![self] = "A4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << wants, turn, inside, calls >>

A4(self) == /\ pc[self] = "A4"
            /\ IF turn # self
                  THEN /\ pc' = [pc EXCEPT ![self] = "A3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << wants, turn, inside, calls >>

C1(self) == /\ pc[self] = "C1"
            /\ inside' = inside + 1
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << wants, turn, calls >>

C2(self) == /\ pc[self] = "C2"
            /\ inside' = inside - 1
            /\ pc' = [pc EXCEPT ![self] = "R1"]
            /\ UNCHANGED << wants, turn, calls >>

R1(self) == /\ pc[self] = "R1"
            /\ wants' = [wants EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << turn, inside, calls >>

thread(self) == T0(self) \/ A1(self) \/ A2(self) \/ A3(self) \/ A4(self)
                   \/ C1(self) \/ C2(self) \/ R1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

Exclusion == inside <= 1
SomeoneWaits == \E t \in Threads : pc[t] = "A4" /\ turn # t

\* Fair threads alone; Spec has them all.
Fairness(T) == \A t \in T : WF_vars(thread(t))
=============================================================================

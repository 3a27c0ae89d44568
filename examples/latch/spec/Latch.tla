------------------------------- MODULE Latch -------------------------------
(* A latch: it opens when count_down was called as often as its count. *)
EXTENDS Naturals, Sequences

CONSTANTS
  Program,     \* thread |-> sequence of operations <<name>>
  Count,       \* how many calls open the latch
  Guard,       \* "monitor"; "none": count_down takes none; "kept": it gives none back
  NULL

Threads == DOMAIN Program

(*--algorithm Latch
variables count = Count, opened = FALSE, owner = NULL, saw = [t \in Threads |-> FALSE];

procedure countDown()
variables left = 0;
begin
C1: if Guard # "none" then
      await owner = NULL;
      owner := self;
    end if;
C2: left := count;
    if left = 0 then goto C5; end if;
C3: count := left - 1;
    if left > 1 then goto C5; end if;
C4: opened := TRUE;
C5: if Guard = "monitor" then owner := NULL; end if;
    return;
end procedure;

procedure isOpen()
begin
A1: saw[self] := opened;
    return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "count_down" then
        call countDown();
      else
        call isOpen();
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "80eaa92d" /\ chksum(tla) = "bccecf4f")
VARIABLES count, opened, owner, saw, pc, stack, left, turn

vars == << count, opened, owner, saw, pc, stack, left, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ count = Count
        /\ opened = FALSE
        /\ owner = NULL
        /\ saw = [t \in Threads |-> FALSE]
        (* Procedure countDown *)
        /\ left = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

C1(self) == /\ pc[self] = "C1"
            /\ IF Guard # "none"
                  THEN /\ owner = NULL
                       /\ owner' = self
                  ELSE /\ TRUE
                       /\ owner' = owner
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << count, opened, saw, stack, left, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ left' = [left EXCEPT ![self] = count]
            /\ IF left'[self] = 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "C5"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C3"]
            /\ UNCHANGED << count, opened, owner, saw, stack, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ count' = left[self] - 1
            /\ IF left[self] > 1
                  THEN /\ pc' = [pc EXCEPT ![self] = "C5"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << opened, owner, saw, stack, left, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ opened' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "C5"]
            /\ UNCHANGED << count, owner, saw, stack, left, turn >>

C5(self) == /\ pc[self] = "C5"
            /\ IF Guard = "monitor"
                  THEN /\ owner' = NULL
                  ELSE /\ TRUE
                       /\ owner' = owner
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ left' = [left EXCEPT ![self] = Head(stack[self]).left]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << count, opened, saw, turn >>

countDown(self) == C1(self) \/ C2(self) \/ C3(self) \/ C4(self) \/ C5(self)

A1(self) == /\ pc[self] = "A1"
            /\ saw' = [saw EXCEPT ![self] = opened]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << count, opened, owner, left, turn >>

isOpen(self) == A1(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "count_down"
                             THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "countDown",
                                                                           pc        |->  "T0",
                                                                           left      |->  left[self] ] >>
                                                                       \o stack[self]]
                                  /\ left' = [left EXCEPT ![self] = 0]
                                  /\ pc' = [pc EXCEPT ![self] = "C1"]
                             ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "isOpen",
                                                                           pc        |->  "T0" ] >>
                                                                       \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "A1"]
                                  /\ left' = left
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, left, turn >>
            /\ UNCHANGED << count, opened, owner, saw >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: countDown(self) \/ isOpen(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self)) /\ WF_vars(countDown(self)) /\ WF_vars(isOpen(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

Counts(t) == \E i \in DOMAIN Program[t] : Program[t][i][1] = "count_down"

OpenMeansNoneLeft == opened => count = 0
OpensInTheEnd ==
  (\A t \in Threads : Counts(t) => pc[t] = "Done") => opened

\* A thread has looked while the latch was closed.
LooksTooEarly == ~opened /\ \E t \in Threads : pc[t] = "Done"

\* The result of the operation that t has just ended.
Result(t) == IF Program[t][turn[t] - 1][1] = "is_open" THEN saw[t] ELSE NULL

\* Fair threads alone; Spec has them all.
Fairness(T) == \A t \in T : WF_vars(thread(t) \/ countDown(t) \/ isOpen(t))
=============================================================================

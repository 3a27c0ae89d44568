------------------------------ MODULE OneShot ------------------------------
(* An action that runs once, however many threads ask for it. *)
EXTENDS Naturals, Sequences

CONSTANTS
  Program,     \* thread |-> sequence of operations <<name>>
  NULL

CONSTANTS      \* the decisions; FALSE takes one away, its step stays
  Exclusive,   \* the lock excludes the other threads
  SecondLook,  \* done is looked at again under the lock
  FlagLast,    \* done is set after the action, not before it
  Released     \* who comes too late releases the lock, too

Threads == DOMAIN Program

(*--algorithm OneShot
variables done = FALSE, runs = 0, owner = NULL;

procedure run()
begin
O1: if done then return; end if;
O2: if Exclusive then await owner = NULL; owner := self; end if;
O3: if SecondLook /\ done then
      if Released then goto O6; else return; end if;
    end if;
O4: if FlagLast then runs := runs + 1; else done := TRUE; end if;
O5: if FlagLast then done := TRUE; else runs := runs + 1; end if;
O6: if Exclusive then owner := NULL; end if;
    return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      call run();
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "e439525c" /\ chksum(tla) = "97159152")
VARIABLES done, runs, owner, pc, stack, turn

vars == << done, runs, owner, pc, stack, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ done = FALSE
        /\ runs = 0
        /\ owner = NULL
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

O1(self) == /\ pc[self] = "O1"
            /\ IF done
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "O2"]
                       /\ stack' = stack
            /\ UNCHANGED << done, runs, owner, turn >>

O2(self) == /\ pc[self] = "O2"
            /\ IF Exclusive
                  THEN /\ owner = NULL
                       /\ owner' = self
                  ELSE /\ TRUE
                       /\ owner' = owner
            /\ pc' = [pc EXCEPT ![self] = "O3"]
            /\ UNCHANGED << done, runs, stack, turn >>

O3(self) == /\ pc[self] = "O3"
            /\ IF SecondLook /\ done
                  THEN /\ IF Released
                             THEN /\ pc' = [pc EXCEPT ![self] = "O6"]
                                  /\ stack' = stack
                             ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "O4"]
                       /\ stack' = stack
            /\ UNCHANGED << done, runs, owner, turn >>

O4(self) == /\ pc[self] = "O4"
            /\ IF FlagLast
                  THEN /\ runs' = runs + 1
                       /\ done' = done
                  ELSE /\ done' = TRUE
                       /\ runs' = runs
            /\ pc' = [pc EXCEPT ![self] = "O5"]
            /\ UNCHANGED << owner, stack, turn >>

O5(self) == /\ pc[self] = "O5"
            /\ IF FlagLast
                  THEN /\ done' = TRUE
                       /\ runs' = runs
                  ELSE /\ runs' = runs + 1
                       /\ done' = done
            /\ pc' = [pc EXCEPT ![self] = "O6"]
            /\ UNCHANGED << owner, stack, turn >>

O6(self) == /\ pc[self] = "O6"
            /\ IF Exclusive
                  THEN /\ owner' = NULL
                  ELSE /\ TRUE
                       /\ owner' = owner
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << done, runs, turn >>

run(self) == O1(self) \/ O2(self) \/ O3(self) \/ O4(self) \/ O5(self)
                \/ O6(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "run",
                                                                pc        |->  "T0" ] >>
                                                            \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "O1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, turn >>
            /\ UNCHANGED << done, runs, owner >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: run(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self)) /\ WF_vars(run(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

RunsOnce == runs <= 1
RanBeforeReturn == \A t \in Threads : pc[t] = "Done" => runs > 0

\* Fair threads alone; Spec has them all.
Fairness(T) == \A t \in T : WF_vars(thread(t) \/ run(t))
=============================================================================

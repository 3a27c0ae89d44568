------------------------------ MODULE OneShot ------------------------------
(* An action that runs once, however many threads ask for it. *)
EXTENDS Naturals, Sequences

CONSTANTS
  Program,     \* thread |-> sequence of operations <<name>>
  NULL

Threads == DOMAIN Program

(*--algorithm OneShot
variables done = FALSE, runs = 0, owner = NULL;

procedure run()
begin
O1: if done then return; end if;
O2: await owner = NULL;
    owner := self;
O3: if ~done then
O4:   runs := runs + 1;
O5:   done := TRUE;
    end if;
O6: owner := NULL;
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
\* BEGIN TRANSLATION (chksum(pcal) = "cb9bc598" /\ chksum(tla) = "bf0d4bd7")
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
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "O3"]
            /\ UNCHANGED << done, runs, stack, turn >>

O3(self) == /\ pc[self] = "O3"
            /\ IF ~done
                  THEN /\ pc' = [pc EXCEPT ![self] = "O4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "O6"]
            /\ UNCHANGED << done, runs, owner, stack, turn >>

O4(self) == /\ pc[self] = "O4"
            /\ runs' = runs + 1
            /\ pc' = [pc EXCEPT ![self] = "O5"]
            /\ UNCHANGED << done, owner, stack, turn >>

O5(self) == /\ pc[self] = "O5"
            /\ done' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "O6"]
            /\ UNCHANGED << runs, owner, stack, turn >>

O6(self) == /\ pc[self] = "O6"
            /\ owner' = NULL
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

\* A witness: a thread enters the lock when the action has run.
ComesTooLate == \E t \in Threads : pc[t] = "O3" /\ done

\* Fair threads alone; Spec has them all.
Fairness(T) == \A t \in T : WF_vars(thread(t) \/ run(t))
=============================================================================

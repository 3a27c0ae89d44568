------------------------------- MODULE Relay -------------------------------
(* Runners pass a baton: a small PlusCal spec with a function over strings, *)
(* a procedure, a loop that stays on its label, and the Terminating loop.   *)
EXTENDS Integers, Sequences, TLC

CONSTANTS Runners,    \* set of strings
          Laps        \* laps per runner, >= 1

(* --algorithm Relay
variables baton = "free", done = [r \in Runners |-> 0];

procedure run(lap = 0)
begin
R1: await baton = "free";
    baton := self;
R2: done[self] := lap;
    baton := "free";
    return;
end procedure;

fair process runner \in Runners
variables k = 1;
begin
P1: while k <= Laps do
      k := k + 1;
      call run(k - 1);
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "17b83360" /\ chksum(tla) = "ef39674f")
VARIABLES baton, done, pc, stack, lap, k

vars == << baton, done, pc, stack, lap, k >>

ProcSet == (Runners)

Init == (* Global variables *)
        /\ baton = "free"
        /\ done = [r \in Runners |-> 0]
        (* Procedure run *)
        /\ lap = [ self \in ProcSet |-> 0]
        (* Process runner *)
        /\ k = [self \in Runners |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "P1"]

R1(self) == /\ pc[self] = "R1"
            /\ baton = "free"
            /\ baton' = self
            /\ pc' = [pc EXCEPT ![self] = "R2"]
            /\ UNCHANGED << done, stack, lap, k >>

R2(self) == /\ pc[self] = "R2"
            /\ done' = [done EXCEPT ![self] = lap[self]]
            /\ baton' = "free"
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ lap' = [lap EXCEPT ![self] = Head(stack[self]).lap]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ k' = k

run(self) == R1(self) \/ R2(self)

P1(self) == /\ pc[self] = "P1"
            /\ IF k[self] <= Laps
                  THEN /\ k' = [k EXCEPT ![self] = k[self] + 1]
                       /\ /\ lap' = [lap EXCEPT ![self] = k'[self] - 1]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "run",
                                                                   pc        |->  "P1",
                                                                   lap       |->  lap[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, lap, k >>
            /\ UNCHANGED << baton, done >>

runner(self) == P1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: run(self))
           \/ (\E self \in Runners: runner(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Runners : WF_vars(runner(self)) /\ WF_vars(run(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION

OneBaton == baton \in Runners \cup {"free"}
Everybody == <>(\A r \in Runners : done[r] = Laps)
=============================================================================

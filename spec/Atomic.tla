------------------------------- MODULE Atomic -------------------------------
(***************************************************************************)
(* An atomic variable on Python's lock.  A read takes no lock; every other  *)
(* operation does, a plain store too, or it would be lost between the read  *)
(* and the write of an addition.                                            *)
(*                                                                          *)
(* Values are numbers, or names of objects.  Kind says which objects are    *)
(* equal, as Python's == has it: compare_and_set does not go by that.       *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
  Program,  \* thread |-> sequence of operations <<name, argument, ...>>
  Initial,
  Kind,     \* object |-> what it is equal to; no number is in it
  NULL

Threads == DOMAIN Program
Values  == IF DOMAIN Kind = {} THEN Int ELSE DOMAIN Kind

(*--algorithm Atomic
variables
  held = Initial,
  lock = NULL,
  got = [t \in Threads |-> << >>],    \* what the operations of a thread have returned
  ought = Initial,                    \* history: as if each operation were one step
  exact = TRUE;                       \* history: each operation has returned accordingly

macro take() begin
  await lock = NULL;
  lock := self;
end macro;

macro give() begin
  lock := NULL;
end macro;

procedure get()
begin
G1: got[self] := Append(got[self], held);
    return;
end procedure;

procedure set(set_value = Initial)
begin
S1: take();
S2: held := set_value;
    ought := set_value;
S3: give();
    return;
end procedure;

procedure swap(swap_value = Initial)
variables seen = Initial;
begin
E1: take();
E2: seen := held;
E3: held := swap_value;
    exact := exact /\ seen = ought;
    ought := swap_value;
E4: give();
    got[self] := Append(got[self], seen);
    return;
end procedure;

procedure cas(expected = Initial, cas_value = Initial)
variables done = FALSE;
begin
C1: take();
C2: done := (held = expected);
    if ~done then
      exact := exact /\ ought # expected;
    else
C3:   held := cas_value;
      exact := exact /\ ought = expected;
      ought := IF ought = expected THEN cas_value ELSE ought;
    end if;
C4: give();
    got[self] := Append(got[self], done);
    return;
end procedure;

procedure add(delta = 0)
variables total = 0;
begin
A1: take();
A2: total := held + delta;
A3: held := total;
    ought := ought + delta;
    exact := exact /\ total = ought;
A4: give();
    got[self] := Append(got[self], total);
    return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "get" then call get();
      elsif Program[self][turn - 1][1] = "set" then call set(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "swap" then call swap(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "cas" then
        call cas(Program[self][turn - 1][2], Program[self][turn - 1][3]);
      else call add(Program[self][turn - 1][2]);
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "764d6cdd" /\ chksum(tla) = "cda629fe")
VARIABLES held, lock, got, ought, exact, pc, stack, set_value, swap_value, 
          seen, expected, cas_value, done, delta, total, turn

vars == << held, lock, got, ought, exact, pc, stack, set_value, swap_value, 
           seen, expected, cas_value, done, delta, total, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ held = Initial
        /\ lock = NULL
        /\ got = [t \in Threads |-> << >>]
        /\ ought = Initial
        /\ exact = TRUE
        (* Procedure set *)
        /\ set_value = [ self \in ProcSet |-> Initial]
        (* Procedure swap *)
        /\ swap_value = [ self \in ProcSet |-> Initial]
        /\ seen = [ self \in ProcSet |-> Initial]
        (* Procedure cas *)
        /\ expected = [ self \in ProcSet |-> Initial]
        /\ cas_value = [ self \in ProcSet |-> Initial]
        /\ done = [ self \in ProcSet |-> FALSE]
        (* Procedure add *)
        /\ delta = [ self \in ProcSet |-> 0]
        /\ total = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

G1(self) == /\ pc[self] = "G1"
            /\ got' = [got EXCEPT ![self] = Append(got[self], held)]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << held, lock, ought, exact, set_value, swap_value, 
                            seen, expected, cas_value, done, delta, total, 
                            turn >>

get(self) == G1(self)

S1(self) == /\ pc[self] = "S1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "S2"]
            /\ UNCHANGED << held, got, ought, exact, stack, set_value, 
                            swap_value, seen, expected, cas_value, done, delta, 
                            total, turn >>

S2(self) == /\ pc[self] = "S2"
            /\ held' = set_value[self]
            /\ ought' = set_value[self]
            /\ pc' = [pc EXCEPT ![self] = "S3"]
            /\ UNCHANGED << lock, got, exact, stack, set_value, swap_value, 
                            seen, expected, cas_value, done, delta, total, 
                            turn >>

S3(self) == /\ pc[self] = "S3"
            /\ lock' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ set_value' = [set_value EXCEPT ![self] = Head(stack[self]).set_value]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << held, got, ought, exact, swap_value, seen, 
                            expected, cas_value, done, delta, total, turn >>

set(self) == S1(self) \/ S2(self) \/ S3(self)

E1(self) == /\ pc[self] = "E1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << held, got, ought, exact, stack, set_value, 
                            swap_value, seen, expected, cas_value, done, delta, 
                            total, turn >>

E2(self) == /\ pc[self] = "E2"
            /\ seen' = [seen EXCEPT ![self] = held]
            /\ pc' = [pc EXCEPT ![self] = "E3"]
            /\ UNCHANGED << held, lock, got, ought, exact, stack, set_value, 
                            swap_value, expected, cas_value, done, delta, 
                            total, turn >>

E3(self) == /\ pc[self] = "E3"
            /\ held' = swap_value[self]
            /\ exact' = (exact /\ seen[self] = ought)
            /\ ought' = swap_value[self]
            /\ pc' = [pc EXCEPT ![self] = "E4"]
            /\ UNCHANGED << lock, got, stack, set_value, swap_value, seen, 
                            expected, cas_value, done, delta, total, turn >>

E4(self) == /\ pc[self] = "E4"
            /\ lock' = NULL
            /\ got' = [got EXCEPT ![self] = Append(got[self], seen[self])]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
            /\ swap_value' = [swap_value EXCEPT ![self] = Head(stack[self]).swap_value]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << held, ought, exact, set_value, expected, cas_value, 
                            done, delta, total, turn >>

swap(self) == E1(self) \/ E2(self) \/ E3(self) \/ E4(self)

C1(self) == /\ pc[self] = "C1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << held, got, ought, exact, stack, set_value, 
                            swap_value, seen, expected, cas_value, done, delta, 
                            total, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ done' = [done EXCEPT ![self] = (held = expected[self])]
            /\ IF ~done'[self]
                  THEN /\ exact' = (exact /\ ought # expected[self])
                       /\ pc' = [pc EXCEPT ![self] = "C4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C3"]
                       /\ exact' = exact
            /\ UNCHANGED << held, lock, got, ought, stack, set_value, 
                            swap_value, seen, expected, cas_value, delta, 
                            total, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ held' = cas_value[self]
            /\ exact' = (exact /\ ought = expected[self])
            /\ ought' = (IF ought = expected[self] THEN cas_value[self] ELSE ought)
            /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << lock, got, stack, set_value, swap_value, seen, 
                            expected, cas_value, done, delta, total, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ lock' = NULL
            /\ got' = [got EXCEPT ![self] = Append(got[self], done[self])]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ done' = [done EXCEPT ![self] = Head(stack[self]).done]
            /\ expected' = [expected EXCEPT ![self] = Head(stack[self]).expected]
            /\ cas_value' = [cas_value EXCEPT ![self] = Head(stack[self]).cas_value]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << held, ought, exact, set_value, swap_value, seen, 
                            delta, total, turn >>

cas(self) == C1(self) \/ C2(self) \/ C3(self) \/ C4(self)

A1(self) == /\ pc[self] = "A1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << held, got, ought, exact, stack, set_value, 
                            swap_value, seen, expected, cas_value, done, delta, 
                            total, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ total' = [total EXCEPT ![self] = held + delta[self]]
            /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << held, lock, got, ought, exact, stack, set_value, 
                            swap_value, seen, expected, cas_value, done, delta, 
                            turn >>

A3(self) == /\ pc[self] = "A3"
            /\ held' = total[self]
            /\ ought' = ought + delta[self]
            /\ exact' = (exact /\ total[self] = ought')
            /\ pc' = [pc EXCEPT ![self] = "A4"]
            /\ UNCHANGED << lock, got, stack, set_value, swap_value, seen, 
                            expected, cas_value, done, delta, total, turn >>

A4(self) == /\ pc[self] = "A4"
            /\ lock' = NULL
            /\ got' = [got EXCEPT ![self] = Append(got[self], total[self])]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ total' = [total EXCEPT ![self] = Head(stack[self]).total]
            /\ delta' = [delta EXCEPT ![self] = Head(stack[self]).delta]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << held, ought, exact, set_value, swap_value, seen, 
                            expected, cas_value, done, turn >>

add(self) == A1(self) \/ A2(self) \/ A3(self) \/ A4(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "get"
                             THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "get",
                                                                           pc        |->  "T0" ] >>
                                                                       \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "G1"]
                                  /\ UNCHANGED << set_value, swap_value, seen, 
                                                  expected, cas_value, done, 
                                                  delta, total >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "set"
                                        THEN /\ /\ set_value' = [set_value EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "set",
                                                                                         pc        |->  "T0",
                                                                                         set_value |->  set_value[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "S1"]
                                             /\ UNCHANGED << swap_value, seen, 
                                                             expected, 
                                                             cas_value, done, 
                                                             delta, total >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "swap"
                                                   THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "swap",
                                                                                                    pc        |->  "T0",
                                                                                                    seen      |->  seen[self],
                                                                                                    swap_value |->  swap_value[self] ] >>
                                                                                                \o stack[self]]
                                                           /\ swap_value' = [swap_value EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                        /\ seen' = [seen EXCEPT ![self] = Initial]
                                                        /\ pc' = [pc EXCEPT ![self] = "E1"]
                                                        /\ UNCHANGED << expected, 
                                                                        cas_value, 
                                                                        done, 
                                                                        delta, 
                                                                        total >>
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "cas"
                                                              THEN /\ /\ cas_value' = [cas_value EXCEPT ![self] = Program[self][turn'[self] - 1][3]]
                                                                      /\ expected' = [expected EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cas",
                                                                                                               pc        |->  "T0",
                                                                                                               done      |->  done[self],
                                                                                                               expected  |->  expected[self],
                                                                                                               cas_value |->  cas_value[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ done' = [done EXCEPT ![self] = FALSE]
                                                                   /\ pc' = [pc EXCEPT ![self] = "C1"]
                                                                   /\ UNCHANGED << delta, 
                                                                                   total >>
                                                              ELSE /\ /\ delta' = [delta EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                                                                               pc        |->  "T0",
                                                                                                               total     |->  total[self],
                                                                                                               delta     |->  delta[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ total' = [total EXCEPT ![self] = 0]
                                                                   /\ pc' = [pc EXCEPT ![self] = "A1"]
                                                                   /\ UNCHANGED << expected, 
                                                                                   cas_value, 
                                                                                   done >>
                                                        /\ UNCHANGED << swap_value, 
                                                                        seen >>
                                             /\ UNCHANGED set_value
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, set_value, swap_value, seen, 
                                       expected, cas_value, done, delta, total, 
                                       turn >>
            /\ UNCHANGED << held, lock, got, ought, exact >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ get(self) \/ set(self) \/ swap(self)
                               \/ cas(self) \/ add(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(get(self))
                                 /\ WF_vars(set(self))
                                 /\ WF_vars(swap(self))
                                 /\ WF_vars(cas(self))
                                 /\ WF_vars(add(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

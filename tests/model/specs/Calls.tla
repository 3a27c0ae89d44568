------------------------------- MODULE Calls -------------------------------
(* Every way in which PlusCal goes into a procedure and comes out of it.    *)
EXTENDS Integers, Sequences, TLC

NULL == "null"

(* --algorithm Calls
variables total = 0, gate = [g \in {"g", "h"} |-> [owner |-> NULL, depth |-> 0]];

procedure leaf(z = NULL)
begin
L1: total := total + z;
    return;
end procedure;

procedure tail(y = NULL)
variables kept = 7;
begin
Y1: kept := y;
Y2: call leaf(y + 1);       \* in the place of its caller's frame: kept comes back, y does not
    return;
end procedure;

procedure middle(x = NULL)
variables n = 5;
begin
M1: n := x;
    call leaf(x);
M2: call tail(n);
M3: n := 9;
M4: call tail(n);
    return;
end procedure;

procedure down(m = NULL)
variables v = 3;
begin
D1: v := v + m;
D2: if m > 0 then
      call down(m - 1);     \* of itself: the frame stays
      return;
    end if;
D3: return;
end procedure;

procedure spare(w = 8)        \* not NULL before the first call
begin
S1: total := total + w;
S2: if w > 2 then
      call spare(w - 1);
S4:   total := total + w;
    end if;
S3: return;
end procedure;

fair process worker \in {"a", "b"}
begin
P1: await gate["h"].owner \in {NULL, self};
    gate["h"] := [owner |-> self, depth |-> gate["h"].depth + 1];
P2: call middle(1);
P3: gate["h"] := IF gate["h"].depth = 1 THEN [owner |-> NULL, depth |-> 0]
                 ELSE [owner |-> self, depth |-> gate["h"].depth - 1];
P4: call tail(2);
P5: call leaf(0);
Q1: call spare(3);
P6: call down(2);
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "c7d0b28" /\ chksum(tla) = "5d06cd70")
VARIABLES total, gate, pc, stack, z, y, kept, x, n, m, v, w

vars == << total, gate, pc, stack, z, y, kept, x, n, m, v, w >>

ProcSet == ({"a", "b"})

Init == (* Global variables *)
        /\ total = 0
        /\ gate = [g \in {"g", "h"} |-> [owner |-> NULL, depth |-> 0]]
        (* Procedure leaf *)
        /\ z = [ self \in ProcSet |-> NULL]
        (* Procedure tail *)
        /\ y = [ self \in ProcSet |-> NULL]
        /\ kept = [ self \in ProcSet |-> 7]
        (* Procedure middle *)
        /\ x = [ self \in ProcSet |-> NULL]
        /\ n = [ self \in ProcSet |-> 5]
        (* Procedure down *)
        /\ m = [ self \in ProcSet |-> NULL]
        /\ v = [ self \in ProcSet |-> 3]
        (* Procedure spare *)
        /\ w = [ self \in ProcSet |-> 8]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "P1"]

L1(self) == /\ pc[self] = "L1"
            /\ total' = total + z[self]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ z' = [z EXCEPT ![self] = Head(stack[self]).z]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, y, kept, x, n, m, v, w >>

leaf(self) == L1(self)

Y1(self) == /\ pc[self] = "Y1"
            /\ kept' = [kept EXCEPT ![self] = y[self]]
            /\ pc' = [pc EXCEPT ![self] = "Y2"]
            /\ UNCHANGED << total, gate, stack, z, y, x, n, m, v, w >>

Y2(self) == /\ pc[self] = "Y2"
            /\ /\ kept' = [kept EXCEPT ![self] = Head(stack[self]).kept]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "leaf",
                                                        pc        |->  Head(stack[self]).pc,
                                                        z         |->  z[self] ] >>
                                                    \o Tail(stack[self])]
               /\ z' = [z EXCEPT ![self] = y[self] + 1]
            /\ pc' = [pc EXCEPT ![self] = "L1"]
            /\ UNCHANGED << total, gate, y, x, n, m, v, w >>

tail(self) == Y1(self) \/ Y2(self)

M1(self) == /\ pc[self] = "M1"
            /\ n' = [n EXCEPT ![self] = x[self]]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "leaf",
                                                        pc        |->  "M2",
                                                        z         |->  z[self] ] >>
                                                    \o stack[self]]
               /\ z' = [z EXCEPT ![self] = x[self]]
            /\ pc' = [pc EXCEPT ![self] = "L1"]
            /\ UNCHANGED << total, gate, y, kept, x, m, v, w >>

M2(self) == /\ pc[self] = "M2"
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tail",
                                                        pc        |->  "M3",
                                                        kept      |->  kept[self],
                                                        y         |->  y[self] ] >>
                                                    \o stack[self]]
               /\ y' = [y EXCEPT ![self] = n[self]]
            /\ kept' = [kept EXCEPT ![self] = 7]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << total, gate, z, x, n, m, v, w >>

M3(self) == /\ pc[self] = "M3"
            /\ n' = [n EXCEPT ![self] = 9]
            /\ pc' = [pc EXCEPT ![self] = "M4"]
            /\ UNCHANGED << total, gate, stack, z, y, kept, x, m, v, w >>

M4(self) == /\ pc[self] = "M4"
            /\ /\ n' = [n EXCEPT ![self] = Head(stack[self]).n]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tail",
                                                        pc        |->  Head(stack[self]).pc,
                                                        kept      |->  kept[self],
                                                        y         |->  y[self] ] >>
                                                    \o Tail(stack[self])]
               /\ y' = [y EXCEPT ![self] = n[self]]
            /\ kept' = [kept EXCEPT ![self] = 7]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << total, gate, z, x, m, v, w >>

middle(self) == M1(self) \/ M2(self) \/ M3(self) \/ M4(self)

D1(self) == /\ pc[self] = "D1"
            /\ v' = [v EXCEPT ![self] = v[self] + m[self]]
            /\ pc' = [pc EXCEPT ![self] = "D2"]
            /\ UNCHANGED << total, gate, stack, z, y, kept, x, n, m, w >>

D2(self) == /\ pc[self] = "D2"
            /\ IF m[self] > 0
                  THEN /\ m' = [m EXCEPT ![self] = m[self] - 1]
                       /\ v' = [v EXCEPT ![self] = 3]
                       /\ pc' = [pc EXCEPT ![self] = "D1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D3"]
                       /\ UNCHANGED << m, v >>
            /\ UNCHANGED << total, gate, stack, z, y, kept, x, n, w >>

D3(self) == /\ pc[self] = "D3"
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ v' = [v EXCEPT ![self] = Head(stack[self]).v]
            /\ m' = [m EXCEPT ![self] = Head(stack[self]).m]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << total, gate, z, y, kept, x, n, w >>

down(self) == D1(self) \/ D2(self) \/ D3(self)

S1(self) == /\ pc[self] = "S1"
            /\ total' = total + w[self]
            /\ pc' = [pc EXCEPT ![self] = "S2"]
            /\ UNCHANGED << gate, stack, z, y, kept, x, n, m, v, w >>

S2(self) == /\ pc[self] = "S2"
            /\ IF w[self] > 2
                  THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "spare",
                                                                   pc        |->  "S4",
                                                                   w         |->  w[self] ] >>
                                                               \o stack[self]]
                          /\ w' = [w EXCEPT ![self] = w[self] - 1]
                       /\ pc' = [pc EXCEPT ![self] = "S1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "S3"]
                       /\ UNCHANGED << stack, w >>
            /\ UNCHANGED << total, gate, z, y, kept, x, n, m, v >>

S4(self) == /\ pc[self] = "S4"
            /\ total' = total + w[self]
            /\ pc' = [pc EXCEPT ![self] = "S3"]
            /\ UNCHANGED << gate, stack, z, y, kept, x, n, m, v, w >>

S3(self) == /\ pc[self] = "S3"
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ w' = [w EXCEPT ![self] = Head(stack[self]).w]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << total, gate, z, y, kept, x, n, m, v >>

spare(self) == S1(self) \/ S2(self) \/ S4(self) \/ S3(self)

P1(self) == /\ pc[self] = "P1"
            /\ gate["h"].owner \in {NULL, self}
            /\ gate' = [gate EXCEPT !["h"] = [owner |-> self, depth |-> gate["h"].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "P2"]
            /\ UNCHANGED << total, stack, z, y, kept, x, n, m, v, w >>

P2(self) == /\ pc[self] = "P2"
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "middle",
                                                        pc        |->  "P3",
                                                        n         |->  n[self],
                                                        x         |->  x[self] ] >>
                                                    \o stack[self]]
               /\ x' = [x EXCEPT ![self] = 1]
            /\ n' = [n EXCEPT ![self] = 5]
            /\ pc' = [pc EXCEPT ![self] = "M1"]
            /\ UNCHANGED << total, gate, z, y, kept, m, v, w >>

P3(self) == /\ pc[self] = "P3"
            /\ gate' = [gate EXCEPT !["h"] = IF gate["h"].depth = 1 THEN [owner |-> NULL, depth |-> 0]
                                             ELSE [owner |-> self, depth |-> gate["h"].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = "P4"]
            /\ UNCHANGED << total, stack, z, y, kept, x, n, m, v, w >>

P4(self) == /\ pc[self] = "P4"
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tail",
                                                        pc        |->  "P5",
                                                        kept      |->  kept[self],
                                                        y         |->  y[self] ] >>
                                                    \o stack[self]]
               /\ y' = [y EXCEPT ![self] = 2]
            /\ kept' = [kept EXCEPT ![self] = 7]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << total, gate, z, x, n, m, v, w >>

P5(self) == /\ pc[self] = "P5"
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "leaf",
                                                        pc        |->  "Q1",
                                                        z         |->  z[self] ] >>
                                                    \o stack[self]]
               /\ z' = [z EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "L1"]
            /\ UNCHANGED << total, gate, y, kept, x, n, m, v, w >>

Q1(self) == /\ pc[self] = "Q1"
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "spare",
                                                        pc        |->  "P6",
                                                        w         |->  w[self] ] >>
                                                    \o stack[self]]
               /\ w' = [w EXCEPT ![self] = 3]
            /\ pc' = [pc EXCEPT ![self] = "S1"]
            /\ UNCHANGED << total, gate, z, y, kept, x, n, m, v >>

P6(self) == /\ pc[self] = "P6"
            /\ /\ m' = [m EXCEPT ![self] = 2]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "down",
                                                        pc        |->  "Done",
                                                        v         |->  v[self],
                                                        m         |->  m[self] ] >>
                                                    \o stack[self]]
            /\ v' = [v EXCEPT ![self] = 3]
            /\ pc' = [pc EXCEPT ![self] = "D1"]
            /\ UNCHANGED << total, gate, z, y, kept, x, n, w >>

worker(self) == P1(self) \/ P2(self) \/ P3(self) \/ P4(self) \/ P5(self)
                   \/ Q1(self) \/ P6(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ leaf(self) \/ tail(self) \/ middle(self)
                               \/ down(self) \/ spare(self))
           \/ (\E self \in {"a", "b"}: worker(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in {"a", "b"} : /\ WF_vars(worker(self))
                                    /\ WF_vars(middle(self))
                                    /\ WF_vars(tail(self))
                                    /\ WF_vars(leaf(self))
                                    /\ WF_vars(spare(self))
                                    /\ WF_vars(down(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
=============================================================================

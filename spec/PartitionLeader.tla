--------------------------- MODULE PartitionLeader ---------------------------
(***************************************************************************)
(* Who leads a partition, in Kafka with ZooKeeper.                          *)
(*                                                                          *)
(* A partition is assigned to replicas, in an order.  Those that have every *)
(* committed record are its in-sync replicas, the ISR.  The controller      *)
(* elects a leader in four cases: the leader is dead (offline), the         *)
(* partition moves (reassign), the first replica of the assignment should   *)
(* lead again (preferred), or the leader shuts down (shutdown).  The order  *)
(* of the assignment decides, and that of the ISR never does.               *)
(*                                                                          *)
(* Leader and ISR are one node of ZooKeeper.  The leader shrinks and        *)
(* expands the ISR there, beside the controller, so each write demands the  *)
(* version that its writer has read.  The controller reads again and elects *)
(* again where its write is refused; a leader gives up and tries later.     *)
(*                                                                          *)
(* survey goes through all inputs of an election, one in each step.         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Assignment,       \* the replicas, in their order: sequence of broker ids
  Target,           \* where the partition moves to: sequence of broker ids, or << >>
  Unclean,          \* whether a replica that is not in sync may be elected
  Leader, Isr,      \* in the beginning
  Live,             \* the brokers that are up in the beginning
  Program,          \* thread |-> sequence of operations <<name>> or <<name, argument>>
  NULL

Threads == DOMAIN Program
NoLeader == -1
Kinds == {"offline", "reassign", "preferred", "shutdown"}
Range(s) == {s[i] : i \in DOMAIN s}
Replicas == Range(Assignment) \cup Range(Target)

ASSUME Leader \in Range(Isr) /\ Range(Isr) \subseteq Replicas

-----------------------------------------------------------------------------
(* The elections.  Each gives the leader, the new ISR, and whether it is unclean. *)

RECURSIVE Keep(_, _)
Keep(s, S) == IF s = << >> THEN << >>
              ELSE (IF Head(s) \in S THEN <<Head(s)>> ELSE << >>) \o Keep(Tail(s), S)

First(s, S) == IF Keep(s, S) = << >> THEN NoLeader ELSE Head(Keep(s, S))

None == [leader |-> NoLeader, isr |-> << >>, unclean |-> FALSE]
Elected(r, isr) == IF r = NoLeader THEN None ELSE [leader |-> r, isr |-> isr, unclean |-> FALSE]

Offline(isr, up) ==
  LET clean == First(Assignment, Range(isr) \cap up)
      other == First(Assignment, up)
  IN  IF clean # NoLeader THEN Elected(clean, Keep(isr, up))
      ELSE IF Unclean /\ other # NoLeader
           THEN [leader |-> other, isr |-> <<other>>, unclean |-> TRUE]
      ELSE None

Reassigned(isr, up) == Elected(First(Target, Range(isr) \cap up), isr)

Preferred(isr, up) == Elected(First(<<Head(Assignment)>>, Range(isr) \cap up), isr)

ShutDown(isr, up, down) ==
  Elected(First(Assignment, (Range(isr) \cap up) \ down), Keep(isr, Range(isr) \ down))

Elect(k, isr, up, down) ==
  CASE k = "offline"   -> Offline(isr, up \ down)
    [] k = "reassign"  -> Reassigned(isr, up \ down)
    [] k = "preferred" -> Preferred(isr, up \ down)
    [] k = "shutdown"  -> ShutDown(isr, up, down)

-----------------------------------------------------------------------------
(* All inputs of an election, by number.  Its bits say who is in the ISR, who is live,   *)
(* whether the ISR stands in the assignment's order, and for a shutdown who shuts down.  *)

N == Len(Assignment)
Inputs(k) == 2 ^ (IF k = "shutdown" THEN 3 * N + 1 ELSE 2 * N + 1)
Bits(n, from) == {Assignment[i] : i \in {j \in 1..N : (n \div 2 ^ (from + j - 1)) % 2 = 1}}
Reversed(s) == [i \in DOMAIN s |-> s[Len(s) + 1 - i]]
IsrOf(n) == LET s == Keep(Assignment, Bits(n, 0))
            IN  IF (n \div 2 ^ (2 * N)) % 2 = 1 THEN Reversed(s) ELSE s
Surveyed(k, n) == [kind |-> k, isr |-> IsrOf(n), live |-> Bits(n, N), down |-> Bits(n, 2 * N + 1),
                   elected |-> Elect(k, IsrOf(n), Bits(n, N), Bits(n, 2 * N + 1))]

NoNode == [leader |-> NoLeader, isr |-> << >>, epoch |-> 0, recovering |-> FALSE, version |-> 0]

(*--algorithm PartitionLeader
variables
  node = [NoNode EXCEPT !.leader = Leader, !.isr = Isr],
  live = Live,
  stopping = {},
  answer = [kind |-> NULL, isr |-> << >>, live |-> {}, down |-> {}, elected |-> None],
  \* History: what the operations return and the properties speak of; no step reads it.
  led = [t \in Threads |-> NoLeader],  \* a thread's last election has elected
  accepted = [t \in Threads |-> FALSE],   \* ZooKeeper has accepted the last update of an ISR
  complete = Range(Isr),               \* the replicas that have every committed record
  elections = 0,                       \* written
  overwritten = FALSE,                 \* a write replaced what its writer had not read
  lost = FALSE,                        \* a leader was elected that lacks a committed record
  dead = FALSE;                        \* a leader was elected that was not live

\* One conditional write of ZooKeeper: node is what read has shown.
macro put(read, new) begin
  overwritten := overwritten \/ node.version # read.version;
  node := new;
end macro;

procedure elect(kind = NULL)
variables up = {}, down = {}, seen = NoNode, elected = None;
begin
E1: up := live;
    down := stopping;
E2: if Elect(kind, node.isr, up, down) = None then
      led[self] := NoLeader;
      return;
    else
      seen := node;
      elected := Elect(kind, node.isr, up, down);
    end if;
E3: if node.version = seen.version then
      put(seen, [leader |-> elected.leader, isr |-> elected.isr, epoch |-> seen.epoch + 1,
                 recovering |-> seen.recovering \/ elected.unclean, version |-> node.version + 1]);
      elections := elections + 1;
      lost := lost \/ elected.leader \notin complete;
      complete := IF elected.unclean THEN {elected.leader} ELSE complete \cap Range(elected.isr);
      dead := dead \/ elected.leader \notin live;
      led[self] := elected.leader;
      return;
    else
      goto E2;
    end if;
end procedure;

\* The leader takes a replica out of the ISR.
procedure shrink(gone = NoLeader)
variables kept = NoNode;
begin
K1: if gone = node.leader \/ gone \notin Range(node.isr) then
      accepted[self] := FALSE;
      return;
    else
      kept := node;
    end if;
K2: accepted[self] := node.version = kept.version;
    if accepted[self] then
      put(kept, [kept EXCEPT !.isr = Keep(kept.isr, Range(kept.isr) \ {gone}),
                             !.version = node.version + 1]);
      complete := complete \ {gone};
    end if;
    return;
end procedure;

\* A replica has caught up, and the leader takes it into the ISR.
procedure expand(comer = NoLeader)
variables met = NoNode;
begin
X1: if comer \in Range(node.isr) \/ node.recovering then
      accepted[self] := FALSE;
      return;
    else
      met := node;
    end if;
X2: accepted[self] := node.version = met.version;
    if accepted[self] then
      put(met, [met EXCEPT !.isr = Append(met.isr, comer), !.version = node.version + 1]);
      complete := complete \cup {comer};
    end if;
    return;
end procedure;

\* A leader of an unclean election has recovered.
procedure recover()
variables was = NoNode;
begin
V1: if ~node.recovering then
      accepted[self] := FALSE;
      return;
    else
      was := node;
    end if;
V2: accepted[self] := node.version = was.version;
    if accepted[self] then
      put(was, [was EXCEPT !.recovering = FALSE, !.version = node.version + 1]);
    end if;
    return;
end procedure;

procedure fail(failing = NoLeader)
begin
N1: live := live \ {failing};
    return;
end procedure;

procedure start(starting = NoLeader)
begin
N2: live := live \cup {starting};
    stopping := stopping \ {starting};
    return;
end procedure;

procedure stop(closing = NoLeader)
begin
N3: stopping := stopping \cup {closing};
    return;
end procedure;

procedure survey(of = NULL)
variables number = 0;
begin
S1: answer := Surveyed(of, number);
    if number + 1 = Inputs(of) then
      return;
    else
      number := number + 1;
      goto S1;
    end if;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "elect" then call elect(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "shrink" then call shrink(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "expand" then call expand(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "recover" then call recover();
      elsif Program[self][turn - 1][1] = "fail" then call fail(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "start" then call start(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "stop" then call stop(Program[self][turn - 1][2]);
      else call survey(Program[self][turn - 1][2]);
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES node, live, stopping, answer, led, accepted, complete, elections, 
          overwritten, lost, dead, pc, stack, kind, up, down, seen, elected, 
          gone, kept, comer, met, was, failing, starting, closing, of, number, 
          turn

vars == << node, live, stopping, answer, led, accepted, complete, elections, 
           overwritten, lost, dead, pc, stack, kind, up, down, seen, elected, 
           gone, kept, comer, met, was, failing, starting, closing, of, 
           number, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ node = [NoNode EXCEPT !.leader = Leader, !.isr = Isr]
        /\ live = Live
        /\ stopping = {}
        /\ answer = [kind |-> NULL, isr |-> << >>, live |-> {}, down |-> {}, elected |-> None]
        /\ led = [t \in Threads |-> NoLeader]
        /\ accepted = [t \in Threads |-> FALSE]
        /\ complete = Range(Isr)
        /\ elections = 0
        /\ overwritten = FALSE
        /\ lost = FALSE
        /\ dead = FALSE
        (* Procedure elect *)
        /\ kind = [ self \in ProcSet |-> NULL]
        /\ up = [ self \in ProcSet |-> {}]
        /\ down = [ self \in ProcSet |-> {}]
        /\ seen = [ self \in ProcSet |-> NoNode]
        /\ elected = [ self \in ProcSet |-> None]
        (* Procedure shrink *)
        /\ gone = [ self \in ProcSet |-> NoLeader]
        /\ kept = [ self \in ProcSet |-> NoNode]
        (* Procedure expand *)
        /\ comer = [ self \in ProcSet |-> NoLeader]
        /\ met = [ self \in ProcSet |-> NoNode]
        (* Procedure recover *)
        /\ was = [ self \in ProcSet |-> NoNode]
        (* Procedure fail *)
        /\ failing = [ self \in ProcSet |-> NoLeader]
        (* Procedure start *)
        /\ starting = [ self \in ProcSet |-> NoLeader]
        (* Procedure stop *)
        /\ closing = [ self \in ProcSet |-> NoLeader]
        (* Procedure survey *)
        /\ of = [ self \in ProcSet |-> NULL]
        /\ number = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

E1(self) == /\ pc[self] = "E1"
            /\ up' = [up EXCEPT ![self] = live]
            /\ down' = [down EXCEPT ![self] = stopping]
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << node, live, stopping, answer, led, accepted, 
                            complete, elections, overwritten, lost, dead, 
                            stack, kind, seen, elected, gone, kept, comer, met, 
                            was, failing, starting, closing, of, number, turn >>

E2(self) == /\ pc[self] = "E2"
            /\ IF Elect(kind[self], node.isr, up[self], down[self]) = None
                  THEN /\ led' = [led EXCEPT ![self] = NoLeader]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ up' = [up EXCEPT ![self] = Head(stack[self]).up]
                       /\ down' = [down EXCEPT ![self] = Head(stack[self]).down]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ elected' = [elected EXCEPT ![self] = Head(stack[self]).elected]
                       /\ kind' = [kind EXCEPT ![self] = Head(stack[self]).kind]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ seen' = [seen EXCEPT ![self] = node]
                       /\ elected' = [elected EXCEPT ![self] = Elect(kind[self], node.isr, up[self], down[self])]
                       /\ pc' = [pc EXCEPT ![self] = "E3"]
                       /\ UNCHANGED << led, stack, kind, up, down >>
            /\ UNCHANGED << node, live, stopping, answer, accepted, complete, 
                            elections, overwritten, lost, dead, gone, kept, 
                            comer, met, was, failing, starting, closing, of, 
                            number, turn >>

E3(self) == /\ pc[self] = "E3"
            /\ IF node.version = seen[self].version
                  THEN /\ overwritten' = (overwritten \/ node.version # seen[self].version)
                       /\ node' = [leader |-> elected[self].leader, isr |-> elected[self].isr, epoch |-> seen[self].epoch + 1,
                                   recovering |-> seen[self].recovering \/ elected[self].unclean, version |-> node.version + 1]
                       /\ elections' = elections + 1
                       /\ lost' = (lost \/ elected[self].leader \notin complete)
                       /\ complete' = (IF elected[self].unclean THEN {elected[self].leader} ELSE complete \cap Range(elected[self].isr))
                       /\ dead' = (dead \/ elected[self].leader \notin live)
                       /\ led' = [led EXCEPT ![self] = elected[self].leader]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ up' = [up EXCEPT ![self] = Head(stack[self]).up]
                       /\ down' = [down EXCEPT ![self] = Head(stack[self]).down]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ elected' = [elected EXCEPT ![self] = Head(stack[self]).elected]
                       /\ kind' = [kind EXCEPT ![self] = Head(stack[self]).kind]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "E2"]
                       /\ UNCHANGED << node, led, complete, elections, 
                                       overwritten, lost, dead, stack, kind, 
                                       up, down, seen, elected >>
            /\ UNCHANGED << live, stopping, answer, accepted, gone, kept, 
                            comer, met, was, failing, starting, closing, of, 
                            number, turn >>

elect(self) == E1(self) \/ E2(self) \/ E3(self)

K1(self) == /\ pc[self] = "K1"
            /\ IF gone[self] = node.leader \/ gone[self] \notin Range(node.isr)
                  THEN /\ accepted' = [accepted EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ kept' = [kept EXCEPT ![self] = Head(stack[self]).kept]
                       /\ gone' = [gone EXCEPT ![self] = Head(stack[self]).gone]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ kept' = [kept EXCEPT ![self] = node]
                       /\ pc' = [pc EXCEPT ![self] = "K2"]
                       /\ UNCHANGED << accepted, stack, gone >>
            /\ UNCHANGED << node, live, stopping, answer, led, complete, 
                            elections, overwritten, lost, dead, kind, up, down, 
                            seen, elected, comer, met, was, failing, starting, 
                            closing, of, number, turn >>

K2(self) == /\ pc[self] = "K2"
            /\ accepted' = [accepted EXCEPT ![self] = node.version = kept[self].version]
            /\ IF accepted'[self]
                  THEN /\ overwritten' = (overwritten \/ node.version # kept[self].version)
                       /\ node' = [kept[self] EXCEPT !.isr = Keep(kept[self].isr, Range(kept[self].isr) \ {gone[self]}),
                                                     !.version = node.version + 1]
                       /\ complete' = complete \ {gone[self]}
                  ELSE /\ TRUE
                       /\ UNCHANGED << node, complete, overwritten >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ kept' = [kept EXCEPT ![self] = Head(stack[self]).kept]
            /\ gone' = [gone EXCEPT ![self] = Head(stack[self]).gone]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << live, stopping, answer, led, elections, lost, dead, 
                            kind, up, down, seen, elected, comer, met, was, 
                            failing, starting, closing, of, number, turn >>

shrink(self) == K1(self) \/ K2(self)

X1(self) == /\ pc[self] = "X1"
            /\ IF comer[self] \in Range(node.isr) \/ node.recovering
                  THEN /\ accepted' = [accepted EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ met' = [met EXCEPT ![self] = Head(stack[self]).met]
                       /\ comer' = [comer EXCEPT ![self] = Head(stack[self]).comer]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ met' = [met EXCEPT ![self] = node]
                       /\ pc' = [pc EXCEPT ![self] = "X2"]
                       /\ UNCHANGED << accepted, stack, comer >>
            /\ UNCHANGED << node, live, stopping, answer, led, complete, 
                            elections, overwritten, lost, dead, kind, up, down, 
                            seen, elected, gone, kept, was, failing, starting, 
                            closing, of, number, turn >>

X2(self) == /\ pc[self] = "X2"
            /\ accepted' = [accepted EXCEPT ![self] = node.version = met[self].version]
            /\ IF accepted'[self]
                  THEN /\ overwritten' = (overwritten \/ node.version # met[self].version)
                       /\ node' = [met[self] EXCEPT !.isr = Append(met[self].isr, comer[self]), !.version = node.version + 1]
                       /\ complete' = (complete \cup {comer[self]})
                  ELSE /\ TRUE
                       /\ UNCHANGED << node, complete, overwritten >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ met' = [met EXCEPT ![self] = Head(stack[self]).met]
            /\ comer' = [comer EXCEPT ![self] = Head(stack[self]).comer]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << live, stopping, answer, led, elections, lost, dead, 
                            kind, up, down, seen, elected, gone, kept, was, 
                            failing, starting, closing, of, number, turn >>

expand(self) == X1(self) \/ X2(self)

V1(self) == /\ pc[self] = "V1"
            /\ IF ~node.recovering
                  THEN /\ accepted' = [accepted EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ was' = [was EXCEPT ![self] = Head(stack[self]).was]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ was' = [was EXCEPT ![self] = node]
                       /\ pc' = [pc EXCEPT ![self] = "V2"]
                       /\ UNCHANGED << accepted, stack >>
            /\ UNCHANGED << node, live, stopping, answer, led, complete, 
                            elections, overwritten, lost, dead, kind, up, down, 
                            seen, elected, gone, kept, comer, met, failing, 
                            starting, closing, of, number, turn >>

V2(self) == /\ pc[self] = "V2"
            /\ accepted' = [accepted EXCEPT ![self] = node.version = was[self].version]
            /\ IF accepted'[self]
                  THEN /\ overwritten' = (overwritten \/ node.version # was[self].version)
                       /\ node' = [was[self] EXCEPT !.recovering = FALSE, !.version = node.version + 1]
                  ELSE /\ TRUE
                       /\ UNCHANGED << node, overwritten >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ was' = [was EXCEPT ![self] = Head(stack[self]).was]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << live, stopping, answer, led, complete, elections, 
                            lost, dead, kind, up, down, seen, elected, gone, 
                            kept, comer, met, failing, starting, closing, of, 
                            number, turn >>

recover(self) == V1(self) \/ V2(self)

N1(self) == /\ pc[self] = "N1"
            /\ live' = live \ {failing[self]}
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ failing' = [failing EXCEPT ![self] = Head(stack[self]).failing]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, stopping, answer, led, accepted, complete, 
                            elections, overwritten, lost, dead, kind, up, down, 
                            seen, elected, gone, kept, comer, met, was, 
                            starting, closing, of, number, turn >>

fail(self) == N1(self)

N2(self) == /\ pc[self] = "N2"
            /\ live' = (live \cup {starting[self]})
            /\ stopping' = stopping \ {starting[self]}
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ starting' = [starting EXCEPT ![self] = Head(stack[self]).starting]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, answer, led, accepted, complete, elections, 
                            overwritten, lost, dead, kind, up, down, seen, 
                            elected, gone, kept, comer, met, was, failing, 
                            closing, of, number, turn >>

start(self) == N2(self)

N3(self) == /\ pc[self] = "N3"
            /\ stopping' = (stopping \cup {closing[self]})
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ closing' = [closing EXCEPT ![self] = Head(stack[self]).closing]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, live, answer, led, accepted, complete, 
                            elections, overwritten, lost, dead, kind, up, down, 
                            seen, elected, gone, kept, comer, met, was, 
                            failing, starting, of, number, turn >>

stop(self) == N3(self)

S1(self) == /\ pc[self] = "S1"
            /\ answer' = Surveyed(of[self], number[self])
            /\ IF number[self] + 1 = Inputs(of[self])
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ number' = [number EXCEPT ![self] = Head(stack[self]).number]
                       /\ of' = [of EXCEPT ![self] = Head(stack[self]).of]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ number' = [number EXCEPT ![self] = number[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "S1"]
                       /\ UNCHANGED << stack, of >>
            /\ UNCHANGED << node, live, stopping, led, accepted, complete, 
                            elections, overwritten, lost, dead, kind, up, down, 
                            seen, elected, gone, kept, comer, met, was, 
                            failing, starting, closing, turn >>

survey(self) == S1(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "elect"
                             THEN /\ /\ kind' = [kind EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "elect",
                                                                              pc        |->  "T0",
                                                                              up        |->  up[self],
                                                                              down      |->  down[self],
                                                                              seen      |->  seen[self],
                                                                              elected   |->  elected[self],
                                                                              kind      |->  kind[self] ] >>
                                                                          \o stack[self]]
                                  /\ up' = [up EXCEPT ![self] = {}]
                                  /\ down' = [down EXCEPT ![self] = {}]
                                  /\ seen' = [seen EXCEPT ![self] = NoNode]
                                  /\ elected' = [elected EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "E1"]
                                  /\ UNCHANGED << gone, kept, comer, met, was, 
                                                  failing, starting, closing, 
                                                  of, number >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "shrink"
                                        THEN /\ /\ gone' = [gone EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "shrink",
                                                                                         pc        |->  "T0",
                                                                                         kept      |->  kept[self],
                                                                                         gone      |->  gone[self] ] >>
                                                                                     \o stack[self]]
                                             /\ kept' = [kept EXCEPT ![self] = NoNode]
                                             /\ pc' = [pc EXCEPT ![self] = "K1"]
                                             /\ UNCHANGED << comer, met, was, 
                                                             failing, starting, 
                                                             closing, of, 
                                                             number >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "expand"
                                                   THEN /\ /\ comer' = [comer EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "expand",
                                                                                                    pc        |->  "T0",
                                                                                                    met       |->  met[self],
                                                                                                    comer     |->  comer[self] ] >>
                                                                                                \o stack[self]]
                                                        /\ met' = [met EXCEPT ![self] = NoNode]
                                                        /\ pc' = [pc EXCEPT ![self] = "X1"]
                                                        /\ UNCHANGED << was, 
                                                                        failing, 
                                                                        starting, 
                                                                        closing, 
                                                                        of, 
                                                                        number >>
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "recover"
                                                              THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "recover",
                                                                                                            pc        |->  "T0",
                                                                                                            was       |->  was[self] ] >>
                                                                                                        \o stack[self]]
                                                                   /\ was' = [was EXCEPT ![self] = NoNode]
                                                                   /\ pc' = [pc EXCEPT ![self] = "V1"]
                                                                   /\ UNCHANGED << failing, 
                                                                                   starting, 
                                                                                   closing, 
                                                                                   of, 
                                                                                   number >>
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "fail"
                                                                         THEN /\ /\ failing' = [failing EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "fail",
                                                                                                                          pc        |->  "T0",
                                                                                                                          failing   |->  failing[self] ] >>
                                                                                                                      \o stack[self]]
                                                                              /\ pc' = [pc EXCEPT ![self] = "N1"]
                                                                              /\ UNCHANGED << starting, 
                                                                                              closing, 
                                                                                              of, 
                                                                                              number >>
                                                                         ELSE /\ IF Program[self][turn'[self] - 1][1] = "start"
                                                                                    THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "start",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     starting  |->  starting[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                            /\ starting' = [starting EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "N2"]
                                                                                         /\ UNCHANGED << closing, 
                                                                                                         of, 
                                                                                                         number >>
                                                                                    ELSE /\ IF Program[self][turn'[self] - 1][1] = "stop"
                                                                                               THEN /\ /\ closing' = [closing EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                                       /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "stop",
                                                                                                                                                pc        |->  "T0",
                                                                                                                                                closing   |->  closing[self] ] >>
                                                                                                                                            \o stack[self]]
                                                                                                    /\ pc' = [pc EXCEPT ![self] = "N3"]
                                                                                                    /\ UNCHANGED << of, 
                                                                                                                    number >>
                                                                                               ELSE /\ /\ of' = [of EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                                       /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "survey",
                                                                                                                                                pc        |->  "T0",
                                                                                                                                                number    |->  number[self],
                                                                                                                                                of        |->  of[self] ] >>
                                                                                                                                            \o stack[self]]
                                                                                                    /\ number' = [number EXCEPT ![self] = 0]
                                                                                                    /\ pc' = [pc EXCEPT ![self] = "S1"]
                                                                                                    /\ UNCHANGED closing
                                                                                         /\ UNCHANGED starting
                                                                              /\ UNCHANGED failing
                                                                   /\ was' = was
                                                        /\ UNCHANGED << comer, 
                                                                        met >>
                                             /\ UNCHANGED << gone, kept >>
                                  /\ UNCHANGED << kind, up, down, seen, 
                                                  elected >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, kind, up, down, seen, elected, 
                                       gone, kept, comer, met, was, failing, 
                                       starting, closing, of, number, turn >>
            /\ UNCHANGED << node, live, stopping, answer, led, accepted, 
                            complete, elections, overwritten, lost, dead >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ elect(self) \/ shrink(self)
                               \/ expand(self) \/ recover(self)
                               \/ fail(self) \/ start(self) \/ stop(self)
                               \/ survey(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(elect(self))
                                 /\ WF_vars(shrink(self))
                                 /\ WF_vars(expand(self))
                                 /\ WF_vars(recover(self))
                                 /\ WF_vars(fail(self))
                                 /\ WF_vars(start(self))
                                 /\ WF_vars(stop(self))
                                 /\ WF_vars(survey(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION
===============================================================================

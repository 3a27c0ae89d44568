----------------------------- MODULE Controller -----------------------------
(***************************************************************************)
(* Which broker is Kafka's controller, where ZooKeeper decides that.        *)
(*                                                                          *)
(* The controller is the broker that has created the node /controller.  It  *)
(* is ephemeral: ZooKeeper deletes it when the session of its creator       *)
(* expires.  Each controller has an epoch, the value of /controller_epoch.  *)
(* One transaction creates the node and raises the epoch, and one           *)
(* transaction checks the epoch's version and writes a partition.  So a     *)
(* controller of the past, which does not know of its end, writes nothing.  *)
(*                                                                          *)
(* serve is a broker's event thread, and calls a procedure for each event.  *)
(* Each of its steps is one request to ZooKeeper.  A request in an expired  *)
(* session ends the procedure.  The reply to a transaction may be lost,     *)
(* before ZooKeeper has performed it or after; then the same request is     *)
(* sent again.  So a transaction has four cases, in this order: the session *)
(* has expired, the reply is lost, it is performed, and it is refused.      *)
(*                                                                          *)
(* Kafka's methods and what stands for them here:                           *)
(*   KafkaController  maybeResign (C1, C2), elect (C3 to C7, B),            *)
(*                    onControllerFailover (F), triggerControllerMove (M)   *)
(*   KafkaZkClient    maybeCreateControllerEpochZNode (B),                  *)
(*                    registerControllerAndIncrementControllerEpoch (C3 to  *)
(*                    C7), updateLeaderAndIsr (W)                           *)
(*   up to 2.0        an election (E), a write (X), a deletion (D)          *)
(*                                                                          *)
(* A broker that ends gracefully closes its session.  One that ends         *)
(* abruptly makes no request any more, and its session expires.             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ControllerNodes

CONSTANTS
  Session,          \* broker |-> its session in the beginning
  First,            \* the controller in the beginning, "none", or "never" if none ever was
  Elector,          \* broker |-> "Elector", since 2.1.0, or "EarlyElector", up to 2.0
  Program,          \* thread |-> sequence of operations <<name, argument, ...>>
  NULL

Threads == DOMAIN Program
Brokers == DOMAIN Session
FirstEpoch == IF First = Never THEN NoEpochNode ELSE
              IF First = None THEN NoEpoch ELSE [value |-> 1, version |-> 1]

(*--algorithm Controller
variables
  \* ZooKeeper
  node = IF First \notin Brokers THEN Vacant ELSE [id |-> First, session |-> Session[First]],
  epoch = FirstEpoch,                       \* /controller_epoch
  part = NoState,                           \* a partition: see ControllerNodes
  live = Brokers,                           \* the brokers whose sessions have not expired
  session = Session,
  sessions = Cardinality(Brokers),          \* how many there have been
  watching = IF First \in Brokers THEN Brokers ELSE {},  \* the brokers that watch /controller
  cut = [b \in Brokers |-> None],           \* "before" or "after": the next reply is lost
  late = [b \in Brokers |-> << >>],         \* what a broker's server has applied, where it is late
  \* the brokers
  queue = [b \in Brokers |-> IF First \in Brokers THEN << >> ELSE <<"register">>],
  busy = {},                                \* the brokers that handle an event
  acts = [b \in Brokers |-> b = First],     \* whether a broker takes itself for the controller
  own = [b \in Brokers |-> IF b = First THEN FirstEpoch ELSE NoEpoch],
  known = [b \in Brokers |-> NoState],      \* the partition, as a controller last read or wrote it
  leaves = [b \in Brokers |-> None],        \* "gracefully" or "abruptly": the broker is to end
  over = FALSE,                             \* no fault will come any more
  \* History: what the properties speak of; no step reads it.
  elections = FirstEpoch.value,             \* how often /controller_epoch was written
  stale = FALSE,                            \* a controller of the past has written
  robbed = FALSE,                           \* a broker has deleted another's /controller
  overwritten = FALSE;                      \* a write replaced what its writer had not read

define
  Early(b) == Elector[b] = "EarlyElector"
  Mine(b) == [id |-> b, session |-> session[b]]         \* the node /controller, as b creates it
  \* What a broker's server has of the nodes.
  Tree(b) == IF late[b] # << >> THEN late[b][1] ELSE
             [node |-> node, epoch |-> epoch, part |-> part, missed |-> None]
  Gone(b) == b \notin live \/ leaves[b] = "abruptly"    \* it makes no request that is performed
  Left(b) == b \notin live /\ leaves[b] # None          \* it has ended, and its session too
  \* ZooKeeper performs a transaction of a broker: an election, a write, a deletion of /controller.
  MayElect(read) == node = Vacant /\ epoch.version = read.version
  MayWrite(b) == epoch.version = own[b].version /\ part.version = known[b].version
  MayDelete(b) == epoch.version = own[b].version /\ node # Vacant
end define;

\* /controller is new: who watches it gets an event, once; who is late will get it, but for one.
macro put_node(new, event, heard, gone) begin
  node := new;
  queue := [b \in Brokers |-> IF b \in watching \ gone /\ (late[b] = << >> \/ b = heard)
                              THEN Append(queue[b], Due(late[b], event)) ELSE queue[b]];
  watching := {b \in watching \ gone : late[b] # << >> /\ b # heard};
  late := [b \in Brokers |-> IF b = heard THEN << >> ELSE Missing(late[b], event)];
end macro;

macro delete_node(heard) begin
  robbed := robbed \/ node.session # session[self];
  put_node(Vacant, "reelect", heard, {});
end macro;

macro raise_epoch(read) begin
  epoch := [value |-> read.value + 1, version |-> epoch.version + 1];
  elections := elections + 1;
end macro;

macro write_part() begin
  part := [New(known[self], own[self]) EXCEPT !.version = part.version + 1];
  stale := stale \/ epoch.value # own[self].value;
  overwritten := overwritten \/ part.version # known[self].version + 1;
end macro;

macro end_session(ended) begin
  live := live \ {ended};
  cut[ended] := None;
  if node.session = session[ended] then put_node(Vacant, "reelect", None, {ended});
  else watching := watching \ {ended};
  end if;
end macro;

macro catch_up(b) begin
  if b \in watching /\ Tree(b).missed # None then
    queue[b] := Append(queue[b], Tree(b).missed);
    watching := watching \ {b};
  end if;
  late[b] := << >>;
end macro;

procedure serve() begin
A1: while leaves[self] # "abruptly" /\ ~(over /\ queue[self] = << >>) do
      await queue[self] # << >>;
      busy := busy \cup {self};
      with event = Head(queue[self]) do
        queue[self] := Tail(queue[self]);
        if event = "expire" then acts[self] := FALSE;
        elsif event = "shutdown" then acts[self] := FALSE; call close(); return;
        elsif event = "work" /\ acts[self] /\ Early(self) then call write_early();
        elsif event = "work" /\ acts[self] then call write();
        elsif event = "move" /\ acts[self] /\ Early(self) then
          acts[self] := FALSE;
          call give_up_early();
        elsif event = "move" /\ ~Early(self) then call give_up();
        elsif event \notin {"move", "work"} then call elect();
        end if;
      end with;
A2:   busy := busy \ {self};
    end while;
    return;
end procedure;

procedure close() begin
S1: end_session(self);
    busy := busy \ {self};
    return;
end procedure;

\* A broker looks who is the controller, and tries to become it if there is none.
procedure elect()
variables seen = NoEpoch;
begin
C1: if Gone(self) then return; else watching := watching \cup {self}; end if;
C2: if Gone(self) then return;
    else
      acts[self] := acts[self] /\ Tree(self).node.id = self;
      if ~Nameless(Tree(self).node) then return;
      elsif Early(self) then call elect_early(); return;
      end if;
    end if;
C3: if Gone(self) then return;
    else
      seen := Tree(self).epoch;
      if seen = NoEpochNode then               \* the first election of a cluster
B1:     if Gone(self) then return;
        elsif cut[self] # None then
          if cut[self] = "after" /\ epoch = NoEpochNode then epoch := NoEpoch; end if;
          cut[self] := None;
B2:       if Gone(self) then return; else goto B1; end if;
        elsif epoch # NoEpochNode then catch_up(self); goto C3;
        else catch_up(self); epoch := NoEpoch; seen := NoEpoch;
        end if;
      end if;
    end if;
C4: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ MayElect(seen) then
        put_node(Mine(self), "change", None, {});
        raise_epoch(seen);
      end if;
      cut[self] := None;
C7:   if Gone(self) then return; else goto C4; end if;
    elsif MayElect(seen) then
      put_node(Mine(self), "change", self, {});
      raise_epoch(seen);
      acts[self] := TRUE;
      own[self] := epoch;
    else                                       \* refused: an earlier request may have won
      catch_up(self);
C5:   if Gone(self) \/ Tree(self).node.id = Unreadable then return;
      elsif Tree(self).node.id # self then goto C1;
      end if;
C6:   if Gone(self) then return;
      elsif Tree(self).epoch.value # seen.value + 1 then goto C1;
      else
        acts[self] := TRUE;
        own[self] := Tree(self).epoch;
      end if;
    end if;
F1: if Gone(self) then return;
    else known[self] := Tree(self).part; call write(); return;
    end if;
end procedure;

\* A controller writes the partition. One that ZooKeeper has fenced resigns.
procedure write() begin
W1: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ MayWrite(self) then write_part(); end if;
      cut[self] := None;
W3:   if Gone(self) then return; else goto W1; end if;
    elsif MayWrite(self) then
      write_part();
      known[self] := part;
      catch_up(self);
      return;
    elsif epoch.version # own[self].version then
      catch_up(self);
      acts[self] := FALSE;
      call elect(); return;
    else catch_up(self);
    end if;
W2: if Gone(self) then return;
    elsif Tree(self).part.by > own[self].value then
      acts[self] := FALSE;
      call elect(); return;
    elsif Tree(self).part = New(known[self], own[self]) then known[self] := Tree(self).part; return;
    else known[self] := Tree(self).part; goto W1;
    end if;
end procedure;

\* A controller gives its office up.
procedure give_up() begin
M1: if Gone(self) then return;
    elsif acts[self] /\ Tree(self).node.id = self then acts[self] := FALSE;
    else acts[self] := FALSE; return;
    end if;
M2: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ MayDelete(self) then delete_node(None); end if;
      cut[self] := None;
M3:   if Gone(self) then return; else goto M2; end if;
    elsif MayDelete(self) then delete_node(self); return;
    else catch_up(self); return;
    end if;
end procedure;

\* The election up to 2.0: a broker takes itself for the controller before it has an epoch.
procedure elect_early() begin
E1: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ node = Vacant then put_node(Mine(self), "change", None, {}); end if;
      cut[self] := None;
E2:   if Gone(self) then return; else goto E1; end if;
    elsif node = Vacant then
      put_node(Mine(self), "change", self, {});
      acts[self] := TRUE;
    else
      catch_up(self);
E3:   if Gone(self) then return;
      elsif Tree(self).node = Vacant then goto E1;
      elsif Tree(self).node.session # session[self] then return;
      else acts[self] := TRUE;
      end if;
    end if;
E4: if Gone(self) then return; else own[self] := Tree(self).epoch; end if;
E5: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ epoch.version = own[self].version then
        raise_epoch(own[self]);
      end if;
      cut[self] := None;
E6:   if Gone(self) then return; else goto E5; end if;
    elsif epoch.version = own[self].version then
      raise_epoch(own[self]);
      own[self] := epoch;
      catch_up(self);
      call write_early(); return;
    else
      catch_up(self);
      acts[self] := FALSE;
      call give_up_early(); return;
    end if;
end procedure;

\* A write up to 2.0: it demands the version of the partition that was read, and no epoch.
procedure write_early() begin
X1: if Gone(self) \/ Tree(self).part.by > own[self].value then return;
    else known[self] := Tree(self).part;
    end if;
X2: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ part.version = known[self].version then write_part(); end if;
      cut[self] := None;
X4:   if Gone(self) then return; else goto X2; end if;
    elsif part.version = known[self].version then
      write_part();
      known[self] := part;
      catch_up(self);
      return;
    else catch_up(self);
    end if;
X3: if Gone(self) \/ Tree(self).part.by > own[self].value then return;
    elsif Tree(self).part = New(known[self], own[self]) then known[self] := Tree(self).part; return;
    else known[self] := Tree(self).part; goto X2;
    end if;
end procedure;

\* A broker gives its office up as up to 2.0: it deletes the node, whose ever it is.
procedure give_up_early() begin
D1: if Gone(self) then return;
    elsif cut[self] # None then
      if cut[self] = "after" /\ node # Vacant then delete_node(None); end if;
      cut[self] := None;
D2:   if Gone(self) then return; else goto D1; end if;
    elsif node # Vacant then delete_node(self); return;
    else catch_up(self); return;
    end if;
end procedure;

\* The thread of a broker's connection. When the session has expired it puts the event expire, and
\* opens a new session only when that event has been taken.
procedure connect(of = NULL) begin
Y1: await of \notin live;
    if leaves[of] # None then return; else queue[of] := <<"expire">>; end if;
Y2: await ~Has(queue[of], "expire");
    if leaves[of] = None then
      sessions := sessions + 1;
      session[of] := sessions;
      live := live \cup {of};
      queue[of] := Append(queue[of], "register");
    end if;
    return;
end procedure;

procedure expire(victim = NULL) begin
N1: end_session(victim);
    return;
end procedure;

\* A broker is to end: its event thread takes an event, and no other one, or does nothing more.
procedure leave(leaver = NULL, how = NULL) begin
L1: leaves[leaver] := how;
    queue[leaver] := IF how = "gracefully" THEN <<"shutdown">> ELSE << >>;
    return;
end procedure;

procedure remove() begin
N2: if node # Vacant then put_node(Vacant, "reelect", None, {}); end if;
    return;
end procedure;

\* /controller is written by hand: with the name of a broker, or with what names none.
procedure overwrite(id = NULL) begin
N8: if node # Vacant then put_node([node EXCEPT !.id = id], "change", None, {}); end if;
    return;
end procedure;

\* A broker's server stays behind from now on, and one catches up.
procedure lag(slow = NULL) begin
N9: late[slow] := <<Tree(slow)>>;
    return;
end procedure;
procedure hear(again = NULL) begin
N0: catch_up(again);
    return;
end procedure;

procedure lose(whose = NULL, when = NULL) begin
N3: if whose \in live then cut[whose] := when; end if;
    return;
end procedure;

\* A broker's controller gets something to do: to change the partition, or to move.
procedure notify(whom = NULL, what = NULL) begin
N4: queue[whom] := Append(queue[whom], what);
    return;
end procedure;

\* The partition's leader changes the ISR.
procedure shrink() begin
N5: part := [part EXCEPT !.isr = part.isr + 1, !.version = part.version + 1];
    return;
end procedure;

\* Where there is no controller, a broker that is no thread here becomes it, writes, and goes again.
procedure visit() begin
N7: if node = Vacant then
      raise_epoch(epoch);
      part := New(part, epoch);
      put_node(Vacant, "change", None, {});
    end if;
    return;
end procedure;

\* There were faults enough: when all is quiet, the event threads may end.
procedure rest() begin
N6: await busy = {} /\ \A b \in Brokers : Left(b)
      \/ (b \in live /\ leaves[b] = None /\ queue[b] = << >> /\ late[b] = << >>);
    over := TRUE;
    return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      with op = Program[self][turn] do
        turn := turn + 1;
        if op[1] = "serve" then call serve();
        elsif op[1] = "connect" then call connect(op[2]);
        elsif op[1] = "expire" then call expire(op[2]);
        elsif op[1] = "leave" then call leave(op[2], op[3]);
        elsif op[1] = "remove" then call remove(); elsif op[1] = "shrink" then call shrink();
        elsif op[1] = "lose" then call lose(op[2], op[3]);
        elsif op[1] = "notify" then call notify(op[2], op[3]);
        elsif op[1] = "overwrite" then call overwrite(op[2]);
        elsif op[1] = "lag" then call lag(op[2]); elsif op[1] = "hear" then call hear(op[2]);
        elsif op[1] = "visit" then call visit(); else call rest();
        end if;
      end with;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "5d469e0e" /\ chksum(tla) = "3f6d1a0d")
VARIABLES node, epoch, part, live, session, sessions, watching, cut, late, 
          queue, busy, acts, own, known, leaves, over, elections, stale, 
          robbed, overwritten, pc, stack

(* define statement *)
Early(b) == Elector[b] = "EarlyElector"
Mine(b) == [id |-> b, session |-> session[b]]

Tree(b) == IF late[b] # << >> THEN late[b][1] ELSE
           [node |-> node, epoch |-> epoch, part |-> part, missed |-> None]
Gone(b) == b \notin live \/ leaves[b] = "abruptly"
Left(b) == b \notin live /\ leaves[b] # None

MayElect(read) == node = Vacant /\ epoch.version = read.version
MayWrite(b) == epoch.version = own[b].version /\ part.version = known[b].version
MayDelete(b) == epoch.version = own[b].version /\ node # Vacant

VARIABLES seen, of, victim, leaver, how, id, slow, again, whose, when, whom, 
          what, turn

vars == << node, epoch, part, live, session, sessions, watching, cut, late, 
           queue, busy, acts, own, known, leaves, over, elections, stale, 
           robbed, overwritten, pc, stack, seen, of, victim, leaver, how, id, 
           slow, again, whose, when, whom, what, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ node = (IF First \notin Brokers THEN Vacant ELSE [id |-> First, session |-> Session[First]])
        /\ epoch = FirstEpoch
        /\ part = NoState
        /\ live = Brokers
        /\ session = Session
        /\ sessions = Cardinality(Brokers)
        /\ watching = (IF First \in Brokers THEN Brokers ELSE {})
        /\ cut = [b \in Brokers |-> None]
        /\ late = [b \in Brokers |-> << >>]
        /\ queue = [b \in Brokers |-> IF First \in Brokers THEN << >> ELSE <<"register">>]
        /\ busy = {}
        /\ acts = [b \in Brokers |-> b = First]
        /\ own = [b \in Brokers |-> IF b = First THEN FirstEpoch ELSE NoEpoch]
        /\ known = [b \in Brokers |-> NoState]
        /\ leaves = [b \in Brokers |-> None]
        /\ over = FALSE
        /\ elections = FirstEpoch.value
        /\ stale = FALSE
        /\ robbed = FALSE
        /\ overwritten = FALSE
        (* Procedure elect *)
        /\ seen = [ self \in ProcSet |-> NoEpoch]
        (* Procedure connect *)
        /\ of = [ self \in ProcSet |-> NULL]
        (* Procedure expire *)
        /\ victim = [ self \in ProcSet |-> NULL]
        (* Procedure leave *)
        /\ leaver = [ self \in ProcSet |-> NULL]
        /\ how = [ self \in ProcSet |-> NULL]
        (* Procedure overwrite *)
        /\ id = [ self \in ProcSet |-> NULL]
        (* Procedure lag *)
        /\ slow = [ self \in ProcSet |-> NULL]
        (* Procedure hear *)
        /\ again = [ self \in ProcSet |-> NULL]
        (* Procedure lose *)
        /\ whose = [ self \in ProcSet |-> NULL]
        /\ when = [ self \in ProcSet |-> NULL]
        (* Procedure notify *)
        /\ whom = [ self \in ProcSet |-> NULL]
        /\ what = [ self \in ProcSet |-> NULL]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

A1(self) == /\ pc[self] = "A1"
            /\ IF leaves[self] # "abruptly" /\ ~(over /\ queue[self] = << >>)
                  THEN /\ queue[self] # << >>
                       /\ busy' = (busy \cup {self})
                       /\ LET event == Head(queue[self]) IN
                            /\ queue' = [queue EXCEPT ![self] = Tail(queue[self])]
                            /\ IF event = "expire"
                                  THEN /\ acts' = [acts EXCEPT ![self] = FALSE]
                                       /\ pc' = [pc EXCEPT ![self] = "A2"]
                                       /\ UNCHANGED << stack, seen >>
                                  ELSE /\ IF event = "shutdown"
                                             THEN /\ acts' = [acts EXCEPT ![self] = FALSE]
                                                  /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                                           pc        |->  Head(stack[self]).pc ] >>
                                                                                       \o Tail(stack[self])]
                                                  /\ pc' = [pc EXCEPT ![self] = "S1"]
                                                  /\ seen' = seen
                                             ELSE /\ IF event = "work" /\ acts[self] /\ Early(self)
                                                        THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "write_early",
                                                                                                      pc        |->  "A2" ] >>
                                                                                                  \o stack[self]]
                                                             /\ pc' = [pc EXCEPT ![self] = "X1"]
                                                             /\ UNCHANGED << acts, 
                                                                             seen >>
                                                        ELSE /\ IF event = "work" /\ acts[self]
                                                                   THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "write",
                                                                                                                 pc        |->  "A2" ] >>
                                                                                                             \o stack[self]]
                                                                        /\ pc' = [pc EXCEPT ![self] = "W1"]
                                                                        /\ UNCHANGED << acts, 
                                                                                        seen >>
                                                                   ELSE /\ IF event = "move" /\ acts[self] /\ Early(self)
                                                                              THEN /\ acts' = [acts EXCEPT ![self] = FALSE]
                                                                                   /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "give_up_early",
                                                                                                                            pc        |->  "A2" ] >>
                                                                                                                        \o stack[self]]
                                                                                   /\ pc' = [pc EXCEPT ![self] = "D1"]
                                                                                   /\ seen' = seen
                                                                              ELSE /\ IF event = "move" /\ ~Early(self)
                                                                                         THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "give_up",
                                                                                                                                       pc        |->  "A2" ] >>
                                                                                                                                   \o stack[self]]
                                                                                              /\ pc' = [pc EXCEPT ![self] = "M1"]
                                                                                              /\ seen' = seen
                                                                                         ELSE /\ IF event \notin {"move", "work"}
                                                                                                    THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "elect",
                                                                                                                                                  pc        |->  "A2",
                                                                                                                                                  seen      |->  seen[self] ] >>
                                                                                                                                              \o stack[self]]
                                                                                                         /\ seen' = [seen EXCEPT ![self] = NoEpoch]
                                                                                                         /\ pc' = [pc EXCEPT ![self] = "C1"]
                                                                                                    ELSE /\ pc' = [pc EXCEPT ![self] = "A2"]
                                                                                                         /\ UNCHANGED << stack, 
                                                                                                                         seen >>
                                                                                   /\ acts' = acts
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << queue, busy, acts, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, own, known, leaves, over, 
                            elections, stale, robbed, overwritten, of, victim, 
                            leaver, how, id, slow, again, whose, when, whom, 
                            what, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ busy' = busy \ {self}
            /\ pc' = [pc EXCEPT ![self] = "A1"]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, stack, seen, of, victim, leaver, how, 
                            id, slow, again, whose, when, whom, what, turn >>

serve(self) == A1(self) \/ A2(self)

S1(self) == /\ pc[self] = "S1"
            /\ live' = live \ {self}
            /\ cut' = [cut EXCEPT ![self] = None]
            /\ IF node.session = session[self]
                  THEN /\ node' = Vacant
                       /\ queue' = [b \in Brokers |-> IF b \in watching \ ({self}) /\ (late[b] = << >> \/ b = None)
                                                      THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                       /\ watching' = {b \in watching \ ({self}) : late[b] # << >> /\ b # None}
                       /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "reelect")]
                  ELSE /\ watching' = watching \ {self}
                       /\ UNCHANGED << node, late, queue >>
            /\ busy' = busy \ {self}
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << epoch, part, session, sessions, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

close(self) == S1(self)

C1(self) == /\ pc[self] = "C1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED watching
                  ELSE /\ watching' = (watching \cup {self})
                       /\ pc' = [pc EXCEPT ![self] = "C2"]
                       /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, cut, 
                            late, queue, busy, acts, own, known, leaves, over, 
                            elections, stale, robbed, overwritten, of, victim, 
                            leaver, how, id, slow, again, whose, when, whom, 
                            what, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ acts' = acts
                  ELSE /\ acts' = [acts EXCEPT ![self] = acts[self] /\ Tree(self).node.id = self]
                       /\ IF ~Nameless(Tree(self).node)
                             THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                             ELSE /\ IF Early(self)
                                        THEN /\ /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "elect_early",
                                                                                         pc        |->  Head(stack[self]).pc ] >>
                                                                                     \o Tail(stack[self])]
                                             /\ pc' = [pc EXCEPT ![self] = "E1"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "C3"]
                                             /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ seen' = [seen EXCEPT ![self] = Tree(self).epoch]
                       /\ IF seen'[self] = NoEpochNode
                             THEN /\ pc' = [pc EXCEPT ![self] = "B1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "C4"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

B1(self) == /\ pc[self] = "B1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << epoch, watching, cut, late, queue >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ epoch = NoEpochNode
                                        THEN /\ epoch' = NoEpoch
                                        ELSE /\ TRUE
                                             /\ epoch' = epoch
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "B2"]
                                  /\ UNCHANGED << watching, late, queue, seen >>
                             ELSE /\ IF epoch # NoEpochNode
                                        THEN /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = "C3"]
                                             /\ UNCHANGED << epoch, seen >>
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ epoch' = NoEpoch
                                             /\ seen' = [seen EXCEPT ![self] = NoEpoch]
                                             /\ pc' = [pc EXCEPT ![self] = "C4"]
                                  /\ cut' = cut
                       /\ stack' = stack
            /\ UNCHANGED << node, part, live, session, sessions, busy, acts, 
                            own, known, leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

B2(self) == /\ pc[self] = "B2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "B1"]
                       /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << node, epoch, watching, cut, late, queue, 
                                       acts, own, elections >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ MayElect(seen[self])
                                        THEN /\ node' = Mine(self)
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                                            THEN Append(queue[b], Due(late[b], "change")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                                             /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "change")]
                                             /\ epoch' = [value |-> seen[self].value + 1, version |-> epoch.version + 1]
                                             /\ elections' = elections + 1
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << node, epoch, 
                                                             watching, late, 
                                                             queue, elections >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "C7"]
                                  /\ UNCHANGED << acts, own >>
                             ELSE /\ IF MayElect(seen[self])
                                        THEN /\ node' = Mine(self)
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = self)
                                                                            THEN Append(queue[b], Due(late[b], "change")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # self}
                                             /\ late' = [b \in Brokers |-> IF b = self THEN << >> ELSE Missing(late[b], "change")]
                                             /\ epoch' = [value |-> seen[self].value + 1, version |-> epoch.version + 1]
                                             /\ elections' = elections + 1
                                             /\ acts' = [acts EXCEPT ![self] = TRUE]
                                             /\ own' = [own EXCEPT ![self] = epoch']
                                             /\ pc' = [pc EXCEPT ![self] = "F1"]
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = "C5"]
                                             /\ UNCHANGED << node, epoch, acts, 
                                                             own, elections >>
                                  /\ cut' = cut
                       /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << part, live, session, sessions, busy, known, leaves, 
                            over, stale, robbed, overwritten, of, victim, 
                            leaver, how, id, slow, again, whose, when, whom, 
                            what, turn >>

C7(self) == /\ pc[self] = "C7"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C4"]
                       /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

C5(self) == /\ pc[self] = "C5"
            /\ IF Gone(self) \/ Tree(self).node.id = Unreadable
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ IF Tree(self).node.id # self
                             THEN /\ pc' = [pc EXCEPT ![self] = "C1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "C6"]
                       /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

C6(self) == /\ pc[self] = "C6"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << acts, own >>
                  ELSE /\ IF Tree(self).epoch.value # seen[self].value + 1
                             THEN /\ pc' = [pc EXCEPT ![self] = "C1"]
                                  /\ UNCHANGED << acts, own >>
                             ELSE /\ acts' = [acts EXCEPT ![self] = TRUE]
                                  /\ own' = [own EXCEPT ![self] = Tree(self).epoch]
                                  /\ pc' = [pc EXCEPT ![self] = "F1"]
                       /\ UNCHANGED << stack, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, known, leaves, 
                            over, elections, stale, robbed, overwritten, of, 
                            victim, leaver, how, id, slow, again, whose, when, 
                            whom, what, turn >>

F1(self) == /\ pc[self] = "F1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ known' = known
                  ELSE /\ known' = [known EXCEPT ![self] = Tree(self).part]
                       /\ /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "write",
                                                                   pc        |->  Head(stack[self]).pc ] >>
                                                               \o Tail(stack[self])]
                       /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, of, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

elect(self) == C1(self) \/ C2(self) \/ C3(self) \/ B1(self) \/ B2(self)
                  \/ C4(self) \/ C7(self) \/ C5(self) \/ C6(self)
                  \/ F1(self)

W1(self) == /\ pc[self] = "W1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << part, watching, cut, late, queue, acts, 
                                       known, stale, overwritten, seen >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ MayWrite(self)
                                        THEN /\ part' = [New(known[self], own[self]) EXCEPT !.version = part.version + 1]
                                             /\ stale' = (stale \/ epoch.value # own[self].value)
                                             /\ overwritten' = (overwritten \/ part'.version # known[self].version + 1)
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << part, stale, 
                                                             overwritten >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "W3"]
                                  /\ UNCHANGED << watching, late, queue, acts, 
                                                  known, stack, seen >>
                             ELSE /\ IF MayWrite(self)
                                        THEN /\ part' = [New(known[self], own[self]) EXCEPT !.version = part.version + 1]
                                             /\ stale' = (stale \/ epoch.value # own[self].value)
                                             /\ overwritten' = (overwritten \/ part'.version # known[self].version + 1)
                                             /\ known' = [known EXCEPT ![self] = part']
                                             /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                             /\ UNCHANGED << acts, seen >>
                                        ELSE /\ IF epoch.version # own[self].version
                                                   THEN /\ IF self \in watching /\ Tree(self).missed # None
                                                              THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                                   /\ watching' = watching \ {self}
                                                              ELSE /\ TRUE
                                                                   /\ UNCHANGED << watching, 
                                                                                   queue >>
                                                        /\ late' = [late EXCEPT ![self] = << >>]
                                                        /\ acts' = [acts EXCEPT ![self] = FALSE]
                                                        /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "elect",
                                                                                                 pc        |->  Head(stack[self]).pc,
                                                                                                 seen      |->  seen[self] ] >>
                                                                                             \o Tail(stack[self])]
                                                        /\ seen' = [seen EXCEPT ![self] = NoEpoch]
                                                        /\ pc' = [pc EXCEPT ![self] = "C1"]
                                                   ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                              THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                                   /\ watching' = watching \ {self}
                                                              ELSE /\ TRUE
                                                                   /\ UNCHANGED << watching, 
                                                                                   queue >>
                                                        /\ late' = [late EXCEPT ![self] = << >>]
                                                        /\ pc' = [pc EXCEPT ![self] = "W2"]
                                                        /\ UNCHANGED << acts, 
                                                                        stack, 
                                                                        seen >>
                                             /\ UNCHANGED << part, known, 
                                                             stale, 
                                                             overwritten >>
                                  /\ cut' = cut
            /\ UNCHANGED << node, epoch, live, session, sessions, busy, own, 
                            leaves, over, elections, robbed, of, victim, 
                            leaver, how, id, slow, again, whose, when, whom, 
                            what, turn >>

W3(self) == /\ pc[self] = "W3"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W1"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

W2(self) == /\ pc[self] = "W2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << acts, known, seen >>
                  ELSE /\ IF Tree(self).part.by > own[self].value
                             THEN /\ acts' = [acts EXCEPT ![self] = FALSE]
                                  /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "elect",
                                                                           pc        |->  Head(stack[self]).pc,
                                                                           seen      |->  seen[self] ] >>
                                                                       \o Tail(stack[self])]
                                  /\ seen' = [seen EXCEPT ![self] = NoEpoch]
                                  /\ pc' = [pc EXCEPT ![self] = "C1"]
                                  /\ known' = known
                             ELSE /\ IF Tree(self).part = New(known[self], own[self])
                                        THEN /\ known' = [known EXCEPT ![self] = Tree(self).part]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                        ELSE /\ known' = [known EXCEPT ![self] = Tree(self).part]
                                             /\ pc' = [pc EXCEPT ![self] = "W1"]
                                             /\ stack' = stack
                                  /\ UNCHANGED << acts, seen >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, own, leaves, 
                            over, elections, stale, robbed, overwritten, of, 
                            victim, leaver, how, id, slow, again, whose, when, 
                            whom, what, turn >>

write(self) == W1(self) \/ W3(self) \/ W2(self)

M1(self) == /\ pc[self] = "M1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ acts' = acts
                  ELSE /\ IF acts[self] /\ Tree(self).node.id = self
                             THEN /\ acts' = [acts EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = "M2"]
                                  /\ stack' = stack
                             ELSE /\ acts' = [acts EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

M2(self) == /\ pc[self] = "M2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << node, watching, cut, late, queue, 
                                       robbed >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ MayDelete(self)
                                        THEN /\ robbed' = (robbed \/ node.session # session[self])
                                             /\ node' = Vacant
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                                            THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                                             /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "reelect")]
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << node, watching, 
                                                             late, queue, 
                                                             robbed >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "M3"]
                                  /\ stack' = stack
                             ELSE /\ IF MayDelete(self)
                                        THEN /\ robbed' = (robbed \/ node.session # session[self])
                                             /\ node' = Vacant
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = self)
                                                                            THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # self}
                                             /\ late' = [b \in Brokers |-> IF b = self THEN << >> ELSE Missing(late[b], "reelect")]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                             /\ UNCHANGED << node, robbed >>
                                  /\ cut' = cut
            /\ UNCHANGED << epoch, part, live, session, sessions, busy, acts, 
                            own, known, leaves, over, elections, stale, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

M3(self) == /\ pc[self] = "M3"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "M2"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

give_up(self) == M1(self) \/ M2(self) \/ M3(self)

E1(self) == /\ pc[self] = "E1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << node, watching, cut, late, queue, acts >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ node = Vacant
                                        THEN /\ node' = Mine(self)
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                                            THEN Append(queue[b], Due(late[b], "change")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                                             /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "change")]
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << node, watching, 
                                                             late, queue >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "E2"]
                                  /\ acts' = acts
                             ELSE /\ IF node = Vacant
                                        THEN /\ node' = Mine(self)
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = self)
                                                                            THEN Append(queue[b], Due(late[b], "change")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # self}
                                             /\ late' = [b \in Brokers |-> IF b = self THEN << >> ELSE Missing(late[b], "change")]
                                             /\ acts' = [acts EXCEPT ![self] = TRUE]
                                             /\ pc' = [pc EXCEPT ![self] = "E4"]
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = "E3"]
                                             /\ UNCHANGED << node, acts >>
                                  /\ cut' = cut
                       /\ stack' = stack
            /\ UNCHANGED << epoch, part, live, session, sessions, busy, own, 
                            known, leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

E2(self) == /\ pc[self] = "E2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "E1"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

E3(self) == /\ pc[self] = "E3"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ acts' = acts
                  ELSE /\ IF Tree(self).node = Vacant
                             THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                                  /\ UNCHANGED << acts, stack >>
                             ELSE /\ IF Tree(self).node.session # session[self]
                                        THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                             /\ acts' = acts
                                        ELSE /\ acts' = [acts EXCEPT ![self] = TRUE]
                                             /\ pc' = [pc EXCEPT ![self] = "E4"]
                                             /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

E4(self) == /\ pc[self] = "E4"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ own' = own
                  ELSE /\ own' = [own EXCEPT ![self] = Tree(self).epoch]
                       /\ pc' = [pc EXCEPT ![self] = "E5"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

E5(self) == /\ pc[self] = "E5"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << epoch, watching, cut, late, queue, acts, 
                                       own, elections >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ epoch.version = own[self].version
                                        THEN /\ epoch' = [value |-> (own[self]).value + 1, version |-> epoch.version + 1]
                                             /\ elections' = elections + 1
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << epoch, elections >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "E6"]
                                  /\ UNCHANGED << watching, late, queue, acts, 
                                                  own, stack >>
                             ELSE /\ IF epoch.version = own[self].version
                                        THEN /\ epoch' = [value |-> (own[self]).value + 1, version |-> epoch.version + 1]
                                             /\ elections' = elections + 1
                                             /\ own' = [own EXCEPT ![self] = epoch']
                                             /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "write_early",
                                                                                      pc        |->  Head(stack[self]).pc ] >>
                                                                                  \o Tail(stack[self])]
                                             /\ pc' = [pc EXCEPT ![self] = "X1"]
                                             /\ acts' = acts
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ acts' = [acts EXCEPT ![self] = FALSE]
                                             /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "give_up_early",
                                                                                      pc        |->  Head(stack[self]).pc ] >>
                                                                                  \o Tail(stack[self])]
                                             /\ pc' = [pc EXCEPT ![self] = "D1"]
                                             /\ UNCHANGED << epoch, own, 
                                                             elections >>
                                  /\ cut' = cut
            /\ UNCHANGED << node, part, live, session, sessions, busy, known, 
                            leaves, over, stale, robbed, overwritten, seen, of, 
                            victim, leaver, how, id, slow, again, whose, when, 
                            whom, what, turn >>

E6(self) == /\ pc[self] = "E6"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "E5"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

elect_early(self) == E1(self) \/ E2(self) \/ E3(self) \/ E4(self)
                        \/ E5(self) \/ E6(self)

X1(self) == /\ pc[self] = "X1"
            /\ IF Gone(self) \/ Tree(self).part.by > own[self].value
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ known' = known
                  ELSE /\ known' = [known EXCEPT ![self] = Tree(self).part]
                       /\ pc' = [pc EXCEPT ![self] = "X2"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

X2(self) == /\ pc[self] = "X2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << part, watching, cut, late, queue, known, 
                                       stale, overwritten >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ part.version = known[self].version
                                        THEN /\ part' = [New(known[self], own[self]) EXCEPT !.version = part.version + 1]
                                             /\ stale' = (stale \/ epoch.value # own[self].value)
                                             /\ overwritten' = (overwritten \/ part'.version # known[self].version + 1)
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << part, stale, 
                                                             overwritten >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "X4"]
                                  /\ UNCHANGED << watching, late, queue, known, 
                                                  stack >>
                             ELSE /\ IF part.version = known[self].version
                                        THEN /\ part' = [New(known[self], own[self]) EXCEPT !.version = part.version + 1]
                                             /\ stale' = (stale \/ epoch.value # own[self].value)
                                             /\ overwritten' = (overwritten \/ part'.version # known[self].version + 1)
                                             /\ known' = [known EXCEPT ![self] = part']
                                             /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = "X3"]
                                             /\ UNCHANGED << part, known, 
                                                             stale, 
                                                             overwritten, 
                                                             stack >>
                                  /\ cut' = cut
            /\ UNCHANGED << node, epoch, live, session, sessions, busy, acts, 
                            own, leaves, over, elections, robbed, seen, of, 
                            victim, leaver, how, id, slow, again, whose, when, 
                            whom, what, turn >>

X4(self) == /\ pc[self] = "X4"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "X2"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

X3(self) == /\ pc[self] = "X3"
            /\ IF Gone(self) \/ Tree(self).part.by > own[self].value
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ known' = known
                  ELSE /\ IF Tree(self).part = New(known[self], own[self])
                             THEN /\ known' = [known EXCEPT ![self] = Tree(self).part]
                                  /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                             ELSE /\ known' = [known EXCEPT ![self] = Tree(self).part]
                                  /\ pc' = [pc EXCEPT ![self] = "X2"]
                                  /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

write_early(self) == X1(self) \/ X2(self) \/ X4(self) \/ X3(self)

D1(self) == /\ pc[self] = "D1"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << node, watching, cut, late, queue, 
                                       robbed >>
                  ELSE /\ IF cut[self] # None
                             THEN /\ IF cut[self] = "after" /\ node # Vacant
                                        THEN /\ robbed' = (robbed \/ node.session # session[self])
                                             /\ node' = Vacant
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                                            THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                                             /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "reelect")]
                                        ELSE /\ TRUE
                                             /\ UNCHANGED << node, watching, 
                                                             late, queue, 
                                                             robbed >>
                                  /\ cut' = [cut EXCEPT ![self] = None]
                                  /\ pc' = [pc EXCEPT ![self] = "D2"]
                                  /\ stack' = stack
                             ELSE /\ IF node # Vacant
                                        THEN /\ robbed' = (robbed \/ node.session # session[self])
                                             /\ node' = Vacant
                                             /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = self)
                                                                            THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                                             /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # self}
                                             /\ late' = [b \in Brokers |-> IF b = self THEN << >> ELSE Missing(late[b], "reelect")]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                        ELSE /\ IF self \in watching /\ Tree(self).missed # None
                                                   THEN /\ queue' = [queue EXCEPT ![self] = Append(queue[self], Tree(self).missed)]
                                                        /\ watching' = watching \ {self}
                                                   ELSE /\ TRUE
                                                        /\ UNCHANGED << watching, 
                                                                        queue >>
                                             /\ late' = [late EXCEPT ![self] = << >>]
                                             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                             /\ UNCHANGED << node, robbed >>
                                  /\ cut' = cut
            /\ UNCHANGED << epoch, part, live, session, sessions, busy, acts, 
                            own, known, leaves, over, elections, stale, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

D2(self) == /\ pc[self] = "D2"
            /\ IF Gone(self)
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D1"]
                       /\ stack' = stack
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, whom, what, turn >>

give_up_early(self) == D1(self) \/ D2(self)

Y1(self) == /\ pc[self] = "Y1"
            /\ of[self] \notin live
            /\ IF leaves[of[self]] # None
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ of' = [of EXCEPT ![self] = Head(stack[self]).of]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ queue' = queue
                  ELSE /\ queue' = [queue EXCEPT ![of[self]] = <<"expire">>]
                       /\ pc' = [pc EXCEPT ![self] = "Y2"]
                       /\ UNCHANGED << stack, of >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

Y2(self) == /\ pc[self] = "Y2"
            /\ ~Has(queue[of[self]], "expire")
            /\ IF leaves[of[self]] = None
                  THEN /\ sessions' = sessions + 1
                       /\ session' = [session EXCEPT ![of[self]] = sessions']
                       /\ live' = (live \cup {of[self]})
                       /\ queue' = [queue EXCEPT ![of[self]] = Append(queue[of[self]], "register")]
                  ELSE /\ TRUE
                       /\ UNCHANGED << live, session, sessions, queue >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ of' = [of EXCEPT ![self] = Head(stack[self]).of]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, watching, cut, late, busy, acts, 
                            own, known, leaves, over, elections, stale, robbed, 
                            overwritten, seen, victim, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

connect(self) == Y1(self) \/ Y2(self)

N1(self) == /\ pc[self] = "N1"
            /\ live' = live \ {victim[self]}
            /\ cut' = [cut EXCEPT ![victim[self]] = None]
            /\ IF node.session = session[victim[self]]
                  THEN /\ node' = Vacant
                       /\ queue' = [b \in Brokers |-> IF b \in watching \ ({victim[self]}) /\ (late[b] = << >> \/ b = None)
                                                      THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                       /\ watching' = {b \in watching \ ({victim[self]}) : late[b] # << >> /\ b # None}
                       /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "reelect")]
                  ELSE /\ watching' = watching \ {victim[self]}
                       /\ UNCHANGED << node, late, queue >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ victim' = [victim EXCEPT ![self] = Head(stack[self]).victim]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << epoch, part, session, sessions, busy, acts, own, 
                            known, leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, leaver, how, id, slow, 
                            again, whose, when, whom, what, turn >>

expire(self) == N1(self)

L1(self) == /\ pc[self] = "L1"
            /\ leaves' = [leaves EXCEPT ![leaver[self]] = how[self]]
            /\ queue' = [queue EXCEPT ![leaver[self]] = IF how[self] = "gracefully" THEN <<"shutdown">> ELSE << >>]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ leaver' = [leaver EXCEPT ![self] = Head(stack[self]).leaver]
            /\ how' = [how EXCEPT ![self] = Head(stack[self]).how]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, busy, acts, own, known, over, 
                            elections, stale, robbed, overwritten, seen, of, 
                            victim, id, slow, again, whose, when, whom, what, 
                            turn >>

leave(self) == L1(self)

N2(self) == /\ pc[self] = "N2"
            /\ IF node # Vacant
                  THEN /\ node' = Vacant
                       /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                      THEN Append(queue[b], Due(late[b], "reelect")) ELSE queue[b]]
                       /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                       /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "reelect")]
                  ELSE /\ TRUE
                       /\ UNCHANGED << node, watching, late, queue >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << epoch, part, live, session, sessions, cut, busy, 
                            acts, own, known, leaves, over, elections, stale, 
                            robbed, overwritten, seen, of, victim, leaver, how, 
                            id, slow, again, whose, when, whom, what, turn >>

remove(self) == N2(self)

N8(self) == /\ pc[self] = "N8"
            /\ IF node # Vacant
                  THEN /\ node' = [node EXCEPT !.id = id[self]]
                       /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                      THEN Append(queue[b], Due(late[b], "change")) ELSE queue[b]]
                       /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                       /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "change")]
                  ELSE /\ TRUE
                       /\ UNCHANGED << node, watching, late, queue >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ id' = [id EXCEPT ![self] = Head(stack[self]).id]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << epoch, part, live, session, sessions, cut, busy, 
                            acts, own, known, leaves, over, elections, stale, 
                            robbed, overwritten, seen, of, victim, leaver, how, 
                            slow, again, whose, when, whom, what, turn >>

overwrite(self) == N8(self)

N9(self) == /\ pc[self] = "N9"
            /\ late' = [late EXCEPT ![slow[self]] = <<Tree(slow[self])>>]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ slow' = [slow EXCEPT ![self] = Head(stack[self]).slow]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            again, whose, when, whom, what, turn >>

lag(self) == N9(self)

N0(self) == /\ pc[self] = "N0"
            /\ IF again[self] \in watching /\ Tree(again[self]).missed # None
                  THEN /\ queue' = [queue EXCEPT ![again[self]] = Append(queue[again[self]], Tree(again[self]).missed)]
                       /\ watching' = watching \ {again[self]}
                  ELSE /\ TRUE
                       /\ UNCHANGED << watching, queue >>
            /\ late' = [late EXCEPT ![again[self]] = << >>]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ again' = [again EXCEPT ![self] = Head(stack[self]).again]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, cut, 
                            busy, acts, own, known, leaves, over, elections, 
                            stale, robbed, overwritten, seen, of, victim, 
                            leaver, how, id, slow, whose, when, whom, what, 
                            turn >>

hear(self) == N0(self)

N3(self) == /\ pc[self] = "N3"
            /\ IF whose[self] \in live
                  THEN /\ cut' = [cut EXCEPT ![whose[self]] = when[self]]
                  ELSE /\ TRUE
                       /\ cut' = cut
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ whose' = [whose EXCEPT ![self] = Head(stack[self]).whose]
            /\ when' = [when EXCEPT ![self] = Head(stack[self]).when]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whom, what, turn >>

lose(self) == N3(self)

N4(self) == /\ pc[self] = "N4"
            /\ queue' = [queue EXCEPT ![whom[self]] = Append(queue[whom[self]], what[self])]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ whom' = [whom EXCEPT ![self] = Head(stack[self]).whom]
            /\ what' = [what EXCEPT ![self] = Head(stack[self]).what]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen, of, victim, leaver, how, id, 
                            slow, again, whose, when, turn >>

notify(self) == N4(self)

N5(self) == /\ pc[self] = "N5"
            /\ part' = [part EXCEPT !.isr = part.isr + 1, !.version = part.version + 1]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, live, session, sessions, watching, 
                            cut, late, queue, busy, acts, own, known, leaves, 
                            over, elections, stale, robbed, overwritten, seen, 
                            of, victim, leaver, how, id, slow, again, whose, 
                            when, whom, what, turn >>

shrink(self) == N5(self)

N7(self) == /\ pc[self] = "N7"
            /\ IF node = Vacant
                  THEN /\ epoch' = [value |-> epoch.value + 1, version |-> epoch.version + 1]
                       /\ elections' = elections + 1
                       /\ part' = New(part, epoch')
                       /\ node' = Vacant
                       /\ queue' = [b \in Brokers |-> IF b \in watching \ ({}) /\ (late[b] = << >> \/ b = None)
                                                      THEN Append(queue[b], Due(late[b], "change")) ELSE queue[b]]
                       /\ watching' = {b \in watching \ ({}) : late[b] # << >> /\ b # None}
                       /\ late' = [b \in Brokers |-> IF b = None THEN << >> ELSE Missing(late[b], "change")]
                  ELSE /\ TRUE
                       /\ UNCHANGED << node, epoch, part, watching, late, 
                                       queue, elections >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << live, session, sessions, cut, busy, acts, own, 
                            known, leaves, over, stale, robbed, overwritten, 
                            seen, of, victim, leaver, how, id, slow, again, 
                            whose, when, whom, what, turn >>

visit(self) == N7(self)

N6(self) == /\ pc[self] = "N6"
            /\     busy = {} /\ \A b \in Brokers : Left(b)
               \/ (b \in live /\ leaves[b] = None /\ queue[b] = << >> /\ late[b] = << >>)
            /\ over' = TRUE
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, elections, stale, robbed, overwritten, 
                            seen, of, victim, leaver, how, id, slow, again, 
                            whose, when, whom, what, turn >>

rest(self) == N6(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ LET op == Program[self][turn[self]] IN
                            /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                            /\ IF op[1] = "serve"
                                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "serve",
                                                                                pc        |->  "T0" ] >>
                                                                            \o stack[self]]
                                       /\ pc' = [pc EXCEPT ![self] = "A1"]
                                       /\ UNCHANGED << of, victim, leaver, how, 
                                                       id, slow, again, whose, 
                                                       when, whom, what >>
                                  ELSE /\ IF op[1] = "connect"
                                             THEN /\ /\ of' = [of EXCEPT ![self] = op[2]]
                                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "connect",
                                                                                              pc        |->  "T0",
                                                                                              of        |->  of[self] ] >>
                                                                                          \o stack[self]]
                                                  /\ pc' = [pc EXCEPT ![self] = "Y1"]
                                                  /\ UNCHANGED << victim, 
                                                                  leaver, how, 
                                                                  id, slow, 
                                                                  again, whose, 
                                                                  when, whom, 
                                                                  what >>
                                             ELSE /\ IF op[1] = "expire"
                                                        THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "expire",
                                                                                                         pc        |->  "T0",
                                                                                                         victim    |->  victim[self] ] >>
                                                                                                     \o stack[self]]
                                                                /\ victim' = [victim EXCEPT ![self] = op[2]]
                                                             /\ pc' = [pc EXCEPT ![self] = "N1"]
                                                             /\ UNCHANGED << leaver, 
                                                                             how, 
                                                                             id, 
                                                                             slow, 
                                                                             again, 
                                                                             whose, 
                                                                             when, 
                                                                             whom, 
                                                                             what >>
                                                        ELSE /\ IF op[1] = "leave"
                                                                   THEN /\ /\ how' = [how EXCEPT ![self] = op[3]]
                                                                           /\ leaver' = [leaver EXCEPT ![self] = op[2]]
                                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "leave",
                                                                                                                    pc        |->  "T0",
                                                                                                                    leaver    |->  leaver[self],
                                                                                                                    how       |->  how[self] ] >>
                                                                                                                \o stack[self]]
                                                                        /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                                        /\ UNCHANGED << id, 
                                                                                        slow, 
                                                                                        again, 
                                                                                        whose, 
                                                                                        when, 
                                                                                        whom, 
                                                                                        what >>
                                                                   ELSE /\ IF op[1] = "remove"
                                                                              THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                                                                            pc        |->  "T0" ] >>
                                                                                                                        \o stack[self]]
                                                                                   /\ pc' = [pc EXCEPT ![self] = "N2"]
                                                                                   /\ UNCHANGED << id, 
                                                                                                   slow, 
                                                                                                   again, 
                                                                                                   whose, 
                                                                                                   when, 
                                                                                                   whom, 
                                                                                                   what >>
                                                                              ELSE /\ IF op[1] = "shrink"
                                                                                         THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "shrink",
                                                                                                                                       pc        |->  "T0" ] >>
                                                                                                                                   \o stack[self]]
                                                                                              /\ pc' = [pc EXCEPT ![self] = "N5"]
                                                                                              /\ UNCHANGED << id, 
                                                                                                              slow, 
                                                                                                              again, 
                                                                                                              whose, 
                                                                                                              when, 
                                                                                                              whom, 
                                                                                                              what >>
                                                                                         ELSE /\ IF op[1] = "lose"
                                                                                                    THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lose",
                                                                                                                                                     pc        |->  "T0",
                                                                                                                                                     whose     |->  whose[self],
                                                                                                                                                     when      |->  when[self] ] >>
                                                                                                                                                 \o stack[self]]
                                                                                                            /\ when' = [when EXCEPT ![self] = op[3]]
                                                                                                            /\ whose' = [whose EXCEPT ![self] = op[2]]
                                                                                                         /\ pc' = [pc EXCEPT ![self] = "N3"]
                                                                                                         /\ UNCHANGED << id, 
                                                                                                                         slow, 
                                                                                                                         again, 
                                                                                                                         whom, 
                                                                                                                         what >>
                                                                                                    ELSE /\ IF op[1] = "notify"
                                                                                                               THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "notify",
                                                                                                                                                                pc        |->  "T0",
                                                                                                                                                                whom      |->  whom[self],
                                                                                                                                                                what      |->  what[self] ] >>
                                                                                                                                                            \o stack[self]]
                                                                                                                       /\ what' = [what EXCEPT ![self] = op[3]]
                                                                                                                       /\ whom' = [whom EXCEPT ![self] = op[2]]
                                                                                                                    /\ pc' = [pc EXCEPT ![self] = "N4"]
                                                                                                                    /\ UNCHANGED << id, 
                                                                                                                                    slow, 
                                                                                                                                    again >>
                                                                                                               ELSE /\ IF op[1] = "overwrite"
                                                                                                                          THEN /\ /\ id' = [id EXCEPT ![self] = op[2]]
                                                                                                                                  /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "overwrite",
                                                                                                                                                                           pc        |->  "T0",
                                                                                                                                                                           id        |->  id[self] ] >>
                                                                                                                                                                       \o stack[self]]
                                                                                                                               /\ pc' = [pc EXCEPT ![self] = "N8"]
                                                                                                                               /\ UNCHANGED << slow, 
                                                                                                                                               again >>
                                                                                                                          ELSE /\ IF op[1] = "lag"
                                                                                                                                     THEN /\ /\ slow' = [slow EXCEPT ![self] = op[2]]
                                                                                                                                             /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lag",
                                                                                                                                                                                      pc        |->  "T0",
                                                                                                                                                                                      slow      |->  slow[self] ] >>
                                                                                                                                                                                  \o stack[self]]
                                                                                                                                          /\ pc' = [pc EXCEPT ![self] = "N9"]
                                                                                                                                          /\ again' = again
                                                                                                                                     ELSE /\ IF op[1] = "hear"
                                                                                                                                                THEN /\ /\ again' = [again EXCEPT ![self] = op[2]]
                                                                                                                                                        /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "hear",
                                                                                                                                                                                                 pc        |->  "T0",
                                                                                                                                                                                                 again     |->  again[self] ] >>
                                                                                                                                                                                             \o stack[self]]
                                                                                                                                                     /\ pc' = [pc EXCEPT ![self] = "N0"]
                                                                                                                                                ELSE /\ IF op[1] = "visit"
                                                                                                                                                           THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "visit",
                                                                                                                                                                                                         pc        |->  "T0" ] >>
                                                                                                                                                                                                     \o stack[self]]
                                                                                                                                                                /\ pc' = [pc EXCEPT ![self] = "N7"]
                                                                                                                                                           ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "rest",
                                                                                                                                                                                                         pc        |->  "T0" ] >>
                                                                                                                                                                                                     \o stack[self]]
                                                                                                                                                                /\ pc' = [pc EXCEPT ![self] = "N6"]
                                                                                                                                                     /\ again' = again
                                                                                                                                          /\ slow' = slow
                                                                                                                               /\ id' = id
                                                                                                                    /\ UNCHANGED << whom, 
                                                                                                                                    what >>
                                                                                                         /\ UNCHANGED << whose, 
                                                                                                                         when >>
                                                                        /\ UNCHANGED << leaver, 
                                                                                        how >>
                                                             /\ UNCHANGED victim
                                                  /\ of' = of
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, of, victim, leaver, how, id, 
                                       slow, again, whose, when, whom, what, 
                                       turn >>
            /\ UNCHANGED << node, epoch, part, live, session, sessions, 
                            watching, cut, late, queue, busy, acts, own, known, 
                            leaves, over, elections, stale, robbed, 
                            overwritten, seen >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ serve(self) \/ close(self) \/ elect(self)
                               \/ write(self) \/ give_up(self)
                               \/ elect_early(self) \/ write_early(self)
                               \/ give_up_early(self) \/ connect(self)
                               \/ expire(self) \/ leave(self)
                               \/ remove(self) \/ overwrite(self)
                               \/ lag(self) \/ hear(self) \/ lose(self)
                               \/ notify(self) \/ shrink(self)
                               \/ visit(self) \/ rest(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(serve(self))
                                 /\ WF_vars(connect(self))
                                 /\ WF_vars(expire(self))
                                 /\ WF_vars(leave(self))
                                 /\ WF_vars(remove(self))
                                 /\ WF_vars(shrink(self))
                                 /\ WF_vars(lose(self))
                                 /\ WF_vars(notify(self))
                                 /\ WF_vars(overwrite(self))
                                 /\ WF_vars(lag(self))
                                 /\ WF_vars(hear(self))
                                 /\ WF_vars(visit(self))
                                 /\ WF_vars(rest(self))
                                 /\ WF_vars(close(self))
                                 /\ WF_vars(elect(self))
                                 /\ WF_vars(write(self))
                                 /\ WF_vars(give_up(self))
                                 /\ WF_vars(elect_early(self))
                                 /\ WF_vars(write_early(self))
                                 /\ WF_vars(give_up_early(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
=============================================================================

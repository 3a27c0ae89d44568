------------------------------ MODULE Purgatory ------------------------------
(***************************************************************************)
(* Kafka's DelayedOperationPurgatory: what holds a request until an event   *)
(* completes it or its timeout expires it.  Kafka 4.1's order of steps,     *)
(* with operations of the generation Blocking; or with those of TryPending, *)
(* whose callers never wait for an operation's lock (1.1 to 2.6).           *)
(*                                                                          *)
(* A thread enters an operation (A, W): under the operation's lock it tries *)
(* it, adds it to the watcher list of each of its keys, and tries it again. *)
(* If it is not completed it goes into the timer, and is cancelled there if *)
(* it was completed meanwhile.  An event makes a condition true and checks  *)
(* a key (C): every operation in the key's list is tried (B), and leaves    *)
(* the list if it is completed.  An empty list leaves its shard (R).  The   *)
(* timer expires an operation (K1, V1).  A key may be cancelled (F), and    *)
(* completed operations are purged (G, H).  A caller may hold a lock of its *)
(* own (J), which an operation's onComplete takes, too (D2, D3).            *)
(*                                                                          *)
(* TryPending: a thread enters an operation without its lock, and tries it  *)
(* again as others do (P): who does not get the lock leaves a note for who  *)
(* has it.  Its forceComplete (X) compares and sets, and holds no lock.     *)
(*                                                                          *)
(* One label is one step: every lock and unlock, every access of completed, *)
(* of a condition, of a shard's map.  An operation on a watcher list is one *)
(* step: the list has a lock of its own.  So is one of the timer's, whose   *)
(* cancel TimerTaskList shows to be one.  A traversal of a list is one of   *)
(* Java's ConcurrentLinkedQueue.  Its iterator holds the next operation     *)
(* when it is made (C4), and looks for the one behind when it gives what it *)
(* holds (C0).  Once it has found none it does not look again: what comes   *)
(* into the list by then is not met.  An operation that has left a list     *)
(* stays in content as NULL, so that its place names it.                    *)
(*                                                                          *)
(* purge and watched take no lock.  They go through a shard's map as Java's *)
(* streams do.  A map that never had a list has no table when its stream is *)
(* made, and is passed over even if one comes (G5, N1).  In any other the   *)
(* next list, by the keys' hashes, is looked for when it is due (G6, N2).   *)
(* Simplified away: the delay.  The timer may expire what it has at once.   *)
(***************************************************************************)
EXTENDS PurgatoryScenario, Integers, Sequences, FiniteSets, TLC

(*--algorithm Purgatory
variables
  ready     = [c \in Conditions |-> FALSE],
  completed = [o \in Operations |-> FALSE],
  pending   = [o \in Operations |-> FALSE],   \* tryCompletePending
  lock      = [o \in Operations |-> Free],    \* the operation's own, re-entrant
  outer     = NULL,                           \* the thread that has the callers' own lock
  armed     = [o \in Operations |-> FALSE],   \* the timer has its task
  entering  = [o \in Operations |-> TRUE],    \* its tryCompleteElseWatch has not returned
  shard     = [s \in 1..Shards |-> NULL],     \* the thread that has the shard's lock
  list      = [k \in Keys |-> 0],             \* the key's watcher list by its number, or 0
  used      = [s \in 1..Shards |-> FALSE],    \* the shard's map has had a list
  content   = [k \in Keys |-> <<>>],          \* all lists that were made for the key
  estimated = 0,                              \* estimatedTotalOperations
  completions = [o \in Operations |-> 0],     \* calls of onComplete
  expirations = [o \in Operations |-> 0],     \* calls of onExpiration
  \* What a call returned or raised: in code on the thread's stack, here by thread.
  won       = [t \in Threads |-> FALSE],
  raised    = [t \in Threads |-> FALSE],
  count     = [t \in Threads |-> 0],
  taken     = [t \in Threads |-> <<>>],
  \* History: what the properties speak of; no step reads it.
  winner    = [o \in Operations |-> NULL],    \* the thread that completed the operation
  expiredBy = [o \in Operations |-> {}],      \* the threads that ran onExpiration
  places    = [o \in Operations |-> {}],      \* <<key, list>> that the operation was added to
  dropped   = {},                             \* <<key, list>> that cancelForKey took
  revoked   = {};                             \* the operations that cancelForKey cancelled

define
  Empty(k, w) == Live(content[k][w]) = 0
  \* The shard's key that has a list and comes next in the order of hashes, behind k if that is one.
  Behind(s, k) == LET found == {j \in Keys : Shard(j) = s /\ list[j] # 0 /\ Later(j, k)}
                  IN  IF found = {} THEN NULL
                      ELSE CHOOSE j \in found : \A i \in found : Number[j] <= Number[i]
  \* The timer's thread need not wait any more.  No \/: TLC would take one step for each.
  Comes(o) == IF armed[o] THEN TRUE ELSE ~entering[o]
  Delayed == Cardinality({o \in Operations : armed[o]})
end define;

macro enter(o) begin
  await lock[o].owner \in {NULL, self};
  lock[o] := [owner |-> self, depth |-> lock[o].depth + 1];
end macro;

macro leave(o) begin
  lock[o] := IF lock[o].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[o].depth - 1];
end macro;

\* the cancel of an operation's timer task
procedure cancelTask(xo = NULL)
begin
Q1:  armed[xo] := FALSE;
     return;
end procedure;

\* onComplete of the worked operation
procedure onComplete(co = NULL)
begin
D1:  completions[co] := completions[co] + 1;
     if co \in Locking then goto D2;
     elsif co \in Raises then raised[self] := TRUE; return;
     elsif Adds[co] = <<>> then return;
     else call tryCompleteElseWatch(Adds[co][1]); return;
     end if;
D2:  await outer = NULL;
     outer := self;
D3:  outer := NULL;
     return;
end procedure;

\* forceComplete of TryPending: a compare-and-set, without the lock
procedure forceUnlocked(uo = NULL)
begin
X1:  if completed[uo] then won[self] := FALSE; return;
     else
       completed[uo] := TRUE;
       winner[uo] := self;
       call cancelTask(uo);
     end if;
X3:  call onComplete(uo);
X4:  won[self] := TRUE;
     return;
end procedure;

\* forceComplete
procedure forceComplete(lo = NULL)
begin
L1:  if completed[lo] then won[self] := FALSE; return; end if;
L2:  enter(lo);
L3:  if completed[lo] then won[self] := FALSE;
     else
L4:    completed[lo] := TRUE;
       winner[lo] := self;
       call cancelTask(lo);
L5:    call onComplete(lo);
L6:    won[self] := TRUE;
     end if;
L7:  leave(lo);
     return;
end procedure;

\* tryComplete of the worked operation
procedure tryComplete(yo = NULL)
begin
Y1:  if ~ready[Need[yo]] then won[self] := FALSE; return;
     elsif Protocol = "TryPending" then call forceUnlocked(yo); return;
     else call forceComplete(yo); return;
     end if;
end procedure;

\* maybeTryComplete of TryPending: who does not get the lock leaves a note for who has it
procedure tryPending(po = NULL)
variables retry = FALSE;
begin
P1:  if lock[po].owner \in {NULL, self} then
       enter(po);
P2:    pending[po] := FALSE;
       call tryComplete(po);
P3:    leave(po);
       if raised[self] then return; end if;
P4:    retry := pending[po];
     else
P5:    retry := ~pending[po];
       pending[po] := TRUE;
       won[self] := FALSE;
     end if;
P6:  if retry /\ ~completed[po] then goto P1; else return; end if;
end procedure;

\* safeTryComplete
procedure safeTryComplete(bo = NULL)
begin
B1:  enter(bo);
B2:  if completed[bo] then won[self] := FALSE;
     else call tryComplete(bo);
     end if;
B3:  leave(bo);
     return;
end procedure;

\* tryCompleteElseWatch with safeTryCompleteOrElse and watchForOperation
procedure tryCompleteElseWatch(ao = NULL)
variables nth = 1, found = 0;
begin
A0:  if Protocol = "TryPending" then call tryComplete(ao); goto A2; end if;
A1:  enter(ao);
     call tryComplete(ao);
A2:  if raised[self] \/ won[self] then
       if Protocol = "TryPending" then goto Z1; else goto A4; end if;
     end if;
W0:  while nth <= Len(KeysOf[ao]) do
W1:    if completed[ao] then nth := nth + 1;
       else
W2:      await shard[Shard(KeysOf[ao][nth])] = NULL;
         shard[Shard(KeysOf[ao][nth])] := self;
W3:      if list[KeysOf[ao][nth]] # 0 then found := list[KeysOf[ao][nth]];
         else
           content[KeysOf[ao][nth]] := Append(content[KeysOf[ao][nth]], <<>>);
           found := Len(content[KeysOf[ao][nth]]);
W4:        list[KeysOf[ao][nth]] := found;
           used[Shard(KeysOf[ao][nth])] := TRUE;
         end if;
W5:      content[KeysOf[ao][nth]][found] := Append(content[KeysOf[ao][nth]][found], ao);
         places[ao] := places[ao] \cup {<<KeysOf[ao][nth], found>>};
W6:      shard[Shard(KeysOf[ao][nth])] := NULL;
         nth := nth + 1;
         found := 0;
       end if;
     end while;
A3:  estimated := estimated + 1;
     if Protocol = "TryPending" then call tryPending(ao); goto A8;
     else call tryComplete(ao);
     end if;
A4:  leave(ao);
     if raised[self] \/ won[self] then goto Z1; else goto A5; end if;
A8:  if raised[self] \/ won[self] then goto Z1; end if;
A5:  if completed[ao] then goto Z1; end if;
A6:  armed[ao] := TRUE;
A7:  if completed[ao] then call cancelTask(ao); end if;
Z1:  entering[ao] := FALSE;
     return;
end procedure;

\* removeKeyIfEmpty
procedure removeKeyIfEmpty(rk = NULL, rw = 0)
begin
R1:  await shard[Shard(rk)] = NULL;
     shard[Shard(rk)] := self;
R2:  if list[rk] = rw then
R3:    if Empty(rk, rw) then
R4:      list[rk] := 0;
       end if;
     end if;
R5:  shard[Shard(rk)] := NULL;
     return;
end procedure;

\* checkAndComplete with tryCompleteWatched
procedure checkAndComplete(ck = NULL)
variables mine = 0, ahead = <<0, NULL>>, here = <<0, NULL>>;
begin
C1:  await shard[Shard(ck)] = NULL;
     shard[Shard(ck)] := self;
C2:  mine := list[ck];
C3:  shard[Shard(ck)] := NULL;
     if mine = 0 then return; end if;
C4:  ahead := First(content[ck][mine], 1);
     if ahead = Nowhere then goto C8; end if;
C0:  here := ahead;
     ahead := First(content[ck][mine], here[1] + 1);
C5:  if ~completed[here[2]] then
       if Protocol = "TryPending" then call tryPending(here[2]);
       else call safeTryComplete(here[2]);
       end if;
C6:    if raised[self] then return;
       elsif won[self] then count[self] := count[self] + 1;
       elsif ahead = Nowhere then goto C8;
       else goto C0;
       end if;
     end if;
C7:  content[ck][mine][here[1]] := NULL;
     if ahead # Nowhere then goto C0; end if;
C8:  if Empty(ck, mine) then call removeKeyIfEmpty(ck, mine); return;
     else return;
     end if;
end procedure;

\* cancelForKey with Watchers.cancel
procedure cancelForKey(fk = NULL)
variables gone = 0, left = <<0, NULL>>, held = <<0, NULL>>;
begin
F1:  await shard[Shard(fk)] = NULL;
     shard[Shard(fk)] := self;
F2:  gone := list[fk];
     dropped := dropped \cup {<<fk, list[fk]>>};
     list[fk] := 0;
     if gone = 0 then goto F6; end if;
F3:  left := First(content[fk][gone], 1);
     if left = Nowhere then goto F6; end if;
F4:  held := left;
     left := First(content[fk][gone], held[1] + 1);
     taken[self] := Append(taken[self], held[2]);
     revoked := revoked \cup {held[2]};
     call cancelTask(held[2]);
F5:  content[fk][gone][held[1]] := NULL;
     if left # Nowhere then goto F4; end if;
F6:  shard[Shard(fk)] := NULL;
     return;
end procedure;

\* purgeCompleted of one watcher list
procedure purgeCompleted(hk = NULL, hw = 0)
variables some = <<0, NULL>>, one = <<0, NULL>>;
begin
H1:  some := First(content[hk][hw], 1);
     if some = Nowhere then goto H4; end if;
H0:  one := some;
     some := First(content[hk][hw], one[1] + 1);
H2:  if ~completed[one[2]] then
       if some = Nowhere then goto H4; else goto H0; end if;
     end if;
H3:  content[hk][hw][one[1]] := NULL;
     if some # Nowhere then goto H0; end if;
H4:  if Empty(hk, hw) then call removeKeyIfEmpty(hk, hw); return;
     else return;
     end if;
end procedure;

\* the purge that follows each advance of the timer's clock
procedure purge()
variables guess = 0, at = 1, swept = NULL;
begin
G1:  guess := estimated;
G2:  if guess - Delayed <= Interval then return; end if;
G3:  guess := Delayed;
G4:  estimated := guess;
     guess := 0;
G0:  while at <= Shards do
G5:    if ~used[at] then at := at + 1;
       else
G6:      swept := Behind(at, swept);
         if swept = NULL then at := at + 1;
         else call purgeCompleted(swept, list[swept]); goto G6;
         end if;
       end if;
     end while;
     return;
end procedure;

\* watched: the sum over all lists
procedure watched()
variables no = 1, met = NULL, its = 0;
begin
N0:  while no <= Shards do
N1:    if ~used[no] then no := no + 1;
       else
N2:      met := Behind(no, met);
         if met = NULL then no := no + 1;
         else its := list[met];
N4:        count[self] := count[self] + Live(content[met][its]);
           its := 0;
           goto N2;
         end if;
       end if;
     end while;
     return;
end procedure;

\* A thread runs its program: it enters an operation, brings an event, or is the timer's.
fair process thread \in Threads
variables turn = 1;
begin
T0:  while turn <= Len(Program[self]) do
       turn := turn + 1;
       won[self] := FALSE;
       raised[self] := FALSE;
       count[self] := 0;
       taken[self] := <<>>;
       if Program[self][turn - 1][1] = "watch" then
         call tryCompleteElseWatch(Program[self][turn - 1][2]);
       elsif Program[self][turn - 1][1] = "watch_holding" then
J1:      await outer = NULL;
         outer := self;
         call tryCompleteElseWatch(Program[self][turn - 1][2]);
J2:      outer := NULL;
       elsif Program[self][turn - 1][1] = "deliver" then
E1:      ready[Program[self][turn - 1][2]] := TRUE;
         call checkAndComplete(Program[self][turn - 1][3]);
       elsif Program[self][turn - 1][1] = "check" then
         call checkAndComplete(Program[self][turn - 1][2]);
       elsif Program[self][turn - 1][1] = "force" then
         if Protocol = "TryPending" then call forceUnlocked(Program[self][turn - 1][2]);
         else call forceComplete(Program[self][turn - 1][2]);
         end if;
       elsif Program[self][turn - 1][1] = "cancel_key" then
         call cancelForKey(Program[self][turn - 1][2]);
       elsif Program[self][turn - 1][1] = "purge" then
         call purge();
       elsif Program[self][turn - 1][1] = "watched" then
         call watched();
       elsif Program[self][turn - 1][1] = "num_delayed" then
M1:      count[self] := Delayed;
       else
K1:      await Comes(Program[self][turn - 1][2]);
         if armed[Program[self][turn - 1][2]] then
           armed[Program[self][turn - 1][2]] := FALSE;
           if Protocol = "TryPending" then call forceUnlocked(Program[self][turn - 1][2]);
           else call forceComplete(Program[self][turn - 1][2]);
           end if;
T1:        if ~raised[self] /\ won[self] then
V1:          expirations[Program[self][turn - 1][2]] :=
               expirations[Program[self][turn - 1][2]] + 1;
             expiredBy[Program[self][turn - 1][2]] :=
               expiredBy[Program[self][turn - 1][2]] \cup {self};
           end if;
         end if;
       end if;
     end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "ee8fc63f" /\ chksum(tla) = "3e9d49d")
VARIABLES ready, completed, pending, lock, outer, armed, entering, shard, 
          list, used, content, estimated, completions, expirations, won, 
          raised, count, taken, winner, expiredBy, places, dropped, revoked, 
          pc, stack

(* define statement *)
Empty(k, w) == Live(content[k][w]) = 0

Behind(s, k) == LET found == {j \in Keys : Shard(j) = s /\ list[j] # 0 /\ Later(j, k)}
                IN  IF found = {} THEN NULL
                    ELSE CHOOSE j \in found : \A i \in found : Number[j] <= Number[i]

Comes(o) == IF armed[o] THEN TRUE ELSE ~entering[o]
Delayed == Cardinality({o \in Operations : armed[o]})

VARIABLES xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, ck, mine, 
          ahead, here, fk, gone, left, held, hk, hw, some, one, guess, at, 
          swept, no, met, its, turn

vars == << ready, completed, pending, lock, outer, armed, entering, shard, 
           list, used, content, estimated, completions, expirations, won, 
           raised, count, taken, winner, expiredBy, places, dropped, revoked, 
           pc, stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, rk, 
           rw, ck, mine, ahead, here, fk, gone, left, held, hk, hw, some, one, 
           guess, at, swept, no, met, its, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ ready = [c \in Conditions |-> FALSE]
        /\ completed = [o \in Operations |-> FALSE]
        /\ pending = [o \in Operations |-> FALSE]
        /\ lock = [o \in Operations |-> Free]
        /\ outer = NULL
        /\ armed = [o \in Operations |-> FALSE]
        /\ entering = [o \in Operations |-> TRUE]
        /\ shard = [s \in 1..Shards |-> NULL]
        /\ list = [k \in Keys |-> 0]
        /\ used = [s \in 1..Shards |-> FALSE]
        /\ content = [k \in Keys |-> <<>>]
        /\ estimated = 0
        /\ completions = [o \in Operations |-> 0]
        /\ expirations = [o \in Operations |-> 0]
        /\ won = [t \in Threads |-> FALSE]
        /\ raised = [t \in Threads |-> FALSE]
        /\ count = [t \in Threads |-> 0]
        /\ taken = [t \in Threads |-> <<>>]
        /\ winner = [o \in Operations |-> NULL]
        /\ expiredBy = [o \in Operations |-> {}]
        /\ places = [o \in Operations |-> {}]
        /\ dropped = {}
        /\ revoked = {}
        (* Procedure cancelTask *)
        /\ xo = [ self \in ProcSet |-> NULL]
        (* Procedure onComplete *)
        /\ co = [ self \in ProcSet |-> NULL]
        (* Procedure forceUnlocked *)
        /\ uo = [ self \in ProcSet |-> NULL]
        (* Procedure forceComplete *)
        /\ lo = [ self \in ProcSet |-> NULL]
        (* Procedure tryComplete *)
        /\ yo = [ self \in ProcSet |-> NULL]
        (* Procedure tryPending *)
        /\ po = [ self \in ProcSet |-> NULL]
        /\ retry = [ self \in ProcSet |-> FALSE]
        (* Procedure safeTryComplete *)
        /\ bo = [ self \in ProcSet |-> NULL]
        (* Procedure tryCompleteElseWatch *)
        /\ ao = [ self \in ProcSet |-> NULL]
        /\ nth = [ self \in ProcSet |-> 1]
        /\ found = [ self \in ProcSet |-> 0]
        (* Procedure removeKeyIfEmpty *)
        /\ rk = [ self \in ProcSet |-> NULL]
        /\ rw = [ self \in ProcSet |-> 0]
        (* Procedure checkAndComplete *)
        /\ ck = [ self \in ProcSet |-> NULL]
        /\ mine = [ self \in ProcSet |-> 0]
        /\ ahead = [ self \in ProcSet |-> <<0, NULL>>]
        /\ here = [ self \in ProcSet |-> <<0, NULL>>]
        (* Procedure cancelForKey *)
        /\ fk = [ self \in ProcSet |-> NULL]
        /\ gone = [ self \in ProcSet |-> 0]
        /\ left = [ self \in ProcSet |-> <<0, NULL>>]
        /\ held = [ self \in ProcSet |-> <<0, NULL>>]
        (* Procedure purgeCompleted *)
        /\ hk = [ self \in ProcSet |-> NULL]
        /\ hw = [ self \in ProcSet |-> 0]
        /\ some = [ self \in ProcSet |-> <<0, NULL>>]
        /\ one = [ self \in ProcSet |-> <<0, NULL>>]
        (* Procedure purge *)
        /\ guess = [ self \in ProcSet |-> 0]
        /\ at = [ self \in ProcSet |-> 1]
        /\ swept = [ self \in ProcSet |-> NULL]
        (* Procedure watched *)
        /\ no = [ self \in ProcSet |-> 1]
        /\ met = [ self \in ProcSet |-> NULL]
        /\ its = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

Q1(self) == /\ pc[self] = "Q1"
            /\ armed' = [armed EXCEPT ![xo[self]] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ xo' = [xo EXCEPT ![self] = Head(stack[self]).xo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, co, uo, lo, 
                            yo, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

cancelTask(self) == Q1(self)

D1(self) == /\ pc[self] = "D1"
            /\ completions' = [completions EXCEPT ![co[self]] = completions[co[self]] + 1]
            /\ IF co[self] \in Locking
                  THEN /\ pc' = [pc EXCEPT ![self] = "D2"]
                       /\ UNCHANGED << raised, stack, co, ao, nth, found >>
                  ELSE /\ IF co[self] \in Raises
                             THEN /\ raised' = [raised EXCEPT ![self] = TRUE]
                                  /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ co' = [co EXCEPT ![self] = Head(stack[self]).co]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                  /\ UNCHANGED << ao, nth, found >>
                             ELSE /\ IF Adds[co[self]] = <<>>
                                        THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                             /\ co' = [co EXCEPT ![self] = Head(stack[self]).co]
                                             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                             /\ UNCHANGED << ao, nth, found >>
                                        ELSE /\ /\ ao' = [ao EXCEPT ![self] = Adds[co[self]][1]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryCompleteElseWatch",
                                                                                         pc        |->  Head(stack[self]).pc,
                                                                                         nth       |->  nth[self],
                                                                                         found     |->  found[self],
                                                                                         ao        |->  ao[self] ] >>
                                                                                     \o Tail(stack[self])]
                                             /\ nth' = [nth EXCEPT ![self] = 1]
                                             /\ found' = [found EXCEPT ![self] = 0]
                                             /\ pc' = [pc EXCEPT ![self] = "A0"]
                                             /\ co' = co
                                  /\ UNCHANGED raised
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            expirations, won, count, taken, winner, expiredBy, 
                            places, dropped, revoked, xo, uo, lo, yo, po, 
                            retry, bo, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

D2(self) == /\ pc[self] = "D2"
            /\ outer = NULL
            /\ outer' = self
            /\ pc' = [pc EXCEPT ![self] = "D3"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

D3(self) == /\ pc[self] = "D3"
            /\ outer' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ co' = [co EXCEPT ![self] = Head(stack[self]).co]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, uo, lo, 
                            yo, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

onComplete(self) == D1(self) \/ D2(self) \/ D3(self)

X1(self) == /\ pc[self] = "X1"
            /\ IF completed[uo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ uo' = [uo EXCEPT ![self] = Head(stack[self]).uo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << completed, winner, xo >>
                  ELSE /\ completed' = [completed EXCEPT ![uo[self]] = TRUE]
                       /\ winner' = [winner EXCEPT ![uo[self]] = self]
                       /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancelTask",
                                                                   pc        |->  "X3",
                                                                   xo        |->  xo[self] ] >>
                                                               \o stack[self]]
                          /\ xo' = [xo EXCEPT ![self] = uo[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                       /\ UNCHANGED << won, uo >>
            /\ UNCHANGED << ready, pending, lock, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, raised, count, taken, expiredBy, 
                            places, dropped, revoked, co, lo, yo, po, retry, 
                            bo, ao, nth, found, rk, rw, ck, mine, ahead, here, 
                            fk, gone, left, held, hk, hw, some, one, guess, at, 
                            swept, no, met, its, turn >>

X3(self) == /\ pc[self] = "X3"
            /\ /\ co' = [co EXCEPT ![self] = uo[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "onComplete",
                                                        pc        |->  "X4",
                                                        co        |->  co[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "D1"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, uo, lo, yo, po, retry, bo, ao, nth, found, rk, 
                            rw, ck, mine, ahead, here, fk, gone, left, held, 
                            hk, hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

X4(self) == /\ pc[self] = "X4"
            /\ won' = [won EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ uo' = [uo EXCEPT ![self] = Head(stack[self]).uo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, raised, count, taken, 
                            winner, expiredBy, places, dropped, revoked, xo, 
                            co, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

forceUnlocked(self) == X1(self) \/ X3(self) \/ X4(self)

L1(self) == /\ pc[self] = "L1"
            /\ IF completed[lo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ lo' = [lo EXCEPT ![self] = Head(stack[self]).lo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                       /\ UNCHANGED << won, stack, lo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, raised, count, taken, 
                            winner, expiredBy, places, dropped, revoked, xo, 
                            co, uo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

L2(self) == /\ pc[self] = "L2"
            /\ lock[lo[self]].owner \in {NULL, self}
            /\ lock' = [lock EXCEPT ![lo[self]] = [owner |-> self, depth |-> lock[lo[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "L3"]
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

L3(self) == /\ pc[self] = "L3"
            /\ IF completed[lo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "L7"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "L4"]
                       /\ won' = won
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, raised, count, taken, 
                            winner, expiredBy, places, dropped, revoked, stack, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

L4(self) == /\ pc[self] = "L4"
            /\ completed' = [completed EXCEPT ![lo[self]] = TRUE]
            /\ winner' = [winner EXCEPT ![lo[self]] = self]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancelTask",
                                                        pc        |->  "L5",
                                                        xo        |->  xo[self] ] >>
                                                    \o stack[self]]
               /\ xo' = [xo EXCEPT ![self] = lo[self]]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << ready, pending, lock, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, expiredBy, 
                            places, dropped, revoked, co, uo, lo, yo, po, 
                            retry, bo, ao, nth, found, rk, rw, ck, mine, ahead, 
                            here, fk, gone, left, held, hk, hw, some, one, 
                            guess, at, swept, no, met, its, turn >>

L5(self) == /\ pc[self] = "L5"
            /\ /\ co' = [co EXCEPT ![self] = lo[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "onComplete",
                                                        pc        |->  "L6",
                                                        co        |->  co[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "D1"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, uo, lo, yo, po, retry, bo, ao, nth, found, rk, 
                            rw, ck, mine, ahead, here, fk, gone, left, held, 
                            hk, hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

L6(self) == /\ pc[self] = "L6"
            /\ won' = [won EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "L7"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, raised, count, taken, 
                            winner, expiredBy, places, dropped, revoked, stack, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

L7(self) == /\ pc[self] = "L7"
            /\ lock' = [lock EXCEPT ![lo[self]] = IF lock[lo[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[lo[self]].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ lo' = [lo EXCEPT ![self] = Head(stack[self]).lo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            yo, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

forceComplete(self) == L1(self) \/ L2(self) \/ L3(self) \/ L4(self)
                          \/ L5(self) \/ L6(self) \/ L7(self)

Y1(self) == /\ pc[self] = "Y1"
            /\ IF ~ready[Need[yo[self]]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ yo' = [yo EXCEPT ![self] = Head(stack[self]).yo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << uo, lo >>
                  ELSE /\ IF Protocol = "TryPending"
                             THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceUnlocked",
                                                                              pc        |->  Head(stack[self]).pc,
                                                                              uo        |->  uo[self] ] >>
                                                                          \o Tail(stack[self])]
                                     /\ uo' = [uo EXCEPT ![self] = yo[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "X1"]
                                  /\ lo' = lo
                             ELSE /\ /\ lo' = [lo EXCEPT ![self] = yo[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceComplete",
                                                                              pc        |->  Head(stack[self]).pc,
                                                                              lo        |->  lo[self] ] >>
                                                                          \o Tail(stack[self])]
                                  /\ pc' = [pc EXCEPT ![self] = "L1"]
                                  /\ uo' = uo
                       /\ UNCHANGED << won, yo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, raised, count, taken, 
                            winner, expiredBy, places, dropped, revoked, xo, 
                            co, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

tryComplete(self) == Y1(self)

P1(self) == /\ pc[self] = "P1"
            /\ IF lock[po[self]].owner \in {NULL, self}
                  THEN /\ lock[po[self]].owner \in {NULL, self}
                       /\ lock' = [lock EXCEPT ![po[self]] = [owner |-> self, depth |-> lock[po[self]].depth + 1]]
                       /\ pc' = [pc EXCEPT ![self] = "P2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P5"]
                       /\ lock' = lock
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

P2(self) == /\ pc[self] = "P2"
            /\ pending' = [pending EXCEPT ![po[self]] = FALSE]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                        pc        |->  "P3",
                                                        yo        |->  yo[self] ] >>
                                                    \o stack[self]]
               /\ yo' = [yo EXCEPT ![self] = po[self]]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << ready, completed, lock, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

P3(self) == /\ pc[self] = "P3"
            /\ lock' = [lock EXCEPT ![po[self]] = IF lock[po[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[po[self]].depth - 1]]
            /\ IF raised[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ retry' = [retry EXCEPT ![self] = Head(stack[self]).retry]
                       /\ po' = [po EXCEPT ![self] = Head(stack[self]).po]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P4"]
                       /\ UNCHANGED << stack, po, retry >>
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, yo, bo, ao, nth, found, rk, rw, ck, mine, 
                            ahead, here, fk, gone, left, held, hk, hw, some, 
                            one, guess, at, swept, no, met, its, turn >>

P4(self) == /\ pc[self] = "P4"
            /\ retry' = [retry EXCEPT ![self] = pending[po[self]]]
            /\ pc' = [pc EXCEPT ![self] = "P6"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

P5(self) == /\ pc[self] = "P5"
            /\ retry' = [retry EXCEPT ![self] = ~pending[po[self]]]
            /\ pending' = [pending EXCEPT ![po[self]] = TRUE]
            /\ won' = [won EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "P6"]
            /\ UNCHANGED << ready, completed, lock, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

P6(self) == /\ pc[self] = "P6"
            /\ IF retry[self] /\ ~completed[po[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ UNCHANGED << stack, po, retry >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ retry' = [retry EXCEPT ![self] = Head(stack[self]).retry]
                       /\ po' = [po EXCEPT ![self] = Head(stack[self]).po]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

tryPending(self) == P1(self) \/ P2(self) \/ P3(self) \/ P4(self)
                       \/ P5(self) \/ P6(self)

B1(self) == /\ pc[self] = "B1"
            /\ lock[bo[self]].owner \in {NULL, self}
            /\ lock' = [lock EXCEPT ![bo[self]] = [owner |-> self, depth |-> lock[bo[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

B2(self) == /\ pc[self] = "B2"
            /\ IF completed[bo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "B3"]
                       /\ UNCHANGED << stack, yo >>
                  ELSE /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                                   pc        |->  "B3",
                                                                   yo        |->  yo[self] ] >>
                                                               \o stack[self]]
                          /\ yo' = [yo EXCEPT ![self] = bo[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Y1"]
                       /\ won' = won
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, raised, count, taken, 
                            winner, expiredBy, places, dropped, revoked, xo, 
                            co, uo, lo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

B3(self) == /\ pc[self] = "B3"
            /\ lock' = [lock EXCEPT ![bo[self]] = IF lock[bo[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[bo[self]].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ bo' = [bo EXCEPT ![self] = Head(stack[self]).bo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, yo, po, retry, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

safeTryComplete(self) == B1(self) \/ B2(self) \/ B3(self)

A0(self) == /\ pc[self] = "A0"
            /\ IF Protocol = "TryPending"
                  THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                                   pc        |->  "A2",
                                                                   yo        |->  yo[self] ] >>
                                                               \o stack[self]]
                          /\ yo' = [yo EXCEPT ![self] = ao[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Y1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A1"]
                       /\ UNCHANGED << stack, yo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, po, retry, bo, ao, nth, found, rk, 
                            rw, ck, mine, ahead, here, fk, gone, left, held, 
                            hk, hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

A1(self) == /\ pc[self] = "A1"
            /\ lock[ao[self]].owner \in {NULL, self}
            /\ lock' = [lock EXCEPT ![ao[self]] = [owner |-> self, depth |-> lock[ao[self]].depth + 1]]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                        pc        |->  "A2",
                                                        yo        |->  yo[self] ] >>
                                                    \o stack[self]]
               /\ yo' = [yo EXCEPT ![self] = ao[self]]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ IF raised[self] \/ won[self]
                  THEN /\ IF Protocol = "TryPending"
                             THEN /\ pc' = [pc EXCEPT ![self] = "Z1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "A4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

W0(self) == /\ pc[self] = "W0"
            /\ IF nth[self] <= Len(KeysOf[ao[self]])
                  THEN /\ pc' = [pc EXCEPT ![self] = "W1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

W1(self) == /\ pc[self] = "W1"
            /\ IF completed[ao[self]]
                  THEN /\ nth' = [nth EXCEPT ![self] = nth[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "W0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W2"]
                       /\ nth' = nth
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

W2(self) == /\ pc[self] = "W2"
            /\ shard[Shard(KeysOf[ao[self]][nth[self]])] = NULL
            /\ shard' = [shard EXCEPT ![Shard(KeysOf[ao[self]][nth[self]])] = self]
            /\ pc' = [pc EXCEPT ![self] = "W3"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

W3(self) == /\ pc[self] = "W3"
            /\ IF list[KeysOf[ao[self]][nth[self]]] # 0
                  THEN /\ found' = [found EXCEPT ![self] = list[KeysOf[ao[self]][nth[self]]]]
                       /\ pc' = [pc EXCEPT ![self] = "W5"]
                       /\ UNCHANGED content
                  ELSE /\ content' = [content EXCEPT ![KeysOf[ao[self]][nth[self]]] = Append(content[KeysOf[ao[self]][nth[self]]], <<>>)]
                       /\ found' = [found EXCEPT ![self] = Len(content'[KeysOf[ao[self]][nth[self]]])]
                       /\ pc' = [pc EXCEPT ![self] = "W4"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

W4(self) == /\ pc[self] = "W4"
            /\ list' = [list EXCEPT ![KeysOf[ao[self]][nth[self]]] = found[self]]
            /\ used' = [used EXCEPT ![Shard(KeysOf[ao[self]][nth[self]])] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "W5"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

W5(self) == /\ pc[self] = "W5"
            /\ content' = [content EXCEPT ![KeysOf[ao[self]][nth[self]]][found[self]] = Append(content[KeysOf[ao[self]][nth[self]]][found[self]], ao[self])]
            /\ places' = [places EXCEPT ![ao[self]] = places[ao[self]] \cup {<<KeysOf[ao[self]][nth[self]], found[self]>>}]
            /\ pc' = [pc EXCEPT ![self] = "W6"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, dropped, revoked, stack, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

W6(self) == /\ pc[self] = "W6"
            /\ shard' = [shard EXCEPT ![Shard(KeysOf[ao[self]][nth[self]])] = NULL]
            /\ nth' = [nth EXCEPT ![self] = nth[self] + 1]
            /\ found' = [found EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "W0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, rk, 
                            rw, ck, mine, ahead, here, fk, gone, left, held, 
                            hk, hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

A3(self) == /\ pc[self] = "A3"
            /\ estimated' = estimated + 1
            /\ IF Protocol = "TryPending"
                  THEN /\ /\ po' = [po EXCEPT ![self] = ao[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryPending",
                                                                   pc        |->  "A8",
                                                                   retry     |->  retry[self],
                                                                   po        |->  po[self] ] >>
                                                               \o stack[self]]
                       /\ retry' = [retry EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ yo' = yo
                  ELSE /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                                   pc        |->  "A4",
                                                                   yo        |->  yo[self] ] >>
                                                               \o stack[self]]
                          /\ yo' = [yo EXCEPT ![self] = ao[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Y1"]
                       /\ UNCHANGED << po, retry >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, bo, ao, nth, found, rk, rw, ck, mine, ahead, 
                            here, fk, gone, left, held, hk, hw, some, one, 
                            guess, at, swept, no, met, its, turn >>

A4(self) == /\ pc[self] = "A4"
            /\ lock' = [lock EXCEPT ![ao[self]] = IF lock[ao[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[ao[self]].depth - 1]]
            /\ IF raised[self] \/ won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "Z1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A5"]
            /\ UNCHANGED << ready, completed, pending, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

A8(self) == /\ pc[self] = "A8"
            /\ IF raised[self] \/ won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "Z1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A5"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

A5(self) == /\ pc[self] = "A5"
            /\ IF completed[ao[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = "Z1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A6"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

A6(self) == /\ pc[self] = "A6"
            /\ armed' = [armed EXCEPT ![ao[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "A7"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

A7(self) == /\ pc[self] = "A7"
            /\ IF completed[ao[self]]
                  THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancelTask",
                                                                   pc        |->  "Z1",
                                                                   xo        |->  xo[self] ] >>
                                                               \o stack[self]]
                          /\ xo' = [xo EXCEPT ![self] = ao[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Z1"]
                       /\ UNCHANGED << stack, xo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            co, uo, lo, yo, po, retry, bo, ao, nth, found, rk, 
                            rw, ck, mine, ahead, here, fk, gone, left, held, 
                            hk, hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

Z1(self) == /\ pc[self] = "Z1"
            /\ entering' = [entering EXCEPT ![ao[self]] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ nth' = [nth EXCEPT ![self] = Head(stack[self]).nth]
            /\ found' = [found EXCEPT ![self] = Head(stack[self]).found]
            /\ ao' = [ao EXCEPT ![self] = Head(stack[self]).ao]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, yo, po, retry, bo, rk, rw, ck, mine, ahead, 
                            here, fk, gone, left, held, hk, hw, some, one, 
                            guess, at, swept, no, met, its, turn >>

tryCompleteElseWatch(self) == A0(self) \/ A1(self) \/ A2(self) \/ W0(self)
                                 \/ W1(self) \/ W2(self) \/ W3(self)
                                 \/ W4(self) \/ W5(self) \/ W6(self)
                                 \/ A3(self) \/ A4(self) \/ A8(self)
                                 \/ A5(self) \/ A6(self) \/ A7(self)
                                 \/ Z1(self)

R1(self) == /\ pc[self] = "R1"
            /\ shard[Shard(rk[self])] = NULL
            /\ shard' = [shard EXCEPT ![Shard(rk[self])] = self]
            /\ pc' = [pc EXCEPT ![self] = "R2"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

R2(self) == /\ pc[self] = "R2"
            /\ IF list[rk[self]] = rw[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "R3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R5"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

R3(self) == /\ pc[self] = "R3"
            /\ IF Empty(rk[self], rw[self])
                  THEN /\ pc' = [pc EXCEPT ![self] = "R4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R5"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

R4(self) == /\ pc[self] = "R4"
            /\ list' = [list EXCEPT ![rk[self]] = 0]
            /\ pc' = [pc EXCEPT ![self] = "R5"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

R5(self) == /\ pc[self] = "R5"
            /\ shard' = [shard EXCEPT ![Shard(rk[self])] = NULL]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ rk' = [rk EXCEPT ![self] = Head(stack[self]).rk]
            /\ rw' = [rw EXCEPT ![self] = Head(stack[self]).rw]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

removeKeyIfEmpty(self) == R1(self) \/ R2(self) \/ R3(self) \/ R4(self)
                             \/ R5(self)

C1(self) == /\ pc[self] = "C1"
            /\ shard[Shard(ck[self])] = NULL
            /\ shard' = [shard EXCEPT ![Shard(ck[self])] = self]
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ mine' = [mine EXCEPT ![self] = list[ck[self]]]
            /\ pc' = [pc EXCEPT ![self] = "C3"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ shard' = [shard EXCEPT ![Shard(ck[self])] = NULL]
            /\ IF mine[self] = 0
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ mine' = [mine EXCEPT ![self] = Head(stack[self]).mine]
                       /\ ahead' = [ahead EXCEPT ![self] = Head(stack[self]).ahead]
                       /\ here' = [here EXCEPT ![self] = Head(stack[self]).here]
                       /\ ck' = [ck EXCEPT ![self] = Head(stack[self]).ck]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C4"]
                       /\ UNCHANGED << stack, ck, mine, ahead, here >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, fk, gone, left, held, hk, hw, some, one, 
                            guess, at, swept, no, met, its, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ ahead' = [ahead EXCEPT ![self] = First(content[ck[self]][mine[self]], 1)]
            /\ IF ahead'[self] = Nowhere
                  THEN /\ pc' = [pc EXCEPT ![self] = "C8"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

C0(self) == /\ pc[self] = "C0"
            /\ here' = [here EXCEPT ![self] = ahead[self]]
            /\ ahead' = [ahead EXCEPT ![self] = First(content[ck[self]][mine[self]], here'[self][1] + 1)]
            /\ pc' = [pc EXCEPT ![self] = "C5"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

C5(self) == /\ pc[self] = "C5"
            /\ IF ~completed[here[self][2]]
                  THEN /\ IF Protocol = "TryPending"
                             THEN /\ /\ po' = [po EXCEPT ![self] = here[self][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryPending",
                                                                              pc        |->  "C6",
                                                                              retry     |->  retry[self],
                                                                              po        |->  po[self] ] >>
                                                                          \o stack[self]]
                                  /\ retry' = [retry EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                                  /\ bo' = bo
                             ELSE /\ /\ bo' = [bo EXCEPT ![self] = here[self][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "safeTryComplete",
                                                                              pc        |->  "C6",
                                                                              bo        |->  bo[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "B1"]
                                  /\ UNCHANGED << po, retry >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C7"]
                       /\ UNCHANGED << stack, po, retry, bo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

C6(self) == /\ pc[self] = "C6"
            /\ IF raised[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ mine' = [mine EXCEPT ![self] = Head(stack[self]).mine]
                       /\ ahead' = [ahead EXCEPT ![self] = Head(stack[self]).ahead]
                       /\ here' = [here EXCEPT ![self] = Head(stack[self]).here]
                       /\ ck' = [ck EXCEPT ![self] = Head(stack[self]).ck]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ count' = count
                  ELSE /\ IF won[self]
                             THEN /\ count' = [count EXCEPT ![self] = count[self] + 1]
                                  /\ pc' = [pc EXCEPT ![self] = "C7"]
                             ELSE /\ IF ahead[self] = Nowhere
                                        THEN /\ pc' = [pc EXCEPT ![self] = "C8"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "C0"]
                                  /\ count' = count
                       /\ UNCHANGED << stack, ck, mine, ahead, here >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, taken, 
                            winner, expiredBy, places, dropped, revoked, xo, 
                            co, uo, lo, yo, po, retry, bo, ao, nth, found, rk, 
                            rw, fk, gone, left, held, hk, hw, some, one, guess, 
                            at, swept, no, met, its, turn >>

C7(self) == /\ pc[self] = "C7"
            /\ content' = [content EXCEPT ![ck[self]][mine[self]][here[self][1]] = NULL]
            /\ IF ahead[self] # Nowhere
                  THEN /\ pc' = [pc EXCEPT ![self] = "C0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C8"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

C8(self) == /\ pc[self] = "C8"
            /\ IF Empty(ck[self], mine[self])
                  THEN /\ /\ ahead' = [ahead EXCEPT ![self] = Head(stack[self]).ahead]
                          /\ here' = [here EXCEPT ![self] = Head(stack[self]).here]
                          /\ mine' = [mine EXCEPT ![self] = Head(stack[self]).mine]
                          /\ rk' = [rk EXCEPT ![self] = ck[self]]
                          /\ rw' = [rw EXCEPT ![self] = mine[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "removeKeyIfEmpty",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   rk        |->  rk[self],
                                                                   rw        |->  rw[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                       /\ ck' = ck
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ mine' = [mine EXCEPT ![self] = Head(stack[self]).mine]
                       /\ ahead' = [ahead EXCEPT ![self] = Head(stack[self]).ahead]
                       /\ here' = [here EXCEPT ![self] = Head(stack[self]).here]
                       /\ ck' = [ck EXCEPT ![self] = Head(stack[self]).ck]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << rk, rw >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            fk, gone, left, held, hk, hw, some, one, guess, at, 
                            swept, no, met, its, turn >>

checkAndComplete(self) == C1(self) \/ C2(self) \/ C3(self) \/ C4(self)
                             \/ C0(self) \/ C5(self) \/ C6(self)
                             \/ C7(self) \/ C8(self)

F1(self) == /\ pc[self] = "F1"
            /\ shard[Shard(fk[self])] = NULL
            /\ shard' = [shard EXCEPT ![Shard(fk[self])] = self]
            /\ pc' = [pc EXCEPT ![self] = "F2"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

F2(self) == /\ pc[self] = "F2"
            /\ gone' = [gone EXCEPT ![self] = list[fk[self]]]
            /\ dropped' = (dropped \cup {<<fk[self], list[fk[self]]>>})
            /\ list' = [list EXCEPT ![fk[self]] = 0]
            /\ IF gone'[self] = 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "F6"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "F3"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, revoked, stack, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

F3(self) == /\ pc[self] = "F3"
            /\ left' = [left EXCEPT ![self] = First(content[fk[self]][gone[self]], 1)]
            /\ IF left'[self] = Nowhere
                  THEN /\ pc' = [pc EXCEPT ![self] = "F6"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "F4"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

F4(self) == /\ pc[self] = "F4"
            /\ held' = [held EXCEPT ![self] = left[self]]
            /\ left' = [left EXCEPT ![self] = First(content[fk[self]][gone[self]], held'[self][1] + 1)]
            /\ taken' = [taken EXCEPT ![self] = Append(taken[self], held'[self][2])]
            /\ revoked' = (revoked \cup {held'[self][2]})
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancelTask",
                                                        pc        |->  "F5",
                                                        xo        |->  xo[self] ] >>
                                                    \o stack[self]]
               /\ xo' = [xo EXCEPT ![self] = held'[self][2]]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            winner, expiredBy, places, dropped, co, uo, lo, yo, 
                            po, retry, bo, ao, nth, found, rk, rw, ck, mine, 
                            ahead, here, fk, gone, hk, hw, some, one, guess, 
                            at, swept, no, met, its, turn >>

F5(self) == /\ pc[self] = "F5"
            /\ content' = [content EXCEPT ![fk[self]][gone[self]][held[self][1]] = NULL]
            /\ IF left[self] # Nowhere
                  THEN /\ pc' = [pc EXCEPT ![self] = "F4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "F6"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

F6(self) == /\ pc[self] = "F6"
            /\ shard' = [shard EXCEPT ![Shard(fk[self])] = NULL]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ gone' = [gone EXCEPT ![self] = Head(stack[self]).gone]
            /\ left' = [left EXCEPT ![self] = Head(stack[self]).left]
            /\ held' = [held EXCEPT ![self] = Head(stack[self]).held]
            /\ fk' = [fk EXCEPT ![self] = Head(stack[self]).fk]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, hk, hw, some, one, 
                            guess, at, swept, no, met, its, turn >>

cancelForKey(self) == F1(self) \/ F2(self) \/ F3(self) \/ F4(self)
                         \/ F5(self) \/ F6(self)

H1(self) == /\ pc[self] = "H1"
            /\ some' = [some EXCEPT ![self] = First(content[hk[self]][hw[self]], 1)]
            /\ IF some'[self] = Nowhere
                  THEN /\ pc' = [pc EXCEPT ![self] = "H4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "H0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, one, guess, at, swept, no, met, 
                            its, turn >>

H0(self) == /\ pc[self] = "H0"
            /\ one' = [one EXCEPT ![self] = some[self]]
            /\ some' = [some EXCEPT ![self] = First(content[hk[self]][hw[self]], one'[self][1] + 1)]
            /\ pc' = [pc EXCEPT ![self] = "H2"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, guess, at, swept, no, met, its, 
                            turn >>

H2(self) == /\ pc[self] = "H2"
            /\ IF ~completed[one[self][2]]
                  THEN /\ IF some[self] = Nowhere
                             THEN /\ pc' = [pc EXCEPT ![self] = "H4"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "H0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "H3"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

H3(self) == /\ pc[self] = "H3"
            /\ content' = [content EXCEPT ![hk[self]][hw[self]][one[self][1]] = NULL]
            /\ IF some[self] # Nowhere
                  THEN /\ pc' = [pc EXCEPT ![self] = "H0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "H4"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

H4(self) == /\ pc[self] = "H4"
            /\ IF Empty(hk[self], hw[self])
                  THEN /\ /\ one' = [one EXCEPT ![self] = Head(stack[self]).one]
                          /\ rk' = [rk EXCEPT ![self] = hk[self]]
                          /\ rw' = [rw EXCEPT ![self] = hw[self]]
                          /\ some' = [some EXCEPT ![self] = Head(stack[self]).some]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "removeKeyIfEmpty",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   rk        |->  rk[self],
                                                                   rw        |->  rw[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                       /\ UNCHANGED << hk, hw >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ some' = [some EXCEPT ![self] = Head(stack[self]).some]
                       /\ one' = [one EXCEPT ![self] = Head(stack[self]).one]
                       /\ hk' = [hk EXCEPT ![self] = Head(stack[self]).hk]
                       /\ hw' = [hw EXCEPT ![self] = Head(stack[self]).hw]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << rk, rw >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            ck, mine, ahead, here, fk, gone, left, held, guess, 
                            at, swept, no, met, its, turn >>

purgeCompleted(self) == H1(self) \/ H0(self) \/ H2(self) \/ H3(self)
                           \/ H4(self)

G1(self) == /\ pc[self] = "G1"
            /\ guess' = [guess EXCEPT ![self] = estimated]
            /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, at, swept, no, met, 
                            its, turn >>

G2(self) == /\ pc[self] = "G2"
            /\ IF guess[self] - Delayed <= Interval
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ guess' = [guess EXCEPT ![self] = Head(stack[self]).guess]
                       /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
                       /\ swept' = [swept EXCEPT ![self] = Head(stack[self]).swept]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "G3"]
                       /\ UNCHANGED << stack, guess, at, swept >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, no, met, its, turn >>

G3(self) == /\ pc[self] = "G3"
            /\ guess' = [guess EXCEPT ![self] = Delayed]
            /\ pc' = [pc EXCEPT ![self] = "G4"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, at, swept, no, met, 
                            its, turn >>

G4(self) == /\ pc[self] = "G4"
            /\ estimated' = guess[self]
            /\ guess' = [guess EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "G0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, at, swept, no, met, its, turn >>

G0(self) == /\ pc[self] = "G0"
            /\ IF at[self] <= Shards
                  THEN /\ pc' = [pc EXCEPT ![self] = "G5"]
                       /\ UNCHANGED << stack, guess, at, swept >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ guess' = [guess EXCEPT ![self] = Head(stack[self]).guess]
                       /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
                       /\ swept' = [swept EXCEPT ![self] = Head(stack[self]).swept]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, no, met, its, turn >>

G5(self) == /\ pc[self] = "G5"
            /\ IF ~used[at[self]]
                  THEN /\ at' = [at EXCEPT ![self] = at[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "G0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "G6"]
                       /\ at' = at
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, swept, no, 
                            met, its, turn >>

G6(self) == /\ pc[self] = "G6"
            /\ swept' = [swept EXCEPT ![self] = Behind(at[self], swept[self])]
            /\ IF swept'[self] = NULL
                  THEN /\ at' = [at EXCEPT ![self] = at[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "G0"]
                       /\ UNCHANGED << stack, hk, hw, some, one >>
                  ELSE /\ /\ hk' = [hk EXCEPT ![self] = swept'[self]]
                          /\ hw' = [hw EXCEPT ![self] = list[swept'[self]]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "purgeCompleted",
                                                                   pc        |->  "G6",
                                                                   some      |->  some[self],
                                                                   one       |->  one[self],
                                                                   hk        |->  hk[self],
                                                                   hw        |->  hw[self] ] >>
                                                               \o stack[self]]
                       /\ some' = [some EXCEPT ![self] = <<0, NULL>>]
                       /\ one' = [one EXCEPT ![self] = <<0, NULL>>]
                       /\ pc' = [pc EXCEPT ![self] = "H1"]
                       /\ at' = at
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, guess, no, met, its, turn >>

purge(self) == G1(self) \/ G2(self) \/ G3(self) \/ G4(self) \/ G0(self)
                  \/ G5(self) \/ G6(self)

N0(self) == /\ pc[self] = "N0"
            /\ IF no[self] <= Shards
                  THEN /\ pc' = [pc EXCEPT ![self] = "N1"]
                       /\ UNCHANGED << stack, no, met, its >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ no' = [no EXCEPT ![self] = Head(stack[self]).no]
                       /\ met' = [met EXCEPT ![self] = Head(stack[self]).met]
                       /\ its' = [its EXCEPT ![self] = Head(stack[self]).its]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, turn >>

N1(self) == /\ pc[self] = "N1"
            /\ IF ~used[no[self]]
                  THEN /\ no' = [no EXCEPT ![self] = no[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "N0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "N2"]
                       /\ no' = no
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            met, its, turn >>

N2(self) == /\ pc[self] = "N2"
            /\ met' = [met EXCEPT ![self] = Behind(no[self], met[self])]
            /\ IF met'[self] = NULL
                  THEN /\ no' = [no EXCEPT ![self] = no[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "N0"]
                       /\ its' = its
                  ELSE /\ its' = [its EXCEPT ![self] = list[met'[self]]]
                       /\ pc' = [pc EXCEPT ![self] = "N4"]
                       /\ no' = no
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            turn >>

N4(self) == /\ pc[self] = "N4"
            /\ count' = [count EXCEPT ![self] = count[self] + Live(content[met[self]][its[self]])]
            /\ its' = [its EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "N2"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, taken, 
                            winner, expiredBy, places, dropped, revoked, stack, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            turn >>

watched(self) == N0(self) \/ N1(self) \/ N2(self) \/ N4(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ raised' = [raised EXCEPT ![self] = FALSE]
                       /\ count' = [count EXCEPT ![self] = 0]
                       /\ taken' = [taken EXCEPT ![self] = <<>>]
                       /\ IF Program[self][turn'[self] - 1][1] = "watch"
                             THEN /\ /\ ao' = [ao EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryCompleteElseWatch",
                                                                              pc        |->  "T0",
                                                                              nth       |->  nth[self],
                                                                              found     |->  found[self],
                                                                              ao        |->  ao[self] ] >>
                                                                          \o stack[self]]
                                  /\ nth' = [nth EXCEPT ![self] = 1]
                                  /\ found' = [found EXCEPT ![self] = 0]
                                  /\ pc' = [pc EXCEPT ![self] = "A0"]
                                  /\ UNCHANGED << uo, lo, ck, mine, ahead, 
                                                  here, fk, gone, left, held, 
                                                  guess, at, swept, no, met, 
                                                  its >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "watch_holding"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "J1"]
                                             /\ UNCHANGED << stack, uo, lo, ck, 
                                                             mine, ahead, here, 
                                                             fk, gone, left, 
                                                             held, guess, at, 
                                                             swept, no, met, 
                                                             its >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "deliver"
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                                                        /\ UNCHANGED << stack, 
                                                                        uo, lo, 
                                                                        ck, 
                                                                        mine, 
                                                                        ahead, 
                                                                        here, 
                                                                        fk, 
                                                                        gone, 
                                                                        left, 
                                                                        held, 
                                                                        guess, 
                                                                        at, 
                                                                        swept, 
                                                                        no, 
                                                                        met, 
                                                                        its >>
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "check"
                                                              THEN /\ /\ ck' = [ck EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "checkAndComplete",
                                                                                                               pc        |->  "T0",
                                                                                                               mine      |->  mine[self],
                                                                                                               ahead     |->  ahead[self],
                                                                                                               here      |->  here[self],
                                                                                                               ck        |->  ck[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ mine' = [mine EXCEPT ![self] = 0]
                                                                   /\ ahead' = [ahead EXCEPT ![self] = <<0, NULL>>]
                                                                   /\ here' = [here EXCEPT ![self] = <<0, NULL>>]
                                                                   /\ pc' = [pc EXCEPT ![self] = "C1"]
                                                                   /\ UNCHANGED << uo, 
                                                                                   lo, 
                                                                                   fk, 
                                                                                   gone, 
                                                                                   left, 
                                                                                   held, 
                                                                                   guess, 
                                                                                   at, 
                                                                                   swept, 
                                                                                   no, 
                                                                                   met, 
                                                                                   its >>
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "force"
                                                                         THEN /\ IF Protocol = "TryPending"
                                                                                    THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceUnlocked",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     uo        |->  uo[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                            /\ uo' = [uo EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "X1"]
                                                                                         /\ lo' = lo
                                                                                    ELSE /\ /\ lo' = [lo EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceComplete",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     lo        |->  lo[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                                                         /\ uo' = uo
                                                                              /\ UNCHANGED << fk, 
                                                                                              gone, 
                                                                                              left, 
                                                                                              held, 
                                                                                              guess, 
                                                                                              at, 
                                                                                              swept, 
                                                                                              no, 
                                                                                              met, 
                                                                                              its >>
                                                                         ELSE /\ IF Program[self][turn'[self] - 1][1] = "cancel_key"
                                                                                    THEN /\ /\ fk' = [fk EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancelForKey",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     gone      |->  gone[self],
                                                                                                                                     left      |->  left[self],
                                                                                                                                     held      |->  held[self],
                                                                                                                                     fk        |->  fk[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                         /\ gone' = [gone EXCEPT ![self] = 0]
                                                                                         /\ left' = [left EXCEPT ![self] = <<0, NULL>>]
                                                                                         /\ held' = [held EXCEPT ![self] = <<0, NULL>>]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "F1"]
                                                                                         /\ UNCHANGED << guess, 
                                                                                                         at, 
                                                                                                         swept, 
                                                                                                         no, 
                                                                                                         met, 
                                                                                                         its >>
                                                                                    ELSE /\ IF Program[self][turn'[self] - 1][1] = "purge"
                                                                                               THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "purge",
                                                                                                                                             pc        |->  "T0",
                                                                                                                                             guess     |->  guess[self],
                                                                                                                                             at        |->  at[self],
                                                                                                                                             swept     |->  swept[self] ] >>
                                                                                                                                         \o stack[self]]
                                                                                                    /\ guess' = [guess EXCEPT ![self] = 0]
                                                                                                    /\ at' = [at EXCEPT ![self] = 1]
                                                                                                    /\ swept' = [swept EXCEPT ![self] = NULL]
                                                                                                    /\ pc' = [pc EXCEPT ![self] = "G1"]
                                                                                                    /\ UNCHANGED << no, 
                                                                                                                    met, 
                                                                                                                    its >>
                                                                                               ELSE /\ IF Program[self][turn'[self] - 1][1] = "watched"
                                                                                                          THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "watched",
                                                                                                                                                        pc        |->  "T0",
                                                                                                                                                        no        |->  no[self],
                                                                                                                                                        met       |->  met[self],
                                                                                                                                                        its       |->  its[self] ] >>
                                                                                                                                                    \o stack[self]]
                                                                                                               /\ no' = [no EXCEPT ![self] = 1]
                                                                                                               /\ met' = [met EXCEPT ![self] = NULL]
                                                                                                               /\ its' = [its EXCEPT ![self] = 0]
                                                                                                               /\ pc' = [pc EXCEPT ![self] = "N0"]
                                                                                                          ELSE /\ IF Program[self][turn'[self] - 1][1] = "num_delayed"
                                                                                                                     THEN /\ pc' = [pc EXCEPT ![self] = "M1"]
                                                                                                                     ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
                                                                                                               /\ UNCHANGED << stack, 
                                                                                                                               no, 
                                                                                                                               met, 
                                                                                                                               its >>
                                                                                                    /\ UNCHANGED << guess, 
                                                                                                                    at, 
                                                                                                                    swept >>
                                                                                         /\ UNCHANGED << fk, 
                                                                                                         gone, 
                                                                                                         left, 
                                                                                                         held >>
                                                                              /\ UNCHANGED << uo, 
                                                                                              lo >>
                                                                   /\ UNCHANGED << ck, 
                                                                                   mine, 
                                                                                   ahead, 
                                                                                   here >>
                                  /\ UNCHANGED << ao, nth, found >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << won, raised, count, taken, stack, uo, 
                                       lo, ao, nth, found, ck, mine, ahead, 
                                       here, fk, gone, left, held, guess, at, 
                                       swept, no, met, its, turn >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, winner, expiredBy, 
                            places, dropped, revoked, xo, co, yo, po, retry, 
                            bo, rk, rw, hk, hw, some, one >>

J1(self) == /\ pc[self] = "J1"
            /\ outer = NULL
            /\ outer' = self
            /\ /\ ao' = [ao EXCEPT ![self] = Program[self][turn[self] - 1][2]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryCompleteElseWatch",
                                                        pc        |->  "J2",
                                                        nth       |->  nth[self],
                                                        found     |->  found[self],
                                                        ao        |->  ao[self] ] >>
                                                    \o stack[self]]
            /\ nth' = [nth EXCEPT ![self] = 1]
            /\ found' = [found EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "A0"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, yo, po, retry, bo, rk, rw, ck, mine, ahead, 
                            here, fk, gone, left, held, hk, hw, some, one, 
                            guess, at, swept, no, met, its, turn >>

J2(self) == /\ pc[self] = "J2"
            /\ outer' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, stack, xo, co, 
                            uo, lo, yo, po, retry, bo, ao, nth, found, rk, rw, 
                            ck, mine, ahead, here, fk, gone, left, held, hk, 
                            hw, some, one, guess, at, swept, no, met, its, 
                            turn >>

E1(self) == /\ pc[self] = "E1"
            /\ ready' = [ready EXCEPT ![Program[self][turn[self] - 1][2]] = TRUE]
            /\ /\ ck' = [ck EXCEPT ![self] = Program[self][turn[self] - 1][3]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "checkAndComplete",
                                                        pc        |->  "T0",
                                                        mine      |->  mine[self],
                                                        ahead     |->  ahead[self],
                                                        here      |->  here[self],
                                                        ck        |->  ck[self] ] >>
                                                    \o stack[self]]
            /\ mine' = [mine EXCEPT ![self] = 0]
            /\ ahead' = [ahead EXCEPT ![self] = <<0, NULL>>]
            /\ here' = [here EXCEPT ![self] = <<0, NULL>>]
            /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << completed, pending, lock, outer, armed, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, uo, 
                            lo, yo, po, retry, bo, ao, nth, found, rk, rw, fk, 
                            gone, left, held, hk, hw, some, one, guess, at, 
                            swept, no, met, its, turn >>

M1(self) == /\ pc[self] = "M1"
            /\ count' = [count EXCEPT ![self] = Delayed]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, taken, 
                            winner, expiredBy, places, dropped, revoked, stack, 
                            xo, co, uo, lo, yo, po, retry, bo, ao, nth, found, 
                            rk, rw, ck, mine, ahead, here, fk, gone, left, 
                            held, hk, hw, some, one, guess, at, swept, no, met, 
                            its, turn >>

K1(self) == /\ pc[self] = "K1"
            /\ Comes(Program[self][turn[self] - 1][2])
            /\ IF armed[Program[self][turn[self] - 1][2]]
                  THEN /\ armed' = [armed EXCEPT ![Program[self][turn[self] - 1][2]] = FALSE]
                       /\ IF Protocol = "TryPending"
                             THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceUnlocked",
                                                                              pc        |->  "T1",
                                                                              uo        |->  uo[self] ] >>
                                                                          \o stack[self]]
                                     /\ uo' = [uo EXCEPT ![self] = Program[self][turn[self] - 1][2]]
                                  /\ pc' = [pc EXCEPT ![self] = "X1"]
                                  /\ lo' = lo
                             ELSE /\ /\ lo' = [lo EXCEPT ![self] = Program[self][turn[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceComplete",
                                                                              pc        |->  "T1",
                                                                              lo        |->  lo[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "L1"]
                                  /\ uo' = uo
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
                       /\ UNCHANGED << armed, stack, uo, lo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, entering, 
                            shard, list, used, content, estimated, completions, 
                            expirations, won, raised, count, taken, winner, 
                            expiredBy, places, dropped, revoked, xo, co, yo, 
                            po, retry, bo, ao, nth, found, rk, rw, ck, mine, 
                            ahead, here, fk, gone, left, held, hk, hw, some, 
                            one, guess, at, swept, no, met, its, turn >>

T1(self) == /\ pc[self] = "T1"
            /\ IF ~raised[self] /\ won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "V1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, expirations, won, raised, count, 
                            taken, winner, expiredBy, places, dropped, revoked, 
                            stack, xo, co, uo, lo, yo, po, retry, bo, ao, nth, 
                            found, rk, rw, ck, mine, ahead, here, fk, gone, 
                            left, held, hk, hw, some, one, guess, at, swept, 
                            no, met, its, turn >>

V1(self) == /\ pc[self] = "V1"
            /\ expirations' = [expirations EXCEPT ![Program[self][turn[self] - 1][2]] = expirations[Program[self][turn[self] - 1][2]] + 1]
            /\ expiredBy' = [expiredBy EXCEPT ![Program[self][turn[self] - 1][2]] = expiredBy[Program[self][turn[self] - 1][2]] \cup {self}]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            entering, shard, list, used, content, estimated, 
                            completions, won, raised, count, taken, winner, 
                            places, dropped, revoked, stack, xo, co, uo, lo, 
                            yo, po, retry, bo, ao, nth, found, rk, rw, ck, 
                            mine, ahead, here, fk, gone, left, held, hk, hw, 
                            some, one, guess, at, swept, no, met, its, turn >>

thread(self) == T0(self) \/ J1(self) \/ J2(self) \/ E1(self) \/ M1(self)
                   \/ K1(self) \/ T1(self) \/ V1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ cancelTask(self) \/ onComplete(self)
                               \/ forceUnlocked(self) \/ forceComplete(self)
                               \/ tryComplete(self) \/ tryPending(self)
                               \/ safeTryComplete(self)
                               \/ tryCompleteElseWatch(self)
                               \/ removeKeyIfEmpty(self)
                               \/ checkAndComplete(self)
                               \/ cancelForKey(self) \/ purgeCompleted(self)
                               \/ purge(self) \/ watched(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(tryCompleteElseWatch(self))
                                 /\ WF_vars(checkAndComplete(self))
                                 /\ WF_vars(forceUnlocked(self))
                                 /\ WF_vars(forceComplete(self))
                                 /\ WF_vars(cancelForKey(self))
                                 /\ WF_vars(purge(self))
                                 /\ WF_vars(watched(self))
                                 /\ WF_vars(cancelTask(self))
                                 /\ WF_vars(onComplete(self))
                                 /\ WF_vars(tryComplete(self))
                                 /\ WF_vars(tryPending(self))
                                 /\ WF_vars(safeTryComplete(self))
                                 /\ WF_vars(removeKeyIfEmpty(self))
                                 /\ WF_vars(purgeCompleted(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

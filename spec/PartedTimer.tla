----------------------------- MODULE PartedTimer -----------------------------
(***************************************************************************)
(* PartedTimer: a SystemTimer whose flush gives the lock back.             *)
(*                                                                         *)
(* Adders, cancellers, the wheel, the queue of buckets, the executor and   *)
(* close are those of SystemTimer.  What differs is advanceClock (reap).   *)
(* There all due buckets are flushed in one hold of the write lock, and    *)
(* adders wait for as long.  Here a hold moves Part entries, and some more *)
(* if adders were faster than the part before.                             *)
(*                                                                         *)
(*   R1      waits until the first bucket is due, and leaves it queued     *)
(*   P1      waits until no other thread expires what is due               *)
(*   R2..R6  one part: moves entries out of the buckets that are due, the  *)
(*           first in the queue (R4), until it has moved as many as it may *)
(*           (F2, F4).  A bucket leaves the queue when it is empty (R8)    *)
(*   R6      if the part was full, there may be more: back to R2           *)
(*                                                                         *)
(* A part may move Part entries, and as many more as the entries need that *)
(* came in the gap before it: one move on each level for each entry by     *)
(* which more are linked (R3) than when the last part was over (P4), or    *)
(* when the turn began (P3).  With Part alone, adders that never pause     *)
(* could add more in each gap than a part moves.  What is due would be     *)
(* ever later.                                                             *)
(*                                                                         *)
(* A bucket with entries whose key the clock has reached is half flushed.  *)
(* It is the first in the queue.  The clock stays at its key until it is   *)
(* empty.  So no entry comes into it meanwhile: one that has its slot is   *)
(* due, or is beyond the turn and goes up a level.                         *)
(*                                                                         *)
(* Any number of threads may reap, since the queue has every bucket while  *)
(* the lock is free.  A reaper that polls without the lock, as that of     *)
(* SystemTimer does, would hide a bucket from another one.  They take      *)
(* turns (P1, P2): a thread that waits for the write lock between two      *)
(* parts goes before every adder.                                          *)
(*                                                                         *)
(* wake queues a bucket without entries, number 0 here, before all others. *)
(* It needs no lock.  So the bucket that is flushed may be the first no    *)
(* more when it is empty.  Then it stays, and is met again.                *)
(*                                                                         *)
(* What is one step and what is simplified away is as in SystemTimer.  All *)
(* levels are there from the start, so R9 reads a constant.  The           *)
(* threads that wait at R1 do not take the bucket: that wait is one step.  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  WheelSize,    \* buckets of each level
  Levels,       \* number of levels
  TaskOf,       \* entry |-> task; an entry stands for one add
  Deadline,     \* entry |-> the time at which it is due
  Program,      \* thread |-> sequence of <<name, argument, ...>>
  Part,         \* how many entries a hold of the write lock moves if none came before it
  NULL

Entries == DOMAIN TaskOf
Tasks   == {TaskOf[e] : e \in Entries}
Threads == DOMAIN Program
Buckets == 1..(WheelSize * Levels)
Lists   == {0} \cup Buckets                     \* 0: a bucket of wake's, in no wheel
Names   == {"add", "cancel", "close", "reap", "wake", "tick", "execute"}

ASSUME WheelSize >= 2 /\ Levels >= 1
ASSUME EveryEntryHasADeadline == DOMAIN Deadline = Entries /\ \A e \in Entries : Deadline[e] \in Nat
ASSUME ProgramsAreOperations ==
  \A t \in Threads : \A i \in DOMAIN Program[t] : Program[t][i][1] \in Names
ASSUME PartIsPositive == Part \in Nat \ {0}

Adds == UNION {{<<t, i>> : i \in {j \in DOMAIN Program[t] : Program[t][j][1] = "add"}}
                : t \in Threads}

-----------------------------------------------------------------------------
(* The wheel's arithmetic.  Buckets are numbered level by level. *)
Tick(l)     == WheelSize ^ (l - 1)
Trim(x, l)  == x - (x % Tick(l))
Slot(e, l)  == (l - 1) * WheelSize + ((Deadline[e] \div Tick(l)) % WheelSize) + 1
KeyFor(e, l) == Trim(Deadline[e], l)

(* A binary heap of buckets, ordered by their keys at the time of each     *)
(* comparison: java.util.PriorityQueue.                                    *)
Swap(s, i, j) == [s EXCEPT ![i] = s[j], ![j] = s[i]]
RECURSIVE Up(_, _, _), Down(_, _, _)
Up(s, i, k) == IF i = 1 THEN s
               ELSE LET p == i \div 2 IN IF k[s[i]] >= k[s[p]] THEN s ELSE Up(Swap(s, i, p), p, k)
Down(s, i, k) == IF 2 * i > Len(s) THEN s
                 ELSE LET c == IF 2 * i + 1 <= Len(s) /\ k[s[2 * i]] > k[s[2 * i + 1]]
                               THEN 2 * i + 1 ELSE 2 * i
                      IN IF k[s[i]] <= k[s[c]] THEN s ELSE Down(Swap(s, i, c), c, k)
Offer(s, b, k) == Up(Append(s, b), Len(s) + 1, k)
Poll(s, k) == IF Len(s) = 1 THEN <<>>
              ELSE Down([i \in 1..(Len(s) - 1) |-> IF i = 1 THEN s[Len(s)] ELSE s[i]], 1, k)

Without(s, e) == SelectSeq(s, LAMBDA x : x # e)

(*--algorithm PartedTimer
variables
  now      = 0,
  current  = [l \in 1..Levels |-> 0],          \* currentTime of each level
  content  = [b \in Lists |-> <<>>],
  key      = [b \in Lists |-> IF b = 0 THEN 0 ELSE -1],    \* the bucket's expiration
  queue    = <<>>,                             \* the delay queue's heap
  timerTaskEntry = [x \in Tasks |-> NULL],
  taskCounter = 0,
  readers  = {},
  writer   = NULL,
  expiring = NULL,                             \* the thread whose turn it is to reap
  flushing = 0,                                \* the bucket whose monitor a flush holds
  shut     = FALSE,                            \* the executor refuses what is handed over
  waiting  = <<>>,                             \* the executor's queue
  started  = <<>>,                             \* the entries whose tasks have started, in order
  refused  = <<>>,                             \* the entries that the executor has refused
  raised   = {},                               \* the entries whose add has raised
  adding   = Cardinality(Adds),                \* adds that have not returned
  \* The exception that leaves a call: in code on the thread's stack.
  thrown   = [t \in Threads |-> FALSE],
  \* History: what the properties speak of; no step reads it.
  rekeyed  = {},                               \* buckets that got another key while queued
  early    = {},                               \* entries handed over too early
  submitted = [e \in Entries |-> 0],
  revoked  = [e \in Entries |-> FALSE],        \* cancel has returned since the entry was made
  slipped  = {},                               \* entries that a check let through all the same
  moved    = 0,                                \* entries moved since the write lock was taken
  came     = 0,                                \* entries linked by adders since the last part
  behind   = FALSE,                            \* a part has begun, and none has left nothing due
  credit   = 0;                                \* moves that full parts may have while behind

define
  Due  == queue # <<>> /\ key[queue[1]] <= now
  Over == taskCounter = 0 /\ adding = 0
  \* The executor's thread may end.  No \/: TLC would take one step for each.
  NothingComes == IF shut THEN TRUE ELSE Over /\ writer = NULL
  Count(b) == Cardinality({i \in DOMAIN queue : queue[i] = b})
  \* A flush holds the monitor of the bucket that e is in.
  Held(e) == flushing # 0 /\ \E i \in DOMAIN content[flushing] : content[flushing][i] = e
  Linked(e) == \E b \in Buckets : \E i \in DOMAIN content[b] : content[b][i] = e
  Cancelled(e)  == timerTaskEntry[TaskOf[e]] # e
  Expired(e, l) == Deadline[e] < current[l] + Tick(l)
  Fits(e, l)    == Deadline[e] < current[l] + WheelSize * Tick(l)
  Growth(n)     == IF taskCounter > n THEN taskCounter - n ELSE 0
end define;

\* TimerTaskEntry.remove
macro remove(e) begin
  if e # NULL /\ Linked(e) then
    content := [b \in Lists |-> Without(content[b], e)];
    taskCounter := taskCounter - 1;
    \* It may have been moved on all levels but the last, in vain.
    if behind then credit := credit + Levels - 1; end if;
  end if;
end macro;

\* SystemTimer.addTimerTaskEntry with TimingWheel.add
procedure addTimerTaskEntry(ke = NULL)
variables level = 1, bucket = 0;
begin
W1:  while ~Cancelled(ke) /\ ~Expired(ke, level) do
       if Fits(ke, level) then
         bucket := Slot(ke, level);
         if revoked[ke] then slipped := slipped \cup {ke}; end if;
W2:      await ~(flushing = bucket /\ writer # self);
         content[bucket] := Append(content[bucket], ke);
         taskCounter := taskCounter + 1;
       if expiring # NULL /\ writer # self then came := came + 1; end if;
W3:      if key[bucket] # KeyFor(ke, level) then
           if Count(bucket) > 0 then rekeyed := rekeyed \cup {bucket}; end if;
           key[bucket] := KeyFor(ke, level);
         else return;
         end if;
W4:      queue := Offer(queue, bucket, key);
         return;
       else
W0:      level := level + 1;
       end if;
     end while;
K1:  if Cancelled(ke) then return;
     elsif revoked[ke] then slipped := slipped \cup {ke};
     end if;
K2:  if shut then
       refused := Append(refused, ke);
       thrown[self] := TRUE;
     else
       waiting := Append(waiting, ke);
       submitted[ke] := submitted[ke] + 1;
       if now < Deadline[ke] then early := early \cup {ke}; end if;
     end if;
     return;
end procedure;

\* SystemTimer.add
procedure add(ae = NULL)
begin
A1:  await writer = NULL;
     readers := readers \cup {self};
A2:  skip;                                     \* reads the clock: see above
A3:  await ~Held(timerTaskEntry[TaskOf[ae]]);
     remove(timerTaskEntry[TaskOf[ae]]);
     timerTaskEntry[TaskOf[ae]] := ae;
     call addTimerTaskEntry(ae);
A4:  readers := readers \ {self};
     adding := adding - 1;
     if thrown[self] then raised := raised \cup {ae}; end if;    \* the caller gets it
     thrown[self] := FALSE;
     return;
end procedure;

\* TimerTask.cancel
procedure cancel(ct = NULL)
begin
X1:  await ~Held(timerTaskEntry[ct]);
     remove(timerTaskEntry[ct]);
     if timerTaskEntry[ct] # NULL then revoked[timerTaskEntry[ct]] := TRUE; end if;
     timerTaskEntry[ct] := NULL;
     return;
end procedure;

\* SystemTimer.close: the executor is shut down.  The timer itself has no state of being closed.
procedure close()
begin
B1:  shut := TRUE;
     return;
end procedure;

\* SystemTimer.wake: a new bucket, which is due before all others
procedure wake()
begin
N1:  queue := Offer(queue, 0, key);
     return;
end procedure;

\* PartedTimer.advanceClock, again and again until nothing is left to wait for
procedure reap()
begin
R1:  while Due do
P1:    await expiring = NULL;
       expiring := self;
P3:    linked := taskCounter;
       came := 0;
       if ~behind then credit := Levels * taskCounter; end if;
       behind := TRUE;
R2:    await readers = {} /\ writer = NULL;
       writer := self;
R9:    skip;                                    \* reads Levels
R3:    left := Part + Levels * Growth(linked);
R4:    if Due then
         polled := queue[1];                     \* stays in the queue
       else
         behind := FALSE;
         credit := 0;
         goto R6;
       end if;
R5:    expiration := key[polled];
R7:    current := [l \in 1..Levels |->
         IF expiration >= current[l] + Tick(l) THEN Trim(expiration, l) ELSE current[l]];
V1:    flushing := polled;
F2:    while content[polled] # <<>> /\ left > 0 do
         head := Head(content[polled]);
F4:      content[polled] := Without(content[polled], head);
         taskCounter := taskCounter - 1;
         left := left - 1;
         moved := moved + 1;
         call addTimerTaskEntry(head);
F3:      thrown[self] := FALSE;                  \* reinsert catches it
       end while;
       if content[polled] # <<>> then goto V3; end if;
R8:    if queue[1] = polled then
         queue := Poll(queue, key);
       else goto V3;                             \* wake has queued another one before it
       end if;
V2:    key[polled] := IF polled = 0 THEN 0 ELSE -1;
V3:    flushing := 0;
       polled := 0;
       if left > 0 then goto R4; end if;
P4:    linked := taskCounter;
       credit := (IF credit < 0 THEN 0 ELSE credit) - Part;
R6:    writer := NULL;
       moved := 0;
       came := 0;
       head := NULL;
       expiration := 0;
       if left = 0 then goto R2; else left := 0; end if;
P2:    expiring := NULL;
       linked := 0;
     end while;
     await Over;
     return;
end procedure;

fair process thread \in Threads
variables
  turn = 1,
  task = NULL,                                 \* the entry that the executor's thread has taken
  \* The reaper's: in code local variables.
  left   = 0,                                  \* entries that it may still move in this hold
  linked = 0,                                  \* entries in buckets when the last part was over
  polled = 0,                                  \* the bucket that it empties
  expiration = 0,
  head = NULL;
begin
T0:  while turn <= Len(Program[self]) do
       turn := turn + 1;
       if Program[self][turn - 1][1] = "tick" then
C1:      now := now + 1;                       \* time passes
       elsif Program[self][turn - 1][1] = "execute" then
E1:      if waiting # <<>> then
           task := Head(waiting);              \* the executor's thread takes the first task
           waiting := Tail(waiting);
E2:        started := Append(started, task);   \* and runs it
           task := NULL;
         else
           await NothingComes;
         end if;
       else
         if Program[self][turn - 1][1] = "add" then call add(Program[self][turn - 1][2]);
         elsif Program[self][turn - 1][1] = "cancel" then call cancel(Program[self][turn - 1][2]);
         elsif Program[self][turn - 1][1] = "close" then call close();
         elsif Program[self][turn - 1][1] = "wake" then call wake();
         else call reap();
         end if;
T1:      skip;
       end if;
     end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES now, current, content, key, queue, timerTaskEntry, taskCounter, 
          readers, writer, expiring, flushing, shut, waiting, started, 
          refused, raised, adding, thrown, rekeyed, early, submitted, revoked, 
          slipped, moved, came, behind, credit, pc, stack

(* define statement *)
Due  == queue # <<>> /\ key[queue[1]] <= now
Over == taskCounter = 0 /\ adding = 0

NothingComes == IF shut THEN TRUE ELSE Over /\ writer = NULL
Count(b) == Cardinality({i \in DOMAIN queue : queue[i] = b})

Held(e) == flushing # 0 /\ \E i \in DOMAIN content[flushing] : content[flushing][i] = e
Linked(e) == \E b \in Buckets : \E i \in DOMAIN content[b] : content[b][i] = e
Cancelled(e)  == timerTaskEntry[TaskOf[e]] # e
Expired(e, l) == Deadline[e] < current[l] + Tick(l)
Fits(e, l)    == Deadline[e] < current[l] + WheelSize * Tick(l)
Growth(n)     == IF taskCounter > n THEN taskCounter - n ELSE 0

VARIABLES ke, level, bucket, ae, ct, turn, task, left, linked, polled, 
          expiration, head

vars == << now, current, content, key, queue, timerTaskEntry, taskCounter, 
           readers, writer, expiring, flushing, shut, waiting, started, 
           refused, raised, adding, thrown, rekeyed, early, submitted, 
           revoked, slipped, moved, came, behind, credit, pc, stack, ke, 
           level, bucket, ae, ct, turn, task, left, linked, polled, 
           expiration, head >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ now = 0
        /\ current = [l \in 1..Levels |-> 0]
        /\ content = [b \in Lists |-> <<>>]
        /\ key = [b \in Lists |-> IF b = 0 THEN 0 ELSE -1]
        /\ queue = <<>>
        /\ timerTaskEntry = [x \in Tasks |-> NULL]
        /\ taskCounter = 0
        /\ readers = {}
        /\ writer = NULL
        /\ expiring = NULL
        /\ flushing = 0
        /\ shut = FALSE
        /\ waiting = <<>>
        /\ started = <<>>
        /\ refused = <<>>
        /\ raised = {}
        /\ adding = Cardinality(Adds)
        /\ thrown = [t \in Threads |-> FALSE]
        /\ rekeyed = {}
        /\ early = {}
        /\ submitted = [e \in Entries |-> 0]
        /\ revoked = [e \in Entries |-> FALSE]
        /\ slipped = {}
        /\ moved = 0
        /\ came = 0
        /\ behind = FALSE
        /\ credit = 0
        (* Procedure addTimerTaskEntry *)
        /\ ke = [ self \in ProcSet |-> NULL]
        /\ level = [ self \in ProcSet |-> 1]
        /\ bucket = [ self \in ProcSet |-> 0]
        (* Procedure add *)
        /\ ae = [ self \in ProcSet |-> NULL]
        (* Procedure cancel *)
        /\ ct = [ self \in ProcSet |-> NULL]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ task = [self \in Threads |-> NULL]
        /\ left = [self \in Threads |-> 0]
        /\ linked = [self \in Threads |-> 0]
        /\ polled = [self \in Threads |-> 0]
        /\ expiration = [self \in Threads |-> 0]
        /\ head = [self \in Threads |-> NULL]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

W1(self) == /\ pc[self] = "W1"
            /\ IF ~Cancelled(ke[self]) /\ ~Expired(ke[self], level[self])
                  THEN /\ IF Fits(ke[self], level[self])
                             THEN /\ bucket' = [bucket EXCEPT ![self] = Slot(ke[self], level[self])]
                                  /\ IF revoked[ke[self]]
                                        THEN /\ slipped' = (slipped \cup {ke[self]})
                                        ELSE /\ TRUE
                                             /\ UNCHANGED slipped
                                  /\ pc' = [pc EXCEPT ![self] = "W2"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "W0"]
                                  /\ UNCHANGED << slipped, bucket >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
                       /\ UNCHANGED << slipped, bucket >>
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, moved, 
                            came, behind, credit, stack, ke, level, ae, ct, 
                            turn, task, left, linked, polled, expiration, head >>

W2(self) == /\ pc[self] = "W2"
            /\ ~(flushing = bucket[self] /\ writer # self)
            /\ content' = [content EXCEPT ![bucket[self]] = Append(content[bucket[self]], ke[self])]
            /\ taskCounter' = taskCounter + 1
            /\ IF expiring # NULL /\ writer # self
                  THEN /\ came' = came + 1
                  ELSE /\ TRUE
                       /\ came' = came
            /\ pc' = [pc EXCEPT ![self] = "W3"]
            /\ UNCHANGED << now, current, key, queue, timerTaskEntry, readers, 
                            writer, expiring, flushing, shut, waiting, started, 
                            refused, raised, adding, thrown, rekeyed, early, 
                            submitted, revoked, slipped, moved, behind, credit, 
                            stack, ke, level, bucket, ae, ct, turn, task, left, 
                            linked, polled, expiration, head >>

W3(self) == /\ pc[self] = "W3"
            /\ IF key[bucket[self]] # KeyFor(ke[self], level[self])
                  THEN /\ IF Count(bucket[self]) > 0
                             THEN /\ rekeyed' = (rekeyed \cup {bucket[self]})
                             ELSE /\ TRUE
                                  /\ UNCHANGED rekeyed
                       /\ key' = [key EXCEPT ![bucket[self]] = KeyFor(ke[self], level[self])]
                       /\ pc' = [pc EXCEPT ![self] = "W4"]
                       /\ UNCHANGED << stack, ke, level, bucket >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ level' = [level EXCEPT ![self] = Head(stack[self]).level]
                       /\ bucket' = [bucket EXCEPT ![self] = Head(stack[self]).bucket]
                       /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << key, rekeyed >>
            /\ UNCHANGED << now, current, content, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, ae, ct, turn, task, left, 
                            linked, polled, expiration, head >>

W4(self) == /\ pc[self] = "W4"
            /\ queue' = Offer(queue, bucket[self], key)
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ level' = [level EXCEPT ![self] = Head(stack[self]).level]
            /\ bucket' = [bucket EXCEPT ![self] = Head(stack[self]).bucket]
            /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, content, key, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, ae, ct, turn, 
                            task, left, linked, polled, expiration, head >>

W0(self) == /\ pc[self] = "W0"
            /\ level' = [level EXCEPT ![self] = level[self] + 1]
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            bucket, ae, ct, turn, task, left, linked, polled, 
                            expiration, head >>

K1(self) == /\ pc[self] = "K1"
            /\ IF Cancelled(ke[self])
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ level' = [level EXCEPT ![self] = Head(stack[self]).level]
                       /\ bucket' = [bucket EXCEPT ![self] = Head(stack[self]).bucket]
                       /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED slipped
                  ELSE /\ IF revoked[ke[self]]
                             THEN /\ slipped' = (slipped \cup {ke[self]})
                             ELSE /\ TRUE
                                  /\ UNCHANGED slipped
                       /\ pc' = [pc EXCEPT ![self] = "K2"]
                       /\ UNCHANGED << stack, ke, level, bucket >>
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, moved, 
                            came, behind, credit, ae, ct, turn, task, left, 
                            linked, polled, expiration, head >>

K2(self) == /\ pc[self] = "K2"
            /\ IF shut
                  THEN /\ refused' = Append(refused, ke[self])
                       /\ thrown' = [thrown EXCEPT ![self] = TRUE]
                       /\ UNCHANGED << waiting, early, submitted >>
                  ELSE /\ waiting' = Append(waiting, ke[self])
                       /\ submitted' = [submitted EXCEPT ![ke[self]] = submitted[ke[self]] + 1]
                       /\ IF now < Deadline[ke[self]]
                             THEN /\ early' = (early \cup {ke[self]})
                             ELSE /\ TRUE
                                  /\ early' = early
                       /\ UNCHANGED << refused, thrown >>
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ level' = [level EXCEPT ![self] = Head(stack[self]).level]
            /\ bucket' = [bucket EXCEPT ![self] = Head(stack[self]).bucket]
            /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, started, raised, adding, rekeyed, revoked, 
                            slipped, moved, came, behind, credit, ae, ct, turn, 
                            task, left, linked, polled, expiration, head >>

addTimerTaskEntry(self) == W1(self) \/ W2(self) \/ W3(self) \/ W4(self)
                              \/ W0(self) \/ K1(self) \/ K2(self)

A1(self) == /\ pc[self] = "A1"
            /\ writer = NULL
            /\ readers' = (readers \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, writer, expiring, flushing, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, polled, expiration, 
                            head >>

A2(self) == /\ pc[self] = "A2"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

A3(self) == /\ pc[self] = "A3"
            /\ ~Held(timerTaskEntry[TaskOf[ae[self]]])
            /\ IF (timerTaskEntry[TaskOf[ae[self]]]) # NULL /\ Linked((timerTaskEntry[TaskOf[ae[self]]]))
                  THEN /\ content' = [b \in Lists |-> Without(content[b], (timerTaskEntry[TaskOf[ae[self]]]))]
                       /\ taskCounter' = taskCounter - 1
                       /\ IF behind
                             THEN /\ credit' = credit + Levels - 1
                             ELSE /\ TRUE
                                  /\ UNCHANGED credit
                  ELSE /\ TRUE
                       /\ UNCHANGED << content, taskCounter, credit >>
            /\ timerTaskEntry' = [timerTaskEntry EXCEPT ![TaskOf[ae[self]]] = ae[self]]
            /\ /\ ke' = [ke EXCEPT ![self] = ae[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "addTimerTaskEntry",
                                                        pc        |->  "A4",
                                                        level     |->  level[self],
                                                        bucket    |->  bucket[self],
                                                        ke        |->  ke[self] ] >>
                                                    \o stack[self]]
            /\ level' = [level EXCEPT ![self] = 1]
            /\ bucket' = [bucket EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << now, current, key, queue, readers, writer, 
                            expiring, flushing, shut, waiting, started, 
                            refused, raised, adding, thrown, rekeyed, early, 
                            submitted, revoked, slipped, moved, came, behind, 
                            ae, ct, turn, task, left, linked, polled, 
                            expiration, head >>

A4(self) == /\ pc[self] = "A4"
            /\ readers' = readers \ {self}
            /\ adding' = adding - 1
            /\ IF thrown[self]
                  THEN /\ raised' = (raised \cup {ae[self]})
                  ELSE /\ TRUE
                       /\ UNCHANGED raised
            /\ thrown' = [thrown EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ ae' = [ae EXCEPT ![self] = Head(stack[self]).ae]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, writer, expiring, flushing, shut, 
                            waiting, started, refused, rekeyed, early, 
                            submitted, revoked, slipped, moved, came, behind, 
                            credit, ke, level, bucket, ct, turn, task, left, 
                            linked, polled, expiration, head >>

add(self) == A1(self) \/ A2(self) \/ A3(self) \/ A4(self)

X1(self) == /\ pc[self] = "X1"
            /\ ~Held(timerTaskEntry[ct[self]])
            /\ IF (timerTaskEntry[ct[self]]) # NULL /\ Linked((timerTaskEntry[ct[self]]))
                  THEN /\ content' = [b \in Lists |-> Without(content[b], (timerTaskEntry[ct[self]]))]
                       /\ taskCounter' = taskCounter - 1
                       /\ IF behind
                             THEN /\ credit' = credit + Levels - 1
                             ELSE /\ TRUE
                                  /\ UNCHANGED credit
                  ELSE /\ TRUE
                       /\ UNCHANGED << content, taskCounter, credit >>
            /\ IF timerTaskEntry[ct[self]] # NULL
                  THEN /\ revoked' = [revoked EXCEPT ![timerTaskEntry[ct[self]]] = TRUE]
                  ELSE /\ TRUE
                       /\ UNCHANGED revoked
            /\ timerTaskEntry' = [timerTaskEntry EXCEPT ![ct[self]] = NULL]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ ct' = [ct EXCEPT ![self] = Head(stack[self]).ct]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, key, queue, readers, writer, 
                            expiring, flushing, shut, waiting, started, 
                            refused, raised, adding, thrown, rekeyed, early, 
                            submitted, slipped, moved, came, behind, ke, level, 
                            bucket, ae, turn, task, left, linked, polled, 
                            expiration, head >>

cancel(self) == X1(self)

B1(self) == /\ pc[self] = "B1"
            /\ shut' = TRUE
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, ke, level, bucket, ae, ct, 
                            turn, task, left, linked, polled, expiration, head >>

close(self) == B1(self)

N1(self) == /\ pc[self] = "N1"
            /\ queue' = Offer(queue, 0, key)
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, content, key, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, ke, level, 
                            bucket, ae, ct, turn, task, left, linked, polled, 
                            expiration, head >>

wake(self) == N1(self)

R1(self) == /\ pc[self] = "R1"
            /\ IF Due
                  THEN /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ stack' = stack
                  ELSE /\ Over
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, ke, level, 
                            bucket, ae, ct, turn, task, left, linked, polled, 
                            expiration, head >>

P1(self) == /\ pc[self] = "P1"
            /\ expiring = NULL
            /\ expiring' = self
            /\ pc' = [pc EXCEPT ![self] = "P3"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, flushing, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, polled, expiration, 
                            head >>

P3(self) == /\ pc[self] = "P3"
            /\ linked' = [linked EXCEPT ![self] = taskCounter]
            /\ came' = 0
            /\ IF ~behind
                  THEN /\ credit' = Levels * taskCounter
                  ELSE /\ TRUE
                       /\ UNCHANGED credit
            /\ behind' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "R2"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, stack, ke, level, bucket, ae, ct, 
                            turn, task, left, polled, expiration, head >>

R2(self) == /\ pc[self] = "R2"
            /\ readers = {} /\ writer = NULL
            /\ writer' = self
            /\ pc' = [pc EXCEPT ![self] = "R9"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, expiring, flushing, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, polled, expiration, 
                            head >>

R9(self) == /\ pc[self] = "R9"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "R3"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

R3(self) == /\ pc[self] = "R3"
            /\ left' = [left EXCEPT ![self] = Part + Levels * Growth(linked[self])]
            /\ pc' = [pc EXCEPT ![self] = "R4"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, linked, polled, 
                            expiration, head >>

R4(self) == /\ pc[self] = "R4"
            /\ IF Due
                  THEN /\ polled' = [polled EXCEPT ![self] = queue[1]]
                       /\ pc' = [pc EXCEPT ![self] = "R5"]
                       /\ UNCHANGED << behind, credit >>
                  ELSE /\ behind' = FALSE
                       /\ credit' = 0
                       /\ pc' = [pc EXCEPT ![self] = "R6"]
                       /\ UNCHANGED polled
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, expiration, head >>

R5(self) == /\ pc[self] = "R5"
            /\ expiration' = [expiration EXCEPT ![self] = key[polled[self]]]
            /\ pc' = [pc EXCEPT ![self] = "R7"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, head >>

R7(self) == /\ pc[self] = "R7"
            /\ current' =          [l \in 1..Levels |->
                          IF expiration[self] >= current[l] + Tick(l) THEN Trim(expiration[self], l) ELSE current[l]]
            /\ pc' = [pc EXCEPT ![self] = "V1"]
            /\ UNCHANGED << now, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

V1(self) == /\ pc[self] = "V1"
            /\ flushing' = polled[self]
            /\ pc' = [pc EXCEPT ![self] = "F2"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, polled, expiration, 
                            head >>

F2(self) == /\ pc[self] = "F2"
            /\ IF content[polled[self]] # <<>> /\ left[self] > 0
                  THEN /\ head' = [head EXCEPT ![self] = Head(content[polled[self]])]
                       /\ pc' = [pc EXCEPT ![self] = "F4"]
                  ELSE /\ IF content[polled[self]] # <<>>
                             THEN /\ pc' = [pc EXCEPT ![self] = "V3"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "R8"]
                       /\ head' = head
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration >>

F4(self) == /\ pc[self] = "F4"
            /\ content' = [content EXCEPT ![polled[self]] = Without(content[polled[self]], head[self])]
            /\ taskCounter' = taskCounter - 1
            /\ left' = [left EXCEPT ![self] = left[self] - 1]
            /\ moved' = moved + 1
            /\ /\ ke' = [ke EXCEPT ![self] = head[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "addTimerTaskEntry",
                                                        pc        |->  "F3",
                                                        level     |->  level[self],
                                                        bucket    |->  bucket[self],
                                                        ke        |->  ke[self] ] >>
                                                    \o stack[self]]
            /\ level' = [level EXCEPT ![self] = 1]
            /\ bucket' = [bucket EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << now, current, key, queue, timerTaskEntry, readers, 
                            writer, expiring, flushing, shut, waiting, started, 
                            refused, raised, adding, thrown, rekeyed, early, 
                            submitted, revoked, slipped, came, behind, credit, 
                            ae, ct, turn, task, linked, polled, expiration, 
                            head >>

F3(self) == /\ pc[self] = "F3"
            /\ thrown' = [thrown EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "F2"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, polled, expiration, 
                            head >>

R8(self) == /\ pc[self] = "R8"
            /\ IF queue[1] = polled[self]
                  THEN /\ queue' = Poll(queue, key)
                       /\ pc' = [pc EXCEPT ![self] = "V2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "V3"]
                       /\ queue' = queue
            /\ UNCHANGED << now, current, content, key, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

V2(self) == /\ pc[self] = "V2"
            /\ key' = [key EXCEPT ![polled[self]] = IF polled[self] = 0 THEN 0 ELSE -1]
            /\ pc' = [pc EXCEPT ![self] = "V3"]
            /\ UNCHANGED << now, current, content, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

V3(self) == /\ pc[self] = "V3"
            /\ flushing' = 0
            /\ polled' = [polled EXCEPT ![self] = 0]
            /\ IF left[self] > 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "R4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P4"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, linked, expiration, head >>

P4(self) == /\ pc[self] = "P4"
            /\ linked' = [linked EXCEPT ![self] = taskCounter]
            /\ credit' = (IF credit < 0 THEN 0 ELSE credit) - Part
            /\ pc' = [pc EXCEPT ![self] = "R6"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, stack, ke, level, 
                            bucket, ae, ct, turn, task, left, polled, 
                            expiration, head >>

R6(self) == /\ pc[self] = "R6"
            /\ writer' = NULL
            /\ moved' = 0
            /\ came' = 0
            /\ head' = [head EXCEPT ![self] = NULL]
            /\ expiration' = [expiration EXCEPT ![self] = 0]
            /\ IF left[self] = 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "R2"]
                       /\ left' = left
                  ELSE /\ left' = [left EXCEPT ![self] = 0]
                       /\ pc' = [pc EXCEPT ![self] = "P2"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, expiring, flushing, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, 
                            behind, credit, stack, ke, level, bucket, ae, ct, 
                            turn, task, linked, polled >>

P2(self) == /\ pc[self] = "P2"
            /\ expiring' = NULL
            /\ linked' = [linked EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "R1"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, flushing, shut, 
                            waiting, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, task, left, polled, expiration, head >>

reap(self) == R1(self) \/ P1(self) \/ P3(self) \/ R2(self) \/ R9(self)
                 \/ R3(self) \/ R4(self) \/ R5(self) \/ R7(self)
                 \/ V1(self) \/ F2(self) \/ F4(self) \/ F3(self)
                 \/ R8(self) \/ V2(self) \/ V3(self) \/ P4(self)
                 \/ R6(self) \/ P2(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "tick"
                             THEN /\ pc' = [pc EXCEPT ![self] = "C1"]
                                  /\ UNCHANGED << stack, ae, ct >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "execute"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                                             /\ UNCHANGED << stack, ae, ct >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "add"
                                                   THEN /\ /\ ae' = [ae EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                                                                    pc        |->  "T1",
                                                                                                    ae        |->  ae[self] ] >>
                                                                                                \o stack[self]]
                                                        /\ pc' = [pc EXCEPT ![self] = "A1"]
                                                        /\ ct' = ct
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "cancel"
                                                              THEN /\ /\ ct' = [ct EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancel",
                                                                                                               pc        |->  "T1",
                                                                                                               ct        |->  ct[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ pc' = [pc EXCEPT ![self] = "X1"]
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "close"
                                                                         THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                                                                       pc        |->  "T1" ] >>
                                                                                                                   \o stack[self]]
                                                                              /\ pc' = [pc EXCEPT ![self] = "B1"]
                                                                         ELSE /\ IF Program[self][turn'[self] - 1][1] = "wake"
                                                                                    THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "wake",
                                                                                                                                  pc        |->  "T1" ] >>
                                                                                                                              \o stack[self]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "N1"]
                                                                                    ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reap",
                                                                                                                                  pc        |->  "T1" ] >>
                                                                                                                              \o stack[self]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "R1"]
                                                                   /\ ct' = ct
                                                        /\ ae' = ae
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, ae, ct, turn >>
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, ke, level, 
                            bucket, task, left, linked, polled, expiration, 
                            head >>

C1(self) == /\ pc[self] = "C1"
            /\ now' = now + 1
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

E1(self) == /\ pc[self] = "E1"
            /\ IF waiting # <<>>
                  THEN /\ task' = [task EXCEPT ![self] = Head(waiting)]
                       /\ waiting' = Tail(waiting)
                       /\ pc' = [pc EXCEPT ![self] = "E2"]
                  ELSE /\ NothingComes
                       /\ pc' = [pc EXCEPT ![self] = "T0"]
                       /\ UNCHANGED << waiting, task >>
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, started, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, left, linked, polled, expiration, head >>

E2(self) == /\ pc[self] = "E2"
            /\ started' = Append(started, task[self])
            /\ task' = [task EXCEPT ![self] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, refused, raised, adding, thrown, 
                            rekeyed, early, submitted, revoked, slipped, moved, 
                            came, behind, credit, stack, ke, level, bucket, ae, 
                            ct, turn, left, linked, polled, expiration, head >>

T1(self) == /\ pc[self] = "T1"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << now, current, content, key, queue, timerTaskEntry, 
                            taskCounter, readers, writer, expiring, flushing, 
                            shut, waiting, started, refused, raised, adding, 
                            thrown, rekeyed, early, submitted, revoked, 
                            slipped, moved, came, behind, credit, stack, ke, 
                            level, bucket, ae, ct, turn, task, left, linked, 
                            polled, expiration, head >>

thread(self) == T0(self) \/ C1(self) \/ E1(self) \/ E2(self) \/ T1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ addTimerTaskEntry(self) \/ add(self)
                               \/ cancel(self) \/ close(self) \/ wake(self)
                               \/ reap(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(add(self))
                                 /\ WF_vars(cancel(self))
                                 /\ WF_vars(close(self))
                                 /\ WF_vars(wake(self))
                                 /\ WF_vars(reap(self))
                                 /\ WF_vars(addTimerTaskEntry(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION
===============================================================================

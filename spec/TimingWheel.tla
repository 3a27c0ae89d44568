------------------------------ MODULE TimingWheel ------------------------------
(***************************************************************************)
(* Kafka's TimingWheel by itself: adders put entries into the buckets of a *)
(* hierarchy of wheels whose levels are made when they are first needed;   *)
(* another thread takes the earliest bucket, lets the clocks reach its key,*)
(* and flushes it: each entry goes down a level, or is handed over.        *)
(*                                                                         *)
(* The wheel requires that no thread adds while the clock advances.        *)
(* That contract is the read/write lock here, and it is all there is: the  *)
(* flush runs beside the adders.  SystemTimer keeps them apart for longer, *)
(* which hides two decisions of the wheel (M11, M12); here they show.      *)
(*                                                                         *)
(* withdraw empties the wheel without letting its clock move, as a user    *)
(* does who hands all that waits to another timer.  It needs no contract,  *)
(* and meets the case that the clock's advance rules out: a slot is used   *)
(* again with the key that it had.                                         *)
(*                                                                         *)
(* One label is one step.  Linking, with the bucket's and the entry's      *)
(* monitors held, is one step, and so is a flush's taking of one entry     *)
(* (TimerTaskListAtomic); the bucket's monitor itself is here, because a   *)
(* flush holds it until the key is reset.  Making a level is one step      *)
(* (OverflowWheel), and an operation of the delay queue.  None cancels.    *)
(*                                                                         *)
(* There is no time but the wheel's own: its clock is at the key of the    *)
(* bucket that was taken last.  The level-1 tick is 1.                     *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  WheelSize,    \* buckets of each level
  Levels,       \* as many levels as the scenario's deadlines can need
  Start,        \* the clock at the beginning
  Deadline,     \* entry |-> the time at which it is due
  Program,      \* thread |-> sequence of <<name, argument, ...>>
  NULL

Entries == DOMAIN Deadline
Threads == DOMAIN Program
Buckets == 1..(WheelSize * Levels)
Names   == {"add", "expire", "withdraw"}

ASSUME WheelSize >= 2 /\ Levels >= 1 /\ Start \in Nat
ASSUME DeadlinesAreTimes == \A e \in Entries : Deadline[e] \in Nat
ASSUME ProgramsAreOperations ==
  \A t \in Threads : \A i \in DOMAIN Program[t] : Program[t][i][1] \in Names

Adds == {<<t, i>> \in Threads \X (1..Cardinality(Entries)) :
           i <= Len(Program[t]) /\ Program[t][i][1] = "add"}

-----------------------------------------------------------------------------
(* The wheel's arithmetic.  Buckets are numbered level by level. *)
Tick(l)     == WheelSize ^ (l - 1)
Trim(x, l)  == x - (x % Tick(l))
LevelOf(b)  == (b - 1) \div WheelSize + 1
SlotOf(x, l) == (l - 1) * WheelSize + ((x \div Tick(l)) % WheelSize) + 1
Slot(e, l)   == SlotOf(Deadline[e], l)
KeyFor(e, l) == Trim(Deadline[e], l)

(* A binary heap of buckets, ordered by their keys at each comparison: java.util.PriorityQueue. *)
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

(* A bucket's monitor is re-entrant. *)
Free == [owner |-> NULL, depth |-> 0]

(*--algorithm TimingWheel
variables
  made     = 1,                                 \* levels so far
  current  = [l \in 1..Levels |-> IF l = 1 THEN Start ELSE -1],   \* per level; -1: not made
  content  = [b \in Buckets |-> <<>>],
  monitor  = [b \in Buckets |-> Free],
  key      = [b \in Buckets |-> -1],            \* the bucket's expiration
  queue    = <<>>,                              \* the delay queue's heap
  taskCounter = 0,
  readers  = {},
  writer   = NULL,
  adding   = Cardinality(Adds),                 \* adds that have not returned
  handed   = <<>>,                              \* handed over, or withdrawn
  \* History: what the properties speak of; no step reads it.
  rekeyed  = {},                                \* buckets that got another key while queued
  early    = {};                                \* entries handed over before their time

define
  Over == taskCounter = 0 /\ adding = 0
  Count(b) == Cardinality({i \in DOMAIN queue : queue[i] = b})
  \* What is due within the clock's own tick is due; a turn ends before the slot at which it began.
  Expired(e, l) == Deadline[e] < current[l] + Tick(l)
  Fits(e, l) == Deadline[e] < current[l] + WheelSize * Tick(l)
end define;

macro lock(b) begin
  await monitor[b].owner \in {NULL, self};
  monitor[b] := [owner |-> self, depth |-> monitor[b].depth + 1];
end macro;

macro unlock(b) begin
  monitor[b] := IF monitor[b].depth = 1 THEN Free
                ELSE [owner |-> self, depth |-> monitor[b].depth - 1];
end macro;

\* The thread that waits for the entry has it.
procedure hand(he = NULL, withdrawn = FALSE)
begin
K2:  handed := Append(handed, he);
     if ~withdrawn /\ current[1] < Deadline[he] then early := early \cup {he}; end if;
     return;
end procedure;

\* TimingWheel.add, and over it goes if the wheel does not take it
procedure put(ke = NULL)
variables level = 1, bucket = 0;
begin
W1:  if Expired(ke, level) then
       call hand(ke, FALSE);
       return;
     elsif Fits(ke, level) then
       bucket := Slot(ke, level);
W2:    skip;                                    \* an entry that is in no list yet leaves none
A1:    lock(bucket);
       content[bucket] := Append(content[bucket], ke);
       taskCounter := taskCounter + 1;
A11:   unlock(bucket);
W3:    if key[bucket] # KeyFor(ke, level) then
         if Count(bucket) > 0 then rekeyed := rekeyed \cup {bucket}; end if;
         key[bucket] := KeyFor(ke, level);
       else
         return;
       end if;
W4:    queue := Offer(queue, bucket, key);
       return;
     else
W5:    if made = level then
         made := level + 1;
         current[level + 1] := Trim(current[level], level + 1);
       end if;
       level := level + 1;
       goto W1;
     end if;
end procedure;

\* An entry is added while the clock stands still.
procedure add(ae = NULL)
begin
L1:  await writer = NULL;
     readers := readers \cup {self};
     call put(ae);
L2:  readers := readers \ {self};
     adding := adding - 1;
     return;
end procedure;

\* TimerTaskList.flush: the entries go where they belong now, or straight to their waiters
procedure flush(fb = 0, away = FALSE)
variables head = NULL;
begin
V1:  lock(fb);
F2:  while content[fb] # <<>> do
       head := Head(content[fb]);
       content[fb] := Tail(content[fb]);
       taskCounter := taskCounter - 1;
       if away then call hand(head, TRUE); else call put(head); end if;
     end while;
V2:  key[fb] := -1;
V3:  unlock(fb);
     return;
end procedure;

\* The earliest bucket is taken, the clocks reach its key, and it is flushed, until none is left.
procedure expire()
variables polled = 0, expiration = 0, up = 1;
begin
P1:  while queue # <<>> do
       polled := 0;
R2:    await readers = {} /\ writer = NULL;
       writer := self;
R4:    if queue # <<>> then
         polled := queue[1];
         queue := Poll(queue, key);
R5:      expiration := key[polled];
         if expiration >= current[1] + Tick(1) then
V4:        current[up] := Trim(expiration, up);
V5:        if up < made /\ expiration >= current[up + 1] + Tick(up + 1) then
             up := up + 1;
             goto V4;
           end if;
         end if;
       end if;
R6:    writer := NULL;
       expiration := 0;
       up := 1;
       if polled # 0 then call flush(polled, FALSE); end if;
     end while;
     await Over;
     return;
end procedure;

\* Everything is taken out, bucket by bucket, and the clock stands still.
procedure withdraw()
variables taken = 0;
begin
Q1:  while queue # <<>> do
       taken := queue[1];
       queue := Poll(queue, key);
       call flush(taken, TRUE);
     end while;
     await Over;
     return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0:  while turn <= Len(Program[self]) do
       turn := turn + 1;
       if Program[self][turn - 1][1] = "add" then call add(Program[self][turn - 1][2]);
       elsif Program[self][turn - 1][1] = "expire" then call expire();
       else call withdraw();
       end if;
T1:    skip;
     end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES made, current, content, monitor, key, queue, taskCounter, readers, 
          writer, adding, handed, rekeyed, early, pc, stack

(* define statement *)
Over == taskCounter = 0 /\ adding = 0
Count(b) == Cardinality({i \in DOMAIN queue : queue[i] = b})

Expired(e, l) == Deadline[e] < current[l] + Tick(l)
Fits(e, l) == Deadline[e] < current[l] + WheelSize * Tick(l)

VARIABLES he, withdrawn, ke, level, bucket, ae, fb, away, head, polled, 
          expiration, up, taken, turn

vars == << made, current, content, monitor, key, queue, taskCounter, readers, 
           writer, adding, handed, rekeyed, early, pc, stack, he, withdrawn, 
           ke, level, bucket, ae, fb, away, head, polled, expiration, up, 
           taken, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ made = 1
        /\ current = [l \in 1..Levels |-> IF l = 1 THEN Start ELSE -1]
        /\ content = [b \in Buckets |-> <<>>]
        /\ monitor = [b \in Buckets |-> Free]
        /\ key = [b \in Buckets |-> -1]
        /\ queue = <<>>
        /\ taskCounter = 0
        /\ readers = {}
        /\ writer = NULL
        /\ adding = Cardinality(Adds)
        /\ handed = <<>>
        /\ rekeyed = {}
        /\ early = {}
        (* Procedure hand *)
        /\ he = [ self \in ProcSet |-> NULL]
        /\ withdrawn = [ self \in ProcSet |-> FALSE]
        (* Procedure put *)
        /\ ke = [ self \in ProcSet |-> NULL]
        /\ level = [ self \in ProcSet |-> 1]
        /\ bucket = [ self \in ProcSet |-> 0]
        (* Procedure add *)
        /\ ae = [ self \in ProcSet |-> NULL]
        (* Procedure flush *)
        /\ fb = [ self \in ProcSet |-> 0]
        /\ away = [ self \in ProcSet |-> FALSE]
        /\ head = [ self \in ProcSet |-> NULL]
        (* Procedure expire *)
        /\ polled = [ self \in ProcSet |-> 0]
        /\ expiration = [ self \in ProcSet |-> 0]
        /\ up = [ self \in ProcSet |-> 1]
        (* Procedure withdraw *)
        /\ taken = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

K2(self) == /\ pc[self] = "K2"
            /\ handed' = Append(handed, he[self])
            /\ IF ~withdrawn[self] /\ current[1] < Deadline[he[self]]
                  THEN /\ early' = (early \cup {he[self]})
                  ELSE /\ TRUE
                       /\ early' = early
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ he' = [he EXCEPT ![self] = Head(stack[self]).he]
            /\ withdrawn' = [withdrawn EXCEPT ![self] = Head(stack[self]).withdrawn]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, rekeyed, ke, 
                            level, bucket, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

hand(self) == K2(self)

W1(self) == /\ pc[self] = "W1"
            /\ IF Expired(ke[self], level[self])
                  THEN /\ /\ bucket' = [bucket EXCEPT ![self] = Head(stack[self]).bucket]
                          /\ he' = [he EXCEPT ![self] = ke[self]]
                          /\ level' = [level EXCEPT ![self] = Head(stack[self]).level]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "hand",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   he        |->  he[self],
                                                                   withdrawn |->  withdrawn[self] ] >>
                                                               \o Tail(stack[self])]
                          /\ withdrawn' = [withdrawn EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "K2"]
                  ELSE /\ IF Fits(ke[self], level[self])
                             THEN /\ bucket' = [bucket EXCEPT ![self] = Slot(ke[self], level[self])]
                                  /\ pc' = [pc EXCEPT ![self] = "W2"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "W5"]
                                  /\ UNCHANGED bucket
                       /\ UNCHANGED << stack, he, withdrawn, level >>
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, ke, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

W2(self) == /\ pc[self] = "W2"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "A1"]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, stack, he, withdrawn, ke, level, 
                            bucket, ae, fb, away, head, polled, expiration, up, 
                            taken, turn >>

A1(self) == /\ pc[self] = "A1"
            /\ monitor[bucket[self]].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT ![bucket[self]] = [owner |-> self, depth |-> monitor[bucket[self]].depth + 1]]
            /\ content' = [content EXCEPT ![bucket[self]] = Append(content[bucket[self]], ke[self])]
            /\ taskCounter' = taskCounter + 1
            /\ pc' = [pc EXCEPT ![self] = "A11"]
            /\ UNCHANGED << made, current, key, queue, readers, writer, adding, 
                            handed, rekeyed, early, stack, he, withdrawn, ke, 
                            level, bucket, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

A11(self) == /\ pc[self] = "A11"
             /\ monitor' = [monitor EXCEPT ![bucket[self]] = IF monitor[bucket[self]].depth = 1 THEN Free
                                                             ELSE [owner |-> self, depth |-> monitor[bucket[self]].depth - 1]]
             /\ pc' = [pc EXCEPT ![self] = "W3"]
             /\ UNCHANGED << made, current, content, key, queue, taskCounter, 
                             readers, writer, adding, handed, rekeyed, early, 
                             stack, he, withdrawn, ke, level, bucket, ae, fb, 
                             away, head, polled, expiration, up, taken, turn >>

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
            /\ UNCHANGED << made, current, content, monitor, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            early, he, withdrawn, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

W4(self) == /\ pc[self] = "W4"
            /\ queue' = Offer(queue, bucket[self], key)
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ level' = [level EXCEPT ![self] = Head(stack[self]).level]
            /\ bucket' = [bucket EXCEPT ![self] = Head(stack[self]).bucket]
            /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << made, current, content, monitor, key, taskCounter, 
                            readers, writer, adding, handed, rekeyed, early, 
                            he, withdrawn, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

W5(self) == /\ pc[self] = "W5"
            /\ IF made = level[self]
                  THEN /\ made' = level[self] + 1
                       /\ current' = [current EXCEPT ![level[self] + 1] = Trim(current[level[self]], level[self] + 1)]
                  ELSE /\ TRUE
                       /\ UNCHANGED << made, current >>
            /\ level' = [level EXCEPT ![self] = level[self] + 1]
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << content, monitor, key, queue, taskCounter, readers, 
                            writer, adding, handed, rekeyed, early, stack, he, 
                            withdrawn, ke, bucket, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

put(self) == W1(self) \/ W2(self) \/ A1(self) \/ A11(self) \/ W3(self)
                \/ W4(self) \/ W5(self)

L1(self) == /\ pc[self] = "L1"
            /\ writer = NULL
            /\ readers' = (readers \cup {self})
            /\ /\ ke' = [ke EXCEPT ![self] = ae[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                        pc        |->  "L2",
                                                        level     |->  level[self],
                                                        bucket    |->  bucket[self],
                                                        ke        |->  ke[self] ] >>
                                                    \o stack[self]]
            /\ level' = [level EXCEPT ![self] = 1]
            /\ bucket' = [bucket EXCEPT ![self] = 0]
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, writer, adding, handed, rekeyed, 
                            early, he, withdrawn, ae, fb, away, head, polled, 
                            expiration, up, taken, turn >>

L2(self) == /\ pc[self] = "L2"
            /\ readers' = readers \ {self}
            /\ adding' = adding - 1
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ ae' = [ae EXCEPT ![self] = Head(stack[self]).ae]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, writer, handed, rekeyed, early, he, 
                            withdrawn, ke, level, bucket, fb, away, head, 
                            polled, expiration, up, taken, turn >>

add(self) == L1(self) \/ L2(self)

V1(self) == /\ pc[self] = "V1"
            /\ monitor[fb[self]].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT ![fb[self]] = [owner |-> self, depth |-> monitor[fb[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "F2"]
            /\ UNCHANGED << made, current, content, key, queue, taskCounter, 
                            readers, writer, adding, handed, rekeyed, early, 
                            stack, he, withdrawn, ke, level, bucket, ae, fb, 
                            away, head, polled, expiration, up, taken, turn >>

F2(self) == /\ pc[self] = "F2"
            /\ IF content[fb[self]] # <<>>
                  THEN /\ head' = [head EXCEPT ![self] = Head(content[fb[self]])]
                       /\ content' = [content EXCEPT ![fb[self]] = Tail(content[fb[self]])]
                       /\ taskCounter' = taskCounter - 1
                       /\ IF away[self]
                             THEN /\ /\ he' = [he EXCEPT ![self] = head'[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "hand",
                                                                              pc        |->  "F2",
                                                                              he        |->  he[self],
                                                                              withdrawn |->  withdrawn[self] ] >>
                                                                          \o stack[self]]
                                     /\ withdrawn' = [withdrawn EXCEPT ![self] = TRUE]
                                  /\ pc' = [pc EXCEPT ![self] = "K2"]
                                  /\ UNCHANGED << ke, level, bucket >>
                             ELSE /\ /\ ke' = [ke EXCEPT ![self] = head'[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                                              pc        |->  "F2",
                                                                              level     |->  level[self],
                                                                              bucket    |->  bucket[self],
                                                                              ke        |->  ke[self] ] >>
                                                                          \o stack[self]]
                                  /\ level' = [level EXCEPT ![self] = 1]
                                  /\ bucket' = [bucket EXCEPT ![self] = 0]
                                  /\ pc' = [pc EXCEPT ![self] = "W1"]
                                  /\ UNCHANGED << he, withdrawn >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "V2"]
                       /\ UNCHANGED << content, taskCounter, stack, he, 
                                       withdrawn, ke, level, bucket, head >>
            /\ UNCHANGED << made, current, monitor, key, queue, readers, 
                            writer, adding, handed, rekeyed, early, ae, fb, 
                            away, polled, expiration, up, taken, turn >>

V2(self) == /\ pc[self] = "V2"
            /\ key' = [key EXCEPT ![fb[self]] = -1]
            /\ pc' = [pc EXCEPT ![self] = "V3"]
            /\ UNCHANGED << made, current, content, monitor, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, stack, he, withdrawn, ke, level, 
                            bucket, ae, fb, away, head, polled, expiration, up, 
                            taken, turn >>

V3(self) == /\ pc[self] = "V3"
            /\ monitor' = [monitor EXCEPT ![fb[self]] = IF monitor[fb[self]].depth = 1 THEN Free
                                                        ELSE [owner |-> self, depth |-> monitor[fb[self]].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ head' = [head EXCEPT ![self] = Head(stack[self]).head]
            /\ fb' = [fb EXCEPT ![self] = Head(stack[self]).fb]
            /\ away' = [away EXCEPT ![self] = Head(stack[self]).away]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << made, current, content, key, queue, taskCounter, 
                            readers, writer, adding, handed, rekeyed, early, 
                            he, withdrawn, ke, level, bucket, ae, polled, 
                            expiration, up, taken, turn >>

flush(self) == V1(self) \/ F2(self) \/ V2(self) \/ V3(self)

P1(self) == /\ pc[self] = "P1"
            /\ IF queue # <<>>
                  THEN /\ polled' = [polled EXCEPT ![self] = 0]
                       /\ pc' = [pc EXCEPT ![self] = "R2"]
                       /\ UNCHANGED << stack, expiration, up >>
                  ELSE /\ Over
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ polled' = [polled EXCEPT ![self] = Head(stack[self]).polled]
                       /\ expiration' = [expiration EXCEPT ![self] = Head(stack[self]).expiration]
                       /\ up' = [up EXCEPT ![self] = Head(stack[self]).up]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, he, withdrawn, ke, level, bucket, 
                            ae, fb, away, head, taken, turn >>

R2(self) == /\ pc[self] = "R2"
            /\ readers = {} /\ writer = NULL
            /\ writer' = self
            /\ pc' = [pc EXCEPT ![self] = "R4"]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, adding, handed, rekeyed, 
                            early, stack, he, withdrawn, ke, level, bucket, ae, 
                            fb, away, head, polled, expiration, up, taken, 
                            turn >>

R4(self) == /\ pc[self] = "R4"
            /\ IF queue # <<>>
                  THEN /\ polled' = [polled EXCEPT ![self] = queue[1]]
                       /\ queue' = Poll(queue, key)
                       /\ pc' = [pc EXCEPT ![self] = "R5"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R6"]
                       /\ UNCHANGED << queue, polled >>
            /\ UNCHANGED << made, current, content, monitor, key, taskCounter, 
                            readers, writer, adding, handed, rekeyed, early, 
                            stack, he, withdrawn, ke, level, bucket, ae, fb, 
                            away, head, expiration, up, taken, turn >>

R5(self) == /\ pc[self] = "R5"
            /\ expiration' = [expiration EXCEPT ![self] = key[polled[self]]]
            /\ IF expiration'[self] >= current[1] + Tick(1)
                  THEN /\ pc' = [pc EXCEPT ![self] = "V4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R6"]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, stack, he, withdrawn, ke, level, 
                            bucket, ae, fb, away, head, polled, up, taken, 
                            turn >>

V4(self) == /\ pc[self] = "V4"
            /\ current' = [current EXCEPT ![up[self]] = Trim(expiration[self], up[self])]
            /\ pc' = [pc EXCEPT ![self] = "V5"]
            /\ UNCHANGED << made, content, monitor, key, queue, taskCounter, 
                            readers, writer, adding, handed, rekeyed, early, 
                            stack, he, withdrawn, ke, level, bucket, ae, fb, 
                            away, head, polled, expiration, up, taken, turn >>

V5(self) == /\ pc[self] = "V5"
            /\ IF up[self] < made /\ expiration[self] >= current[up[self] + 1] + Tick(up[self] + 1)
                  THEN /\ up' = [up EXCEPT ![self] = up[self] + 1]
                       /\ pc' = [pc EXCEPT ![self] = "V4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R6"]
                       /\ up' = up
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, stack, he, withdrawn, ke, level, 
                            bucket, ae, fb, away, head, polled, expiration, 
                            taken, turn >>

R6(self) == /\ pc[self] = "R6"
            /\ writer' = NULL
            /\ expiration' = [expiration EXCEPT ![self] = 0]
            /\ up' = [up EXCEPT ![self] = 1]
            /\ IF polled[self] # 0
                  THEN /\ /\ away' = [away EXCEPT ![self] = FALSE]
                          /\ fb' = [fb EXCEPT ![self] = polled[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "flush",
                                                                   pc        |->  "P1",
                                                                   head      |->  head[self],
                                                                   fb        |->  fb[self],
                                                                   away      |->  away[self] ] >>
                                                               \o stack[self]]
                       /\ head' = [head EXCEPT ![self] = NULL]
                       /\ pc' = [pc EXCEPT ![self] = "V1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ UNCHANGED << stack, fb, away, head >>
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, adding, handed, rekeyed, 
                            early, he, withdrawn, ke, level, bucket, ae, 
                            polled, taken, turn >>

expire(self) == P1(self) \/ R2(self) \/ R4(self) \/ R5(self) \/ V4(self)
                   \/ V5(self) \/ R6(self)

Q1(self) == /\ pc[self] = "Q1"
            /\ IF queue # <<>>
                  THEN /\ taken' = [taken EXCEPT ![self] = queue[1]]
                       /\ queue' = Poll(queue, key)
                       /\ /\ away' = [away EXCEPT ![self] = TRUE]
                          /\ fb' = [fb EXCEPT ![self] = taken'[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "flush",
                                                                   pc        |->  "Q1",
                                                                   head      |->  head[self],
                                                                   fb        |->  fb[self],
                                                                   away      |->  away[self] ] >>
                                                               \o stack[self]]
                       /\ head' = [head EXCEPT ![self] = NULL]
                       /\ pc' = [pc EXCEPT ![self] = "V1"]
                  ELSE /\ Over
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ taken' = [taken EXCEPT ![self] = Head(stack[self]).taken]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << queue, fb, away, head >>
            /\ UNCHANGED << made, current, content, monitor, key, taskCounter, 
                            readers, writer, adding, handed, rekeyed, early, 
                            he, withdrawn, ke, level, bucket, ae, polled, 
                            expiration, up, turn >>

withdraw(self) == Q1(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "add"
                             THEN /\ /\ ae' = [ae EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                                              pc        |->  "T1",
                                                                              ae        |->  ae[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "L1"]
                                  /\ UNCHANGED << polled, expiration, up, 
                                                  taken >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "expire"
                                        THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "expire",
                                                                                      pc        |->  "T1",
                                                                                      polled    |->  polled[self],
                                                                                      expiration |->  expiration[self],
                                                                                      up        |->  up[self] ] >>
                                                                                  \o stack[self]]
                                             /\ polled' = [polled EXCEPT ![self] = 0]
                                             /\ expiration' = [expiration EXCEPT ![self] = 0]
                                             /\ up' = [up EXCEPT ![self] = 1]
                                             /\ pc' = [pc EXCEPT ![self] = "P1"]
                                             /\ taken' = taken
                                        ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "withdraw",
                                                                                      pc        |->  "T1",
                                                                                      taken     |->  taken[self] ] >>
                                                                                  \o stack[self]]
                                             /\ taken' = [taken EXCEPT ![self] = 0]
                                             /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                             /\ UNCHANGED << polled, 
                                                             expiration, up >>
                                  /\ ae' = ae
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, ae, polled, expiration, up, 
                                       taken, turn >>
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, he, withdrawn, ke, level, bucket, 
                            fb, away, head >>

T1(self) == /\ pc[self] = "T1"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << made, current, content, monitor, key, queue, 
                            taskCounter, readers, writer, adding, handed, 
                            rekeyed, early, stack, he, withdrawn, ke, level, 
                            bucket, ae, fb, away, head, polled, expiration, up, 
                            taken, turn >>

thread(self) == T0(self) \/ T1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ hand(self) \/ put(self) \/ add(self)
                               \/ flush(self) \/ expire(self)
                               \/ withdraw(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(add(self))
                                 /\ WF_vars(expire(self))
                                 /\ WF_vars(withdraw(self))
                                 /\ WF_vars(hand(self))
                                 /\ WF_vars(put(self))
                                 /\ WF_vars(flush(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION
===============================================================================

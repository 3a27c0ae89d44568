--------------------------- MODULE TimerTaskList ---------------------------
(***************************************************************************)
(* A bucket of Kafka's timing wheel: a doubly linked ring of entries around *)
(* a sentinel, shared by threads that add, remove, cancel and flush.        *)
(*                                                                          *)
(* Kafka's classes and what stands for them here:                           *)
(*   TimerTask       cancel (C), setTimerTaskEntry (S); task monitor        *)
(*   TimerTaskEntry  remove with its retry loop (R), cancelled (K1);        *)
(*                   entry monitor; list, next, prev                        *)
(*   TimerTaskList   add (A), remove (U, for unlink), flush (F);            *)
(*                   re-entrant list monitor; the list is its own sentinel  *)
(*   SystemTimer     addTimerTaskEntry (K): the callback that flush is      *)
(*                   given, and the second half of SystemTimer.add          *)
(*                                                                          *)
(* One label is one step: every lock and unlock, every read of `list` or of *)
(* `timerTaskEntry` that no lock protects, every write of next, prev and    *)
(* list.  Reads of next and prev under the list's monitor belong to the     *)
(* step that uses them.  Simplified away: time (an entry has no expiration, *)
(* a bucket no key), and weak memory (steps interleave, they are never      *)
(* reordered).                                                              *)
(***************************************************************************)
EXTENDS Naturals, Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Lists,        \* the buckets
  TaskOf,       \* entry |-> its task
  Ring,         \* list |-> the entries linked at the start, head first
  Current,      \* the entries that their tasks point at, at the start
  Program,      \* thread |-> sequence of operations <<name, argument, ...>>
  NULL

Entries == DOMAIN TaskOf
Tasks   == {TaskOf[e] : e \in Entries}
Threads == DOMAIN Program
Nodes   == Lists \cup Entries
Operations == {"add", "remove", "cancel", "schedule", "flush", "expire"}

Range(s) == {s[i] : i \in DOMAIN s}

ASSUME NamesAreDistinct == Cardinality(Nodes \cup Tasks \cup Threads) =
  Cardinality(Lists) + Cardinality(Entries) + Cardinality(Tasks) + Cardinality(Threads)
ASSUME NullIsNobody == NULL \notin Nodes \cup Tasks \cup Threads
ASSUME RingIsOfEntries == /\ DOMAIN Ring = Lists
                          /\ \A l \in Lists : Range(Ring[l]) \subseteq Entries
ASSUME EachEntryIsLinkedOnce ==
  \A l, m \in Lists : \A i \in DOMAIN Ring[l], j \in DOMAIN Ring[m] :
    Ring[l][i] = Ring[m][j] => l = m /\ i = j
ASSUME OneCurrentEntryPerTask == /\ Current \subseteq Entries
                                 /\ \A d, e \in Current : TaskOf[d] = TaskOf[e] => d = e
ASSUME ProgramsAreOperations ==
  \A t \in Threads : \A i \in DOMAIN Program[t] : Program[t][i][1] \in Operations

-----------------------------------------------------------------------------
(* The initial ring, as the pointers that make it. *)
ListOf(e) == IF \E l \in Lists : e \in Range(Ring[l])
             THEN CHOOSE l \in Lists : e \in Range(Ring[l]) ELSE NULL
Closed(l) == <<l>> \o Ring[l] \o <<l>>          \* the ring of l, once round
Position(n) == LET l == IF n \in Lists THEN n ELSE ListOf(n)
               IN  CHOOSE i \in 1..Len(Ring[l]) + 1 : Closed(l)[i] = n
After(n)  == IF n \in Lists THEN Closed(n)[2]
             ELSE IF ListOf(n) = NULL THEN NULL ELSE Closed(ListOf(n))[Position(n) + 1]
Before(n) == IF n \in Lists THEN Closed(n)[Len(Closed(n)) - 1]
             ELSE IF ListOf(n) = NULL THEN NULL ELSE Closed(ListOf(n))[Position(n) - 1]

Free == [owner |-> NULL, depth |-> 0]

(*--algorithm TimerTaskList
variables
  next = [n \in Nodes |-> After(n)],     \* entry.next; of a list: root.next
  prev = [n \in Nodes |-> Before(n)],
  list = [e \in Entries |-> ListOf(e)],  \* volatile: read without a lock by R1
  listMonitor  = [l \in Lists |-> Free],
  entryMonitor = [e \in Entries |-> Free],
  taskMonitor  = [x \in Tasks |-> Free],
  timerTaskEntry = [x \in Tasks |->      \* volatile: read without a lock by K1
    IF \E e \in Current : TaskOf[e] = x THEN CHOOSE e \in Current : TaskOf[e] = x ELSE NULL],
  taskCounter = Cardinality({e \in Entries : ListOf(e) # NULL}),
  \* History: what the properties speak of; no step reads it.
  revoked = [e \in Entries |-> FALSE],   \* its task's cancel has returned, no schedule followed
  slipped = {},                          \* entries that passed a check although revoked
  owed = [x \in Tasks |->                \* adds that linked an entry of x, less its runs
    Cardinality({e \in Entries : TaskOf[e] = x /\ ListOf(e) # NULL})];

macro lock(monitor, x) begin
  await monitor[x].owner \in {NULL, self};
  monitor[x] := [owner |-> self, depth |-> monitor[x].depth + 1];
end macro;

macro unlock(monitor, x) begin
  monitor[x] := IF monitor[x].depth = 1 THEN Free
                ELSE [owner |-> self, depth |-> monitor[x].depth - 1];
end macro;

\* TimerTaskList.remove
procedure unlink(ul = NULL, ue = NULL)
begin
U1:  lock(listMonitor, ul);
U2:  lock(entryMonitor, ue);
U3:  if list[ue] # ul then goto U10; end if;
U4:  prev[next[ue]] := prev[ue];
U5:  next[prev[ue]] := next[ue];
U6:  next[ue] := NULL;
U7:  prev[ue] := NULL;
U8:  list[ue] := NULL;
U9:  taskCounter := taskCounter - 1;
U10: unlock(entryMonitor, ue);
U11: unlock(listMonitor, ul);
     return;
end procedure;

\* TimerTaskEntry.remove
procedure remove(re = NULL)
begin
R1:  while list[re] # NULL do
       call unlink(list[re], re);
     end while;
     return;
end procedure;

\* TimerTaskList.add
procedure add(al = NULL, ae = NULL)
variables done = FALSE, tail = NULL;
begin
A0:  while ~done do
       call remove(ae);
A1:    lock(listMonitor, al);
A2:    lock(entryMonitor, ae);
A3:    if list[ae] = NULL then
         tail := prev[al];
A4:      next[ae] := al;
A5:      prev[ae] := tail;
A6:      list[ae] := al;
A7:      next[tail] := ae;
A8:      prev[al] := ae;
A9:      taskCounter := taskCounter + 1;
         done := TRUE;
         if \A i \in DOMAIN stack[self] : stack[self][i].procedure # "flush" then
           owed[TaskOf[ae]] := owed[TaskOf[ae]] + 1;
         end if;
       end if;
A10:   unlock(entryMonitor, ae);
A11:   unlock(listMonitor, al);
     end while;
A12: return;
end procedure;

\* SystemTimer.addTimerTaskEntry: into bucket kl, or to the executor when kl is NULL
procedure addTimerTaskEntry(kl = NULL, ke = NULL)
begin
K1:  if timerTaskEntry[TaskOf[ke]] # ke then
       return;
     else
       if revoked[ke] then slipped := slipped \cup {ke}; end if;
       if kl # NULL then call add(kl, ke); return; end if;
     end if;
K2:  owed[TaskOf[ke]] := owed[TaskOf[ke]] - 1;
     return;
end procedure;

\* TimerTaskList.flush: every entry to bucket fd, or to the executor when fd is NULL
procedure flush(fl = NULL, fd = NULL)
variables head = NULL;
begin
F1:  lock(listMonitor, fl);
F2:  while next[fl] # fl do
       head := next[fl];
       call unlink(fl, head);
F3:    call addTimerTaskEntry(fd, head);
     end while;
F4:  unlock(listMonitor, fl);
     return;
end procedure;

\* TimerTask.setTimerTaskEntry, called by the constructor of an entry
procedure setTimerTaskEntry(st = NULL, se = NULL)
begin
S1:  lock(taskMonitor, st);
S2:  if timerTaskEntry[st] \notin {NULL, se} then call remove(timerTaskEntry[st]); end if;
S3:  timerTaskEntry[st] := se;
     revoked[se] := FALSE;
S4:  unlock(taskMonitor, st);
     return;
end procedure;

\* TimerTask.cancel
procedure cancel(ct = NULL)
begin
C1:  lock(taskMonitor, ct);
C2:  if timerTaskEntry[ct] # NULL then call remove(timerTaskEntry[ct]); end if;
C3:  timerTaskEntry[ct] := NULL;
C4:  unlock(taskMonitor, ct);
     revoked := [e \in Entries |-> revoked[e] \/ TaskOf[e] = ct];
     return;
end procedure;

\* A thread runs its program; T0, A0, A12, F3 and T1 are steps only to PlusCal.
fair process thread \in Threads
variables turn = 1;
begin
T0:  while turn <= Len(Program[self]) do
       turn := turn + 1;
       if Program[self][turn - 1][1] = "add" then
         call add(Program[self][turn - 1][2], Program[self][turn - 1][3]);
       elsif Program[self][turn - 1][1] = "remove" then
         call remove(Program[self][turn - 1][2]);
       elsif Program[self][turn - 1][1] = "cancel" then
         call cancel(Program[self][turn - 1][2]);
       elsif Program[self][turn - 1][1] = "flush" then
         call flush(Program[self][turn - 1][2], Program[self][turn - 1][3]);
       elsif Program[self][turn - 1][1] = "expire" then
         call flush(Program[self][turn - 1][2], NULL);
       else
         call setTimerTaskEntry(TaskOf[Program[self][turn - 1][3]], Program[self][turn - 1][3]);
T1:      call addTimerTaskEntry(Program[self][turn - 1][2], Program[self][turn - 1][3]);
       end if;
     end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES next, prev, list, listMonitor, entryMonitor, taskMonitor, 
          timerTaskEntry, taskCounter, revoked, slipped, owed, pc, stack, ul, 
          ue, re, al, ae, done, tail, kl, ke, fl, fd, head, st, se, ct, turn

vars == << next, prev, list, listMonitor, entryMonitor, taskMonitor, 
           timerTaskEntry, taskCounter, revoked, slipped, owed, pc, stack, ul, 
           ue, re, al, ae, done, tail, kl, ke, fl, fd, head, st, se, ct, turn
        >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ next = [n \in Nodes |-> After(n)]
        /\ prev = [n \in Nodes |-> Before(n)]
        /\ list = [e \in Entries |-> ListOf(e)]
        /\ listMonitor = [l \in Lists |-> Free]
        /\ entryMonitor = [e \in Entries |-> Free]
        /\ taskMonitor = [x \in Tasks |-> Free]
        /\ timerTaskEntry =                [x \in Tasks |->
                            IF \E e \in Current : TaskOf[e] = x THEN CHOOSE e \in Current : TaskOf[e] = x ELSE NULL]
        /\ taskCounter = Cardinality({e \in Entries : ListOf(e) # NULL})
        /\ revoked = [e \in Entries |-> FALSE]
        /\ slipped = {}
        /\ owed =      [x \in Tasks |->
                  Cardinality({e \in Entries : TaskOf[e] = x /\ ListOf(e) # NULL})]
        (* Procedure unlink *)
        /\ ul = [ self \in ProcSet |-> NULL]
        /\ ue = [ self \in ProcSet |-> NULL]
        (* Procedure remove *)
        /\ re = [ self \in ProcSet |-> NULL]
        (* Procedure add *)
        /\ al = [ self \in ProcSet |-> NULL]
        /\ ae = [ self \in ProcSet |-> NULL]
        /\ done = [ self \in ProcSet |-> FALSE]
        /\ tail = [ self \in ProcSet |-> NULL]
        (* Procedure addTimerTaskEntry *)
        /\ kl = [ self \in ProcSet |-> NULL]
        /\ ke = [ self \in ProcSet |-> NULL]
        (* Procedure flush *)
        /\ fl = [ self \in ProcSet |-> NULL]
        /\ fd = [ self \in ProcSet |-> NULL]
        /\ head = [ self \in ProcSet |-> NULL]
        (* Procedure setTimerTaskEntry *)
        /\ st = [ self \in ProcSet |-> NULL]
        /\ se = [ self \in ProcSet |-> NULL]
        (* Procedure cancel *)
        /\ ct = [ self \in ProcSet |-> NULL]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

U1(self) == /\ pc[self] = "U1"
            /\ listMonitor[ul[self]].owner \in {NULL, self}
            /\ listMonitor' = [listMonitor EXCEPT ![ul[self]] = [owner |-> self, depth |-> listMonitor[ul[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "U2"]
            /\ UNCHANGED << next, prev, list, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U2(self) == /\ pc[self] = "U2"
            /\ entryMonitor[ue[self]].owner \in {NULL, self}
            /\ entryMonitor' = [entryMonitor EXCEPT ![ue[self]] = [owner |-> self, depth |-> entryMonitor[ue[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "U3"]
            /\ UNCHANGED << next, prev, list, listMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U3(self) == /\ pc[self] = "U3"
            /\ IF list[ue[self]] # ul[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "U10"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "U4"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, stack, ul, ue, re, al, ae, done, 
                            tail, kl, ke, fl, fd, head, st, se, ct, turn >>

U4(self) == /\ pc[self] = "U4"
            /\ prev' = [prev EXCEPT ![next[ue[self]]] = prev[ue[self]]]
            /\ pc' = [pc EXCEPT ![self] = "U5"]
            /\ UNCHANGED << next, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U5(self) == /\ pc[self] = "U5"
            /\ next' = [next EXCEPT ![prev[ue[self]]] = next[ue[self]]]
            /\ pc' = [pc EXCEPT ![self] = "U6"]
            /\ UNCHANGED << prev, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U6(self) == /\ pc[self] = "U6"
            /\ next' = [next EXCEPT ![ue[self]] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "U7"]
            /\ UNCHANGED << prev, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U7(self) == /\ pc[self] = "U7"
            /\ prev' = [prev EXCEPT ![ue[self]] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "U8"]
            /\ UNCHANGED << next, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U8(self) == /\ pc[self] = "U8"
            /\ list' = [list EXCEPT ![ue[self]] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "U9"]
            /\ UNCHANGED << next, prev, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U9(self) == /\ pc[self] = "U9"
            /\ taskCounter' = taskCounter - 1
            /\ pc' = [pc EXCEPT ![self] = "U10"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

U10(self) == /\ pc[self] = "U10"
             /\ entryMonitor' = [entryMonitor EXCEPT ![ue[self]] = IF entryMonitor[ue[self]].depth = 1 THEN Free
                                                                   ELSE [owner |-> self, depth |-> entryMonitor[ue[self]].depth - 1]]
             /\ pc' = [pc EXCEPT ![self] = "U11"]
             /\ UNCHANGED << next, prev, list, listMonitor, taskMonitor, 
                             timerTaskEntry, taskCounter, revoked, slipped, 
                             owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                             ke, fl, fd, head, st, se, ct, turn >>

U11(self) == /\ pc[self] = "U11"
             /\ listMonitor' = [listMonitor EXCEPT ![ul[self]] = IF listMonitor[ul[self]].depth = 1 THEN Free
                                                                 ELSE [owner |-> self, depth |-> listMonitor[ul[self]].depth - 1]]
             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
             /\ ul' = [ul EXCEPT ![self] = Head(stack[self]).ul]
             /\ ue' = [ue EXCEPT ![self] = Head(stack[self]).ue]
             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
             /\ UNCHANGED << next, prev, list, entryMonitor, taskMonitor, 
                             timerTaskEntry, taskCounter, revoked, slipped, 
                             owed, re, al, ae, done, tail, kl, ke, fl, fd, 
                             head, st, se, ct, turn >>

unlink(self) == U1(self) \/ U2(self) \/ U3(self) \/ U4(self) \/ U5(self)
                   \/ U6(self) \/ U7(self) \/ U8(self) \/ U9(self)
                   \/ U10(self) \/ U11(self)

R1(self) == /\ pc[self] = "R1"
            /\ IF list[re[self]] # NULL
                  THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "unlink",
                                                                   pc        |->  "R1",
                                                                   ul        |->  ul[self],
                                                                   ue        |->  ue[self] ] >>
                                                               \o stack[self]]
                          /\ ue' = [ue EXCEPT ![self] = re[self]]
                          /\ ul' = [ul EXCEPT ![self] = list[re[self]]]
                       /\ pc' = [pc EXCEPT ![self] = "U1"]
                       /\ re' = re
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ re' = [re EXCEPT ![self] = Head(stack[self]).re]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << ul, ue >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, al, ae, done, tail, kl, ke, fl, fd, 
                            head, st, se, ct, turn >>

remove(self) == R1(self)

A0(self) == /\ pc[self] = "A0"
            /\ IF ~done[self]
                  THEN /\ /\ re' = [re EXCEPT ![self] = ae[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                   pc        |->  "A1",
                                                                   re        |->  re[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A12"]
                       /\ UNCHANGED << stack, re >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, ul, ue, al, ae, done, tail, kl, ke, 
                            fl, fd, head, st, se, ct, turn >>

A1(self) == /\ pc[self] = "A1"
            /\ listMonitor[al[self]].owner \in {NULL, self}
            /\ listMonitor' = [listMonitor EXCEPT ![al[self]] = [owner |-> self, depth |-> listMonitor[al[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << next, prev, list, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ entryMonitor[ae[self]].owner \in {NULL, self}
            /\ entryMonitor' = [entryMonitor EXCEPT ![ae[self]] = [owner |-> self, depth |-> entryMonitor[ae[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << next, prev, list, listMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A3(self) == /\ pc[self] = "A3"
            /\ IF list[ae[self]] = NULL
                  THEN /\ tail' = [tail EXCEPT ![self] = prev[al[self]]]
                       /\ pc' = [pc EXCEPT ![self] = "A4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A10"]
                       /\ tail' = tail
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, stack, ul, ue, re, al, ae, done, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A4(self) == /\ pc[self] = "A4"
            /\ next' = [next EXCEPT ![ae[self]] = al[self]]
            /\ pc' = [pc EXCEPT ![self] = "A5"]
            /\ UNCHANGED << prev, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A5(self) == /\ pc[self] = "A5"
            /\ prev' = [prev EXCEPT ![ae[self]] = tail[self]]
            /\ pc' = [pc EXCEPT ![self] = "A6"]
            /\ UNCHANGED << next, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A6(self) == /\ pc[self] = "A6"
            /\ list' = [list EXCEPT ![ae[self]] = al[self]]
            /\ pc' = [pc EXCEPT ![self] = "A7"]
            /\ UNCHANGED << next, prev, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A7(self) == /\ pc[self] = "A7"
            /\ next' = [next EXCEPT ![tail[self]] = ae[self]]
            /\ pc' = [pc EXCEPT ![self] = "A8"]
            /\ UNCHANGED << prev, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A8(self) == /\ pc[self] = "A8"
            /\ prev' = [prev EXCEPT ![al[self]] = ae[self]]
            /\ pc' = [pc EXCEPT ![self] = "A9"]
            /\ UNCHANGED << next, list, listMonitor, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

A9(self) == /\ pc[self] = "A9"
            /\ taskCounter' = taskCounter + 1
            /\ done' = [done EXCEPT ![self] = TRUE]
            /\ IF \A i \in DOMAIN stack[self] : stack[self][i].procedure # "flush"
                  THEN /\ owed' = [owed EXCEPT ![TaskOf[ae[self]]] = owed[TaskOf[ae[self]]] + 1]
                  ELSE /\ TRUE
                       /\ owed' = owed
            /\ pc' = [pc EXCEPT ![self] = "A10"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, revoked, slipped, 
                            stack, ul, ue, re, al, ae, tail, kl, ke, fl, fd, 
                            head, st, se, ct, turn >>

A10(self) == /\ pc[self] = "A10"
             /\ entryMonitor' = [entryMonitor EXCEPT ![ae[self]] = IF entryMonitor[ae[self]].depth = 1 THEN Free
                                                                   ELSE [owner |-> self, depth |-> entryMonitor[ae[self]].depth - 1]]
             /\ pc' = [pc EXCEPT ![self] = "A11"]
             /\ UNCHANGED << next, prev, list, listMonitor, taskMonitor, 
                             timerTaskEntry, taskCounter, revoked, slipped, 
                             owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                             ke, fl, fd, head, st, se, ct, turn >>

A11(self) == /\ pc[self] = "A11"
             /\ listMonitor' = [listMonitor EXCEPT ![al[self]] = IF listMonitor[al[self]].depth = 1 THEN Free
                                                                 ELSE [owner |-> self, depth |-> listMonitor[al[self]].depth - 1]]
             /\ pc' = [pc EXCEPT ![self] = "A0"]
             /\ UNCHANGED << next, prev, list, entryMonitor, taskMonitor, 
                             timerTaskEntry, taskCounter, revoked, slipped, 
                             owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                             ke, fl, fd, head, st, se, ct, turn >>

A12(self) == /\ pc[self] = "A12"
             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
             /\ done' = [done EXCEPT ![self] = Head(stack[self]).done]
             /\ tail' = [tail EXCEPT ![self] = Head(stack[self]).tail]
             /\ al' = [al EXCEPT ![self] = Head(stack[self]).al]
             /\ ae' = [ae EXCEPT ![self] = Head(stack[self]).ae]
             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
             /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                             taskMonitor, timerTaskEntry, taskCounter, revoked, 
                             slipped, owed, ul, ue, re, kl, ke, fl, fd, head, 
                             st, se, ct, turn >>

add(self) == A0(self) \/ A1(self) \/ A2(self) \/ A3(self) \/ A4(self)
                \/ A5(self) \/ A6(self) \/ A7(self) \/ A8(self) \/ A9(self)
                \/ A10(self) \/ A11(self) \/ A12(self)

K1(self) == /\ pc[self] = "K1"
            /\ IF timerTaskEntry[TaskOf[ke[self]]] # ke[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ kl' = [kl EXCEPT ![self] = Head(stack[self]).kl]
                       /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << slipped, al, ae, done, tail >>
                  ELSE /\ IF revoked[ke[self]]
                             THEN /\ slipped' = (slipped \cup {ke[self]})
                             ELSE /\ TRUE
                                  /\ UNCHANGED slipped
                       /\ IF kl[self] # NULL
                             THEN /\ /\ ae' = [ae EXCEPT ![self] = ke[self]]
                                     /\ al' = [al EXCEPT ![self] = kl[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                                              pc        |->  Head(stack[self]).pc,
                                                                              done      |->  done[self],
                                                                              tail      |->  tail[self],
                                                                              al        |->  al[self],
                                                                              ae        |->  ae[self] ] >>
                                                                          \o Tail(stack[self])]
                                  /\ done' = [done EXCEPT ![self] = FALSE]
                                  /\ tail' = [tail EXCEPT ![self] = NULL]
                                  /\ pc' = [pc EXCEPT ![self] = "A0"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "K2"]
                                  /\ UNCHANGED << stack, al, ae, done, tail >>
                       /\ UNCHANGED << kl, ke >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            owed, ul, ue, re, fl, fd, head, st, se, ct, turn >>

K2(self) == /\ pc[self] = "K2"
            /\ owed' = [owed EXCEPT ![TaskOf[ke[self]]] = owed[TaskOf[ke[self]]] - 1]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ kl' = [kl EXCEPT ![self] = Head(stack[self]).kl]
            /\ ke' = [ke EXCEPT ![self] = Head(stack[self]).ke]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, ul, ue, re, al, ae, done, tail, fl, fd, 
                            head, st, se, ct, turn >>

addTimerTaskEntry(self) == K1(self) \/ K2(self)

F1(self) == /\ pc[self] = "F1"
            /\ listMonitor[fl[self]].owner \in {NULL, self}
            /\ listMonitor' = [listMonitor EXCEPT ![fl[self]] = [owner |-> self, depth |-> listMonitor[fl[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "F2"]
            /\ UNCHANGED << next, prev, list, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

F2(self) == /\ pc[self] = "F2"
            /\ IF next[fl[self]] # fl[self]
                  THEN /\ head' = [head EXCEPT ![self] = next[fl[self]]]
                       /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "unlink",
                                                                   pc        |->  "F3",
                                                                   ul        |->  ul[self],
                                                                   ue        |->  ue[self] ] >>
                                                               \o stack[self]]
                          /\ ue' = [ue EXCEPT ![self] = head'[self]]
                          /\ ul' = [ul EXCEPT ![self] = fl[self]]
                       /\ pc' = [pc EXCEPT ![self] = "U1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "F4"]
                       /\ UNCHANGED << stack, ul, ue, head >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, re, al, ae, done, tail, kl, ke, fl, 
                            fd, st, se, ct, turn >>

F3(self) == /\ pc[self] = "F3"
            /\ /\ ke' = [ke EXCEPT ![self] = head[self]]
               /\ kl' = [kl EXCEPT ![self] = fd[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "addTimerTaskEntry",
                                                        pc        |->  "F2",
                                                        kl        |->  kl[self],
                                                        ke        |->  ke[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "K1"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, ul, ue, re, al, ae, done, tail, fl, 
                            fd, head, st, se, ct, turn >>

F4(self) == /\ pc[self] = "F4"
            /\ listMonitor' = [listMonitor EXCEPT ![fl[self]] = IF listMonitor[fl[self]].depth = 1 THEN Free
                                                                ELSE [owner |-> self, depth |-> listMonitor[fl[self]].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ head' = [head EXCEPT ![self] = Head(stack[self]).head]
            /\ fl' = [fl EXCEPT ![self] = Head(stack[self]).fl]
            /\ fd' = [fd EXCEPT ![self] = Head(stack[self]).fd]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << next, prev, list, entryMonitor, taskMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, ul, ue, re, al, ae, done, tail, kl, ke, st, 
                            se, ct, turn >>

flush(self) == F1(self) \/ F2(self) \/ F3(self) \/ F4(self)

S1(self) == /\ pc[self] = "S1"
            /\ taskMonitor[st[self]].owner \in {NULL, self}
            /\ taskMonitor' = [taskMonitor EXCEPT ![st[self]] = [owner |-> self, depth |-> taskMonitor[st[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "S2"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

S2(self) == /\ pc[self] = "S2"
            /\ IF timerTaskEntry[st[self]] \notin {NULL, se[self]}
                  THEN /\ /\ re' = [re EXCEPT ![self] = timerTaskEntry[st[self]]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                   pc        |->  "S3",
                                                                   re        |->  re[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "S3"]
                       /\ UNCHANGED << stack, re >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, ul, ue, al, ae, done, tail, kl, ke, 
                            fl, fd, head, st, se, ct, turn >>

S3(self) == /\ pc[self] = "S3"
            /\ timerTaskEntry' = [timerTaskEntry EXCEPT ![st[self]] = se[self]]
            /\ revoked' = [revoked EXCEPT ![se[self]] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "S4"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, taskCounter, slipped, owed, stack, ul, 
                            ue, re, al, ae, done, tail, kl, ke, fl, fd, head, 
                            st, se, ct, turn >>

S4(self) == /\ pc[self] = "S4"
            /\ taskMonitor' = [taskMonitor EXCEPT ![st[self]] = IF taskMonitor[st[self]].depth = 1 THEN Free
                                                                ELSE [owner |-> self, depth |-> taskMonitor[st[self]].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ st' = [st EXCEPT ![self] = Head(stack[self]).st]
            /\ se' = [se EXCEPT ![self] = Head(stack[self]).se]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, ul, ue, re, al, ae, done, tail, kl, ke, fl, 
                            fd, head, ct, turn >>

setTimerTaskEntry(self) == S1(self) \/ S2(self) \/ S3(self) \/ S4(self)

C1(self) == /\ pc[self] = "C1"
            /\ taskMonitor[ct[self]].owner \in {NULL, self}
            /\ taskMonitor' = [taskMonitor EXCEPT ![ct[self]] = [owner |-> self, depth |-> taskMonitor[ct[self]].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            timerTaskEntry, taskCounter, revoked, slipped, 
                            owed, stack, ul, ue, re, al, ae, done, tail, kl, 
                            ke, fl, fd, head, st, se, ct, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ IF timerTaskEntry[ct[self]] # NULL
                  THEN /\ /\ re' = [re EXCEPT ![self] = timerTaskEntry[ct[self]]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                   pc        |->  "C3",
                                                                   re        |->  re[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C3"]
                       /\ UNCHANGED << stack, re >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, ul, ue, al, ae, done, tail, kl, ke, 
                            fl, fd, head, st, se, ct, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ timerTaskEntry' = [timerTaskEntry EXCEPT ![ct[self]] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, taskCounter, revoked, slipped, owed, 
                            stack, ul, ue, re, al, ae, done, tail, kl, ke, fl, 
                            fd, head, st, se, ct, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ taskMonitor' = [taskMonitor EXCEPT ![ct[self]] = IF taskMonitor[ct[self]].depth = 1 THEN Free
                                                                ELSE [owner |-> self, depth |-> taskMonitor[ct[self]].depth - 1]]
            /\ revoked' = [e \in Entries |-> revoked[e] \/ TaskOf[e] = ct[self]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ ct' = [ct EXCEPT ![self] = Head(stack[self]).ct]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            timerTaskEntry, taskCounter, slipped, owed, ul, ue, 
                            re, al, ae, done, tail, kl, ke, fl, fd, head, st, 
                            se, turn >>

cancel(self) == C1(self) \/ C2(self) \/ C3(self) \/ C4(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "add"
                             THEN /\ /\ ae' = [ae EXCEPT ![self] = Program[self][turn'[self] - 1][3]]
                                     /\ al' = [al EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                                              pc        |->  "T0",
                                                                              done      |->  done[self],
                                                                              tail      |->  tail[self],
                                                                              al        |->  al[self],
                                                                              ae        |->  ae[self] ] >>
                                                                          \o stack[self]]
                                  /\ done' = [done EXCEPT ![self] = FALSE]
                                  /\ tail' = [tail EXCEPT ![self] = NULL]
                                  /\ pc' = [pc EXCEPT ![self] = "A0"]
                                  /\ UNCHANGED << re, fl, fd, head, st, se, ct >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "remove"
                                        THEN /\ /\ re' = [re EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                                         pc        |->  "T0",
                                                                                         re        |->  re[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "R1"]
                                             /\ UNCHANGED << fl, fd, head, st, 
                                                             se, ct >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "cancel"
                                                   THEN /\ /\ ct' = [ct EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancel",
                                                                                                    pc        |->  "T0",
                                                                                                    ct        |->  ct[self] ] >>
                                                                                                \o stack[self]]
                                                        /\ pc' = [pc EXCEPT ![self] = "C1"]
                                                        /\ UNCHANGED << fl, fd, 
                                                                        head, 
                                                                        st, se >>
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "flush"
                                                              THEN /\ /\ fd' = [fd EXCEPT ![self] = Program[self][turn'[self] - 1][3]]
                                                                      /\ fl' = [fl EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "flush",
                                                                                                               pc        |->  "T0",
                                                                                                               head      |->  head[self],
                                                                                                               fl        |->  fl[self],
                                                                                                               fd        |->  fd[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ head' = [head EXCEPT ![self] = NULL]
                                                                   /\ pc' = [pc EXCEPT ![self] = "F1"]
                                                                   /\ UNCHANGED << st, 
                                                                                   se >>
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "expire"
                                                                         THEN /\ /\ fd' = [fd EXCEPT ![self] = NULL]
                                                                                 /\ fl' = [fl EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "flush",
                                                                                                                          pc        |->  "T0",
                                                                                                                          head      |->  head[self],
                                                                                                                          fl        |->  fl[self],
                                                                                                                          fd        |->  fd[self] ] >>
                                                                                                                      \o stack[self]]
                                                                              /\ head' = [head EXCEPT ![self] = NULL]
                                                                              /\ pc' = [pc EXCEPT ![self] = "F1"]
                                                                              /\ UNCHANGED << st, 
                                                                                              se >>
                                                                         ELSE /\ /\ se' = [se EXCEPT ![self] = Program[self][turn'[self] - 1][3]]
                                                                                 /\ st' = [st EXCEPT ![self] = TaskOf[Program[self][turn'[self] - 1][3]]]
                                                                                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "setTimerTaskEntry",
                                                                                                                          pc        |->  "T1",
                                                                                                                          st        |->  st[self],
                                                                                                                          se        |->  se[self] ] >>
                                                                                                                      \o stack[self]]
                                                                              /\ pc' = [pc EXCEPT ![self] = "S1"]
                                                                              /\ UNCHANGED << fl, 
                                                                                              fd, 
                                                                                              head >>
                                                        /\ ct' = ct
                                             /\ re' = re
                                  /\ UNCHANGED << al, ae, done, tail >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, re, al, ae, done, tail, fl, fd, 
                                       head, st, se, ct, turn >>
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, ul, ue, kl, ke >>

T1(self) == /\ pc[self] = "T1"
            /\ /\ ke' = [ke EXCEPT ![self] = Program[self][turn[self] - 1][3]]
               /\ kl' = [kl EXCEPT ![self] = Program[self][turn[self] - 1][2]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "addTimerTaskEntry",
                                                        pc        |->  "T0",
                                                        kl        |->  kl[self],
                                                        ke        |->  ke[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "K1"]
            /\ UNCHANGED << next, prev, list, listMonitor, entryMonitor, 
                            taskMonitor, timerTaskEntry, taskCounter, revoked, 
                            slipped, owed, ul, ue, re, al, ae, done, tail, fl, 
                            fd, head, st, se, ct, turn >>

thread(self) == T0(self) \/ T1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ unlink(self) \/ remove(self) \/ add(self)
                               \/ addTimerTaskEntry(self) \/ flush(self)
                               \/ setTimerTaskEntry(self) \/ cancel(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(add(self))
                                 /\ WF_vars(remove(self))
                                 /\ WF_vars(cancel(self))
                                 /\ WF_vars(flush(self))
                                 /\ WF_vars(setTimerTaskEntry(self))
                                 /\ WF_vars(addTimerTaskEntry(self))
                                 /\ WF_vars(unlink(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION
===============================================================================

---------------------------- MODULE OverflowWheel ----------------------------
(***************************************************************************)
(* What `volatile` is for in Kafka's timer: three fields that are read      *)
(* without a lock, under a memory that delays what threads store.           *)
(*                                                                          *)
(*   TimingWheel.overflowWheel     created on demand, double-checked (O);   *)
(*                                 B is the new wheel's constructor, N what *)
(*                                 a thread does with the wheel it gets     *)
(*   TimerTaskEntry.list           read by remove (R); add (A), unlink (U)  *)
(*   TimerTask.timerTaskEntry      read by cancelled (K), set by cancel (C) *)
(*                                                                          *)
(* Memory: what a thread stores into a plain field goes to its own buffer,  *)
(* where it alone reads it, and reaches memory later, by a step (W1) of a   *)
(* process of that thread and field: stores into two fields in any order,   *)
(* stores into one field in order.  A lock, a volatile field and an atomic  *)
(* variable are what orders: who releases one (unlock, volatile write)      *)
(* marks with it all that he has buffered; who acquires it (lock, volatile  *)
(* read) first brings into memory whatever others have marked with it.      *)
(* Volatile fields and atomics themselves are never buffered.               *)
(*                                                                          *)
(* This is happens-before as Java's memory model has it: an acquirer sees   *)
(* all that came before the release, and of anything else perhaps nothing.  *)
(* A buffer that every volatile write emptied would show less: add's own    *)
(* counter would publish what it linked.  Not shown here: a plain read that *)
(* is performed before an earlier one, and a field read twice that is null  *)
(* the second time; both need a plain field where Kafka has a volatile one. *)
(*                                                                          *)
(* Buffered are the fields that can be read without their lock.  Of a new   *)
(* wheel that is currentTime alone: all others are final, and Java shows    *)
(* final fields to all who see the object.  next and prev have their list's *)
(* monitor, which orders every access, so their steps change nothing here;  *)
(* TimerTaskList is about them.                                             *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Wheels,      \* sequence of names for the wheels that are created, in that order
  Linked,      \* whether the entry is in the list at the start
  Program,     \* process |-> sequence of operations <<name, argument, ...>>
  NULL         \* in memory: what a field holds before anything was stored (Java: 0 or null)

\* The operations of a thread, the fields that may be delayed, and the volatile ones of them
Names    == {"place", "add", "cancel", "check"}
Fields   == {"current_time", "overflow_wheel", "list", "timer_task_entry"}
Volatile == {"overflow_wheel", "list", "timer_task_entry"}
Monitors == {"wheel", "bucket", "entry", "task"}
Memories == {p \in DOMAIN Program : Program[p][1][1] = "memory"}
Threads  == DOMAIN Program \ Memories
Made     == {Wheels[i] : i \in DOMAIN Wheels}
Times(t, name) == Cardinality({i \in DOMAIN Program[t] : Program[t][i][1] = name})

ASSUME EveryThreadHasItsWheel == Len(Wheels) >= Cardinality({t \in Threads : Times(t, "place") > 0})
ASSUME LinkedIsBoolean == Linked \in BOOLEAN
ASSUME ProgramsAreOperations ==
  \A t \in Threads : \A i \in DOMAIN Program[t] :
    Program[t][i][1] \in Names /\ (Program[t][i][1] = "place" => Program[t][i][2] = t)
ASSUME MemoryIsOfThreads ==
  \A m \in Memories :
    Len(Program[m]) = 1 /\ Program[m][1][2] \in Threads /\ Program[m][1][3] \in Fields
ASSUME OneAdd ==
  Cardinality({<<t, i>> \in Threads \X (1..9) :
                 i <= Len(Program[t]) /\ Program[t][i][1] = "add"}) <= 1

Free == [owner |-> NULL, depth |-> 0]

(* Buffered stores are <<thread, field, object, value, marks>>, in the order of storing. *)
Stored(stores, field, object, old) ==        \* what is in the place once these are in memory
  LET hits == {i \in DOMAIN stores : stores[i][2] = field /\ stores[i][3] = object}
  IN  IF hits = {} THEN old ELSE stores[CHOOSE i \in hits : \A j \in hits : j <= i][4]
Seen(stores, t, field, object, old) ==       \* t reads its own newest store, or memory
  Stored(SelectSeq(stores, LAMBDA x : x[1] = t), field, object, old)
\* The stores that reach memory when t acquires s
Due(stores, s, t)    == SelectSeq(stores, LAMBDA x : x[1] # t /\ s \in x[5])
Later(stores, s, t)  == SelectSeq(stores, LAMBDA x : x[1] = t \/ s \notin x[5])
Marked(stores, s, t) == [i \in DOMAIN stores |->
  IF stores[i][1] = t THEN [stores[i] EXCEPT ![5] = @ \cup {s}] ELSE stores[i]]
Waiting(stores, t, field) == {i \in DOMAIN stores : stores[i][1] = t /\ stores[i][2] = field}
Oldest(stores, t, field)  ==
  CHOOSE i \in Waiting(stores, t, field) : \A j \in Waiting(stores, t, field) : i <= j
Without(stores, i)   == SubSeq(stores, 1, i - 1) \o SubSeq(stores, i + 1, Len(stores))

(*--algorithm OverflowWheel
variables
  buffer = <<>>,                                   \* what has been stored and is not in memory
  \* memory: the lowest wheel w0, the wheels above it, the entry e of task x, and the list l
  overflowWheel = NULL,
  currentTime = [w \in Made |-> NULL],
  list = IF Linked THEN "l" ELSE NULL,
  timerTaskEntry = "e",
  monitor = [m \in Monitors |-> Free],             \* of w0, l, e, x
  made = 0,                                        \* wheels that were created
  taskCounter = IF Linked THEN 1 ELSE 0,
  submitted = 0,
  foundWheel = [t \in Threads |-> NULL],           \* a thread's wheel,
  foundTime  = [t \in Threads |-> NULL],           \* and its time as the thread saw it
  \* The same before it is written down: in code on the thread's stack, here by thread.
  wheel = [t \in Threads |-> NULL],
  time  = [t \in Threads |-> NULL],
  \* History: what the properties speak of; no step reads it.
  settled  = Linked,                               \* the entry is linked, and the add has returned
  late     = {},                                   \* threads whose cancel began after that
  unlinked = FALSE,                                \* such a cancel has returned
  revoked  = FALSE,                                \* some cancel has returned
  slipped  = FALSE;                                \* a later check found the entry current

macro acquire(s) begin
  overflowWheel := Stored(Due(buffer, s, self), "overflow_wheel", "w0", overflowWheel);
  currentTime := [w \in Made |-> Stored(Due(buffer, s, self), "current_time", w, currentTime[w])];
  list := Stored(Due(buffer, s, self), "list", "e", list);
  timerTaskEntry := Stored(Due(buffer, s, self), "timer_task_entry", "x", timerTaskEntry);
  buffer := Later(buffer, s, self);
end macro;

\* an atomic variable's read and write in one
macro exchange(s) begin
  overflowWheel := Stored(Due(buffer, s, self), "overflow_wheel", "w0", overflowWheel);
  currentTime := [w \in Made |-> Stored(Due(buffer, s, self), "current_time", w, currentTime[w])];
  list := Stored(Due(buffer, s, self), "list", "e", list);
  timerTaskEntry := Stored(Due(buffer, s, self), "timer_task_entry", "x", timerTaskEntry);
  buffer := Marked(Later(buffer, s, self), s, self);
end macro;

macro lock(m) begin
  await monitor[m].owner \in {NULL, self};
  monitor[m] := [owner |-> self, depth |-> monitor[m].depth + 1];
  acquire(m);
end macro;

macro unlock(m) begin
  monitor[m] := IF monitor[m].depth = 1 THEN Free
                ELSE [owner |-> self, depth |-> monitor[m].depth - 1];
  buffer := Marked(buffer, m, self);
end macro;

macro look(field) begin
  if field \in Volatile then acquire(field); end if;
end macro;

macro store(field, object, place, value) begin
  if field \in Volatile then place := value; buffer := Marked(buffer, field, self);
  else buffer := Append(buffer, <<self, field, object, value, {}>>);
  end if;
end macro;

\* TimingWheel.addOverflowWheel, and its caller: double-checked
procedure parent()
variables new = NULL;
begin
O1: look("overflow_wheel");
    if Seen(buffer, self, "overflow_wheel", "w0", overflowWheel) = NULL then
O2:   lock("wheel");
O3:   look("overflow_wheel");
      if Seen(buffer, self, "overflow_wheel", "w0", overflowWheel) = NULL then
B1:     made := made + 1;                          \* a new object
        new := Wheels[made];
B2:     store("current_time", new, currentTime[new], "start");
O4:     store("overflow_wheel", "w0", overflowWheel, new);
      end if;
O5:   unlock("wheel");
    end if;
O6: look("overflow_wheel");
    wheel[self] := Seen(buffer, self, "overflow_wheel", "w0", overflowWheel);
    return;
end procedure;

\* TimerTaskList.remove
procedure unlink()
begin
U1:  lock("bucket");
U2:  lock("entry");
U3:  look("list");
     if Seen(buffer, self, "list", "e", list) = "l" then
U4:    skip;
U5:    skip;
U6:    skip;
U7:    skip;
U8:    store("list", "e", list, NULL);
U9:    taskCounter := taskCounter - 1;
       exchange("counter");
     end if;
U10: unlock("entry");
U11: unlock("bucket");
     return;
end procedure;

\* TimerTaskEntry.remove
procedure remove()
begin
R1:  look("list");
     if Seen(buffer, self, "list", "e", list) # NULL then
       call unlink();
       goto R1;
     else
       return;
     end if;
end procedure;

\* TimerTaskList.add
procedure add()
variables done = FALSE;
begin
A0:  while ~done do
       call remove();
A1:    lock("bucket");
A2:    lock("entry");
A3:    look("list");
       if Seen(buffer, self, "list", "e", list) = NULL then
A4:      skip;
A5:      skip;
A6:      store("list", "e", list, "l");
A7:      skip;
A8:      skip;
A9:      taskCounter := taskCounter + 1;
         exchange("counter");
         done := TRUE;
       end if;
A10:   unlock("entry");
A11:   unlock("bucket");
       settled := done;
     end while;
A12: return;
end procedure;

\* TimerTask.cancel
procedure cancel()
begin
C1:  lock("task");
     if settled then late := late \cup {self}; end if;
C2:  look("timer_task_entry");
     if Seen(buffer, self, "timer_task_entry", "x", timerTaskEntry) # NULL then
       call remove();
     end if;
C3:  store("timer_task_entry", "x", timerTaskEntry, NULL);
C4:  unlock("task");
     revoked := TRUE;
     if self \in late then unlinked := TRUE; end if;
     return;
end procedure;

\* A thread runs its program; T0, A0, A12 and W2 are steps only to PlusCal.
fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "place" then
        call parent();
N1:     look("current_time");
        time[self] := Seen(buffer, self, "current_time", wheel[self], currentTime[wheel[self]]);
N2:     foundWheel[self] := wheel[self];
        foundTime[self] := time[self];
      elsif Program[self][turn - 1][1] = "add" then
        call add();
      elsif Program[self][turn - 1][1] = "cancel" then
        call cancel();
      else
K1:     look("timer_task_entry");
        if Seen(buffer, self, "timer_task_entry", "x", timerTaskEntry) = "e" then
          slipped := slipped \/ revoked;
K2:       submitted := submitted + 1;
          exchange("submitted");
        end if;
      end if;
    end while;
end process;

\* The stores of a thread into a field reach memory. It ends after the thread, when none is left.
fair process memory \in Memories
begin
W1: while Waiting(buffer, Program[self][1][2], Program[self][1][3]) # {} do
      with i = Oldest(buffer, Program[self][1][2], Program[self][1][3]) do
        if buffer[i][2] = "overflow_wheel" then overflowWheel := buffer[i][4];
        elsif buffer[i][2] = "current_time" then currentTime[buffer[i][3]] := buffer[i][4];
        elsif buffer[i][2] = "list" then list := buffer[i][4];
        else timerTaskEntry := buffer[i][4];
        end if;
        buffer := Without(buffer, i);
      end with;
W2:   skip;                                        \* a step has to leave its label
    end while;
    await pc[Program[self][1][2]] = "Done";
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "5f9f6e16" /\ chksum(tla) = "8b382892")
VARIABLES buffer, overflowWheel, currentTime, list, timerTaskEntry, monitor, 
          made, taskCounter, submitted, foundWheel, foundTime, wheel, time, 
          settled, late, unlinked, revoked, slipped, pc, stack, new, done, 
          turn

vars == << buffer, overflowWheel, currentTime, list, timerTaskEntry, monitor, 
           made, taskCounter, submitted, foundWheel, foundTime, wheel, time, 
           settled, late, unlinked, revoked, slipped, pc, stack, new, done, 
           turn >>

ProcSet == (Threads) \cup (Memories)

Init == (* Global variables *)
        /\ buffer = <<>>
        /\ overflowWheel = NULL
        /\ currentTime = [w \in Made |-> NULL]
        /\ list = IF Linked THEN "l" ELSE NULL
        /\ timerTaskEntry = "e"
        /\ monitor = [m \in Monitors |-> Free]
        /\ made = 0
        /\ taskCounter = IF Linked THEN 1 ELSE 0
        /\ submitted = 0
        /\ foundWheel = [t \in Threads |-> NULL]
        /\ foundTime = [t \in Threads |-> NULL]
        /\ wheel = [t \in Threads |-> NULL]
        /\ time = [t \in Threads |-> NULL]
        /\ settled = Linked
        /\ late = {}
        /\ unlinked = FALSE
        /\ revoked = FALSE
        /\ slipped = FALSE
        (* Procedure parent *)
        /\ new = [ self \in ProcSet |-> NULL]
        (* Procedure add *)
        /\ done = [ self \in ProcSet |-> FALSE]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Threads -> "T0"
                                        [] self \in Memories -> "W1"]

O1(self) == /\ pc[self] = "O1"
            /\ IF "overflow_wheel" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "overflow_wheel", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "overflow_wheel", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "overflow_wheel", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "overflow_wheel", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "overflow_wheel", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "overflow_wheel", "w0", overflowWheel') = NULL
                  THEN /\ pc' = [pc EXCEPT ![self] = "O2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "O6"]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

O2(self) == /\ pc[self] = "O2"
            /\ monitor["wheel"].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT !["wheel"] = [owner |-> self, depth |-> monitor["wheel"].depth + 1]]
            /\ overflowWheel' = Stored(Due(buffer, "wheel", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "wheel", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "wheel", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "wheel", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Later(buffer, "wheel", self)
            /\ pc' = [pc EXCEPT ![self] = "O3"]
            /\ UNCHANGED << made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

O3(self) == /\ pc[self] = "O3"
            /\ IF "overflow_wheel" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "overflow_wheel", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "overflow_wheel", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "overflow_wheel", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "overflow_wheel", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "overflow_wheel", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "overflow_wheel", "w0", overflowWheel') = NULL
                  THEN /\ pc' = [pc EXCEPT ![self] = "B1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "O5"]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

B1(self) == /\ pc[self] = "B1"
            /\ made' = made + 1
            /\ new' = [new EXCEPT ![self] = Wheels[made']]
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, taskCounter, submitted, 
                            foundWheel, foundTime, wheel, time, settled, late, 
                            unlinked, revoked, slipped, stack, done, turn >>

B2(self) == /\ pc[self] = "B2"
            /\ IF "current_time" \in Volatile
                  THEN /\ currentTime' = [currentTime EXCEPT ![new[self]] = "start"]
                       /\ buffer' = Marked(buffer, "current_time", self)
                  ELSE /\ buffer' = Append(buffer, <<self, "current_time", new[self], "start", {}>>)
                       /\ UNCHANGED currentTime
            /\ pc' = [pc EXCEPT ![self] = "O4"]
            /\ UNCHANGED << overflowWheel, list, timerTaskEntry, monitor, made, 
                            taskCounter, submitted, foundWheel, foundTime, 
                            wheel, time, settled, late, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

O4(self) == /\ pc[self] = "O4"
            /\ IF "overflow_wheel" \in Volatile
                  THEN /\ overflowWheel' = new[self]
                       /\ buffer' = Marked(buffer, "overflow_wheel", self)
                  ELSE /\ buffer' = Append(buffer, <<self, "overflow_wheel", "w0", new[self], {}>>)
                       /\ UNCHANGED overflowWheel
            /\ pc' = [pc EXCEPT ![self] = "O5"]
            /\ UNCHANGED << currentTime, list, timerTaskEntry, monitor, made, 
                            taskCounter, submitted, foundWheel, foundTime, 
                            wheel, time, settled, late, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

O5(self) == /\ pc[self] = "O5"
            /\ monitor' = [monitor EXCEPT !["wheel"] = IF monitor["wheel"].depth = 1 THEN Free
                                                       ELSE [owner |-> self, depth |-> monitor["wheel"].depth - 1]]
            /\ buffer' = Marked(buffer, "wheel", self)
            /\ pc' = [pc EXCEPT ![self] = "O6"]
            /\ UNCHANGED << overflowWheel, currentTime, list, timerTaskEntry, 
                            made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

O6(self) == /\ pc[self] = "O6"
            /\ IF "overflow_wheel" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "overflow_wheel", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "overflow_wheel", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "overflow_wheel", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "overflow_wheel", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "overflow_wheel", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ wheel' = [wheel EXCEPT ![self] = Seen(buffer', self, "overflow_wheel", "w0", overflowWheel')]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ new' = [new EXCEPT ![self] = Head(stack[self]).new]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, time, settled, late, unlinked, revoked, 
                            slipped, done, turn >>

parent(self) == O1(self) \/ O2(self) \/ O3(self) \/ B1(self) \/ B2(self)
                   \/ O4(self) \/ O5(self) \/ O6(self)

U1(self) == /\ pc[self] = "U1"
            /\ monitor["bucket"].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT !["bucket"] = [owner |-> self, depth |-> monitor["bucket"].depth + 1]]
            /\ overflowWheel' = Stored(Due(buffer, "bucket", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "bucket", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "bucket", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "bucket", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Later(buffer, "bucket", self)
            /\ pc' = [pc EXCEPT ![self] = "U2"]
            /\ UNCHANGED << made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

U2(self) == /\ pc[self] = "U2"
            /\ monitor["entry"].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT !["entry"] = [owner |-> self, depth |-> monitor["entry"].depth + 1]]
            /\ overflowWheel' = Stored(Due(buffer, "entry", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "entry", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "entry", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "entry", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Later(buffer, "entry", self)
            /\ pc' = [pc EXCEPT ![self] = "U3"]
            /\ UNCHANGED << made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

U3(self) == /\ pc[self] = "U3"
            /\ IF "list" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "list", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "list", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "list", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "list", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "list", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "list", "e", list') = "l"
                  THEN /\ pc' = [pc EXCEPT ![self] = "U4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "U10"]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

U4(self) == /\ pc[self] = "U4"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "U5"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

U5(self) == /\ pc[self] = "U5"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "U6"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

U6(self) == /\ pc[self] = "U6"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "U7"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

U7(self) == /\ pc[self] = "U7"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "U8"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

U8(self) == /\ pc[self] = "U8"
            /\ IF "list" \in Volatile
                  THEN /\ list' = NULL
                       /\ buffer' = Marked(buffer, "list", self)
                  ELSE /\ buffer' = Append(buffer, <<self, "list", "e", NULL, {}>>)
                       /\ list' = list
            /\ pc' = [pc EXCEPT ![self] = "U9"]
            /\ UNCHANGED << overflowWheel, currentTime, timerTaskEntry, 
                            monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

U9(self) == /\ pc[self] = "U9"
            /\ taskCounter' = taskCounter - 1
            /\ overflowWheel' = Stored(Due(buffer, "counter", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "counter", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "counter", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "counter", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Marked(Later(buffer, "counter", self), "counter", self)
            /\ pc' = [pc EXCEPT ![self] = "U10"]
            /\ UNCHANGED << monitor, made, submitted, foundWheel, foundTime, 
                            wheel, time, settled, late, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

U10(self) == /\ pc[self] = "U10"
             /\ monitor' = [monitor EXCEPT !["entry"] = IF monitor["entry"].depth = 1 THEN Free
                                                        ELSE [owner |-> self, depth |-> monitor["entry"].depth - 1]]
             /\ buffer' = Marked(buffer, "entry", self)
             /\ pc' = [pc EXCEPT ![self] = "U11"]
             /\ UNCHANGED << overflowWheel, currentTime, list, timerTaskEntry, 
                             made, taskCounter, submitted, foundWheel, 
                             foundTime, wheel, time, settled, late, unlinked, 
                             revoked, slipped, stack, new, done, turn >>

U11(self) == /\ pc[self] = "U11"
             /\ monitor' = [monitor EXCEPT !["bucket"] = IF monitor["bucket"].depth = 1 THEN Free
                                                         ELSE [owner |-> self, depth |-> monitor["bucket"].depth - 1]]
             /\ buffer' = Marked(buffer, "bucket", self)
             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
             /\ UNCHANGED << overflowWheel, currentTime, list, timerTaskEntry, 
                             made, taskCounter, submitted, foundWheel, 
                             foundTime, wheel, time, settled, late, unlinked, 
                             revoked, slipped, new, done, turn >>

unlink(self) == U1(self) \/ U2(self) \/ U3(self) \/ U4(self) \/ U5(self)
                   \/ U6(self) \/ U7(self) \/ U8(self) \/ U9(self)
                   \/ U10(self) \/ U11(self)

R1(self) == /\ pc[self] = "R1"
            /\ IF "list" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "list", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "list", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "list", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "list", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "list", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "list", "e", list') # NULL
                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "unlink",
                                                                pc        |->  "R1" ] >>
                                                            \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "U1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, new, done, turn >>

remove(self) == R1(self)

A0(self) == /\ pc[self] = "A0"
            /\ IF ~done[self]
                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                pc        |->  "A1" ] >>
                                                            \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A12"]
                       /\ stack' = stack
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, new, 
                            done, turn >>

A1(self) == /\ pc[self] = "A1"
            /\ monitor["bucket"].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT !["bucket"] = [owner |-> self, depth |-> monitor["bucket"].depth + 1]]
            /\ overflowWheel' = Stored(Due(buffer, "bucket", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "bucket", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "bucket", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "bucket", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Later(buffer, "bucket", self)
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ monitor["entry"].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT !["entry"] = [owner |-> self, depth |-> monitor["entry"].depth + 1]]
            /\ overflowWheel' = Stored(Due(buffer, "entry", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "entry", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "entry", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "entry", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Later(buffer, "entry", self)
            /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

A3(self) == /\ pc[self] = "A3"
            /\ IF "list" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "list", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "list", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "list", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "list", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "list", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "list", "e", list') = NULL
                  THEN /\ pc' = [pc EXCEPT ![self] = "A4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A10"]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

A4(self) == /\ pc[self] = "A4"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "A5"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

A5(self) == /\ pc[self] = "A5"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "A6"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

A6(self) == /\ pc[self] = "A6"
            /\ IF "list" \in Volatile
                  THEN /\ list' = "l"
                       /\ buffer' = Marked(buffer, "list", self)
                  ELSE /\ buffer' = Append(buffer, <<self, "list", "e", "l", {}>>)
                       /\ list' = list
            /\ pc' = [pc EXCEPT ![self] = "A7"]
            /\ UNCHANGED << overflowWheel, currentTime, timerTaskEntry, 
                            monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

A7(self) == /\ pc[self] = "A7"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "A8"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

A8(self) == /\ pc[self] = "A8"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "A9"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

A9(self) == /\ pc[self] = "A9"
            /\ taskCounter' = taskCounter + 1
            /\ overflowWheel' = Stored(Due(buffer, "counter", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "counter", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "counter", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "counter", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Marked(Later(buffer, "counter", self), "counter", self)
            /\ done' = [done EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "A10"]
            /\ UNCHANGED << monitor, made, submitted, foundWheel, foundTime, 
                            wheel, time, settled, late, unlinked, revoked, 
                            slipped, stack, new, turn >>

A10(self) == /\ pc[self] = "A10"
             /\ monitor' = [monitor EXCEPT !["entry"] = IF monitor["entry"].depth = 1 THEN Free
                                                        ELSE [owner |-> self, depth |-> monitor["entry"].depth - 1]]
             /\ buffer' = Marked(buffer, "entry", self)
             /\ pc' = [pc EXCEPT ![self] = "A11"]
             /\ UNCHANGED << overflowWheel, currentTime, list, timerTaskEntry, 
                             made, taskCounter, submitted, foundWheel, 
                             foundTime, wheel, time, settled, late, unlinked, 
                             revoked, slipped, stack, new, done, turn >>

A11(self) == /\ pc[self] = "A11"
             /\ monitor' = [monitor EXCEPT !["bucket"] = IF monitor["bucket"].depth = 1 THEN Free
                                                         ELSE [owner |-> self, depth |-> monitor["bucket"].depth - 1]]
             /\ buffer' = Marked(buffer, "bucket", self)
             /\ settled' = done[self]
             /\ pc' = [pc EXCEPT ![self] = "A0"]
             /\ UNCHANGED << overflowWheel, currentTime, list, timerTaskEntry, 
                             made, taskCounter, submitted, foundWheel, 
                             foundTime, wheel, time, late, unlinked, revoked, 
                             slipped, stack, new, done, turn >>

A12(self) == /\ pc[self] = "A12"
             /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
             /\ done' = [done EXCEPT ![self] = Head(stack[self]).done]
             /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
             /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                             timerTaskEntry, monitor, made, taskCounter, 
                             submitted, foundWheel, foundTime, wheel, time, 
                             settled, late, unlinked, revoked, slipped, new, 
                             turn >>

add(self) == A0(self) \/ A1(self) \/ A2(self) \/ A3(self) \/ A4(self)
                \/ A5(self) \/ A6(self) \/ A7(self) \/ A8(self) \/ A9(self)
                \/ A10(self) \/ A11(self) \/ A12(self)

C1(self) == /\ pc[self] = "C1"
            /\ monitor["task"].owner \in {NULL, self}
            /\ monitor' = [monitor EXCEPT !["task"] = [owner |-> self, depth |-> monitor["task"].depth + 1]]
            /\ overflowWheel' = Stored(Due(buffer, "task", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "task", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "task", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "task", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Later(buffer, "task", self)
            /\ IF settled
                  THEN /\ late' = (late \cup {self})
                  ELSE /\ TRUE
                       /\ late' = late
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ IF "timer_task_entry" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "timer_task_entry", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "timer_task_entry", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "timer_task_entry", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "timer_task_entry", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "timer_task_entry", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "timer_task_entry", "x", timerTaskEntry') # NULL
                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "remove",
                                                                pc        |->  "C3" ] >>
                                                            \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C3"]
                       /\ stack' = stack
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, new, done, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ IF "timer_task_entry" \in Volatile
                  THEN /\ timerTaskEntry' = NULL
                       /\ buffer' = Marked(buffer, "timer_task_entry", self)
                  ELSE /\ buffer' = Append(buffer, <<self, "timer_task_entry", "x", NULL, {}>>)
                       /\ UNCHANGED timerTaskEntry
            /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << overflowWheel, currentTime, list, monitor, made, 
                            taskCounter, submitted, foundWheel, foundTime, 
                            wheel, time, settled, late, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ monitor' = [monitor EXCEPT !["task"] = IF monitor["task"].depth = 1 THEN Free
                                                      ELSE [owner |-> self, depth |-> monitor["task"].depth - 1]]
            /\ buffer' = Marked(buffer, "task", self)
            /\ revoked' = TRUE
            /\ IF self \in late
                  THEN /\ unlinked' = TRUE
                  ELSE /\ TRUE
                       /\ UNCHANGED unlinked
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << overflowWheel, currentTime, list, timerTaskEntry, 
                            made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, slipped, 
                            new, done, turn >>

cancel(self) == C1(self) \/ C2(self) \/ C3(self) \/ C4(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "place"
                             THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "parent",
                                                                           pc        |->  "N1",
                                                                           new       |->  new[self] ] >>
                                                                       \o stack[self]]
                                  /\ new' = [new EXCEPT ![self] = NULL]
                                  /\ pc' = [pc EXCEPT ![self] = "O1"]
                                  /\ done' = done
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "add"
                                        THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "add",
                                                                                      pc        |->  "T0",
                                                                                      done      |->  done[self] ] >>
                                                                                  \o stack[self]]
                                             /\ done' = [done EXCEPT ![self] = FALSE]
                                             /\ pc' = [pc EXCEPT ![self] = "A0"]
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "cancel"
                                                   THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "cancel",
                                                                                                 pc        |->  "T0" ] >>
                                                                                             \o stack[self]]
                                                        /\ pc' = [pc EXCEPT ![self] = "C1"]
                                                   ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
                                                        /\ stack' = stack
                                             /\ done' = done
                                  /\ new' = new
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, new, done, turn >>
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped >>

N1(self) == /\ pc[self] = "N1"
            /\ IF "current_time" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "current_time", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "current_time", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "current_time", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "current_time", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "current_time", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ time' = [time EXCEPT ![self] = Seen(buffer', self, "current_time", wheel[self], currentTime'[wheel[self]])]
            /\ pc' = [pc EXCEPT ![self] = "N2"]
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, settled, late, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

N2(self) == /\ pc[self] = "N2"
            /\ foundWheel' = [foundWheel EXCEPT ![self] = wheel[self]]
            /\ foundTime' = [foundTime EXCEPT ![self] = time[self]]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

K1(self) == /\ pc[self] = "K1"
            /\ IF "timer_task_entry" \in Volatile
                  THEN /\ overflowWheel' = Stored(Due(buffer, "timer_task_entry", self), "overflow_wheel", "w0", overflowWheel)
                       /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "timer_task_entry", self), "current_time", w, currentTime[w])]
                       /\ list' = Stored(Due(buffer, "timer_task_entry", self), "list", "e", list)
                       /\ timerTaskEntry' = Stored(Due(buffer, "timer_task_entry", self), "timer_task_entry", "x", timerTaskEntry)
                       /\ buffer' = Later(buffer, "timer_task_entry", self)
                  ELSE /\ TRUE
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ IF Seen(buffer', self, "timer_task_entry", "x", timerTaskEntry') = "e"
                  THEN /\ slipped' = (slipped \/ revoked)
                       /\ pc' = [pc EXCEPT ![self] = "K2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
                       /\ UNCHANGED slipped
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, stack, new, done, turn >>

K2(self) == /\ pc[self] = "K2"
            /\ submitted' = submitted + 1
            /\ overflowWheel' = Stored(Due(buffer, "submitted", self), "overflow_wheel", "w0", overflowWheel)
            /\ currentTime' = [w \in Made |-> Stored(Due(buffer, "submitted", self), "current_time", w, currentTime[w])]
            /\ list' = Stored(Due(buffer, "submitted", self), "list", "e", list)
            /\ timerTaskEntry' = Stored(Due(buffer, "submitted", self), "timer_task_entry", "x", timerTaskEntry)
            /\ buffer' = Marked(Later(buffer, "submitted", self), "submitted", self)
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << monitor, made, taskCounter, foundWheel, foundTime, 
                            wheel, time, settled, late, unlinked, revoked, 
                            slipped, stack, new, done, turn >>

thread(self) == T0(self) \/ N1(self) \/ N2(self) \/ K1(self) \/ K2(self)

W1(self) == /\ pc[self] = "W1"
            /\ IF Waiting(buffer, Program[self][1][2], Program[self][1][3]) # {}
                  THEN /\ LET i == Oldest(buffer, Program[self][1][2], Program[self][1][3]) IN
                            /\ IF buffer[i][2] = "overflow_wheel"
                                  THEN /\ overflowWheel' = buffer[i][4]
                                       /\ UNCHANGED << currentTime, list, 
                                                       timerTaskEntry >>
                                  ELSE /\ IF buffer[i][2] = "current_time"
                                             THEN /\ currentTime' = [currentTime EXCEPT ![buffer[i][3]] = buffer[i][4]]
                                                  /\ UNCHANGED << list, 
                                                                  timerTaskEntry >>
                                             ELSE /\ IF buffer[i][2] = "list"
                                                        THEN /\ list' = buffer[i][4]
                                                             /\ UNCHANGED timerTaskEntry
                                                        ELSE /\ timerTaskEntry' = buffer[i][4]
                                                             /\ list' = list
                                                  /\ UNCHANGED currentTime
                                       /\ UNCHANGED overflowWheel
                            /\ buffer' = Without(buffer, i)
                       /\ pc' = [pc EXCEPT ![self] = "W2"]
                  ELSE /\ pc[Program[self][1][2]] = "Done"
                       /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << buffer, overflowWheel, currentTime, 
                                       list, timerTaskEntry >>
            /\ UNCHANGED << monitor, made, taskCounter, submitted, foundWheel, 
                            foundTime, wheel, time, settled, late, unlinked, 
                            revoked, slipped, stack, new, done, turn >>

W2(self) == /\ pc[self] = "W2"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << buffer, overflowWheel, currentTime, list, 
                            timerTaskEntry, monitor, made, taskCounter, 
                            submitted, foundWheel, foundTime, wheel, time, 
                            settled, late, unlinked, revoked, slipped, stack, 
                            new, done, turn >>

memory(self) == W1(self) \/ W2(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ parent(self) \/ unlink(self)
                               \/ remove(self) \/ add(self) \/ cancel(self))
           \/ (\E self \in Threads: thread(self))
           \/ (\E self \in Memories: memory(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(parent(self))
                                 /\ WF_vars(add(self))
                                 /\ WF_vars(cancel(self))
                                 /\ WF_vars(unlink(self))
                                 /\ WF_vars(remove(self))
        /\ \A self \in Memories : WF_vars(memory(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

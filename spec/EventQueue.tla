----------------------------- MODULE EventQueue -----------------------------
(***************************************************************************)
(* The event manager of Kafka's controller, and the lock of the client that *)
(* has the session with ZooKeeper.                                          *)
(*                                                                          *)
(* Threads put events into a queue, and one thread handles them, first in   *)
(* first out.  Where the session has expired, its thread clears the queue:  *)
(* each event that waits is preempted, and the event of the expiry comes in *)
(* their place.  It waits until the handling of that event has started, and *)
(* then opens another session.  A close clears the queue, too, and waits    *)
(* until the event thread has ended.                                        *)
(*                                                                          *)
(* Two orders of clearing stand side by side:                               *)
(*   drain  takes all events out at one moment, and preempts them           *)
(*   look   preempts what it sees in the queue, and then clears the queue   *)
(*                                                                          *)
(* The queue is Python's condition: Q puts, Y takes, D drains, K looks.     *)
(* The put lock (P, L, C) excludes puts while the queue is cleared.  An     *)
(* event is spent by the thread that exchanges its flag first (X, Z).       *)
(* started is an event of Python's, for which W waits, and so is ended (C). *)
(* Requests of handlers (H) read the client's lock, and a new session (I)   *)
(* writes it.  V1 and Z3 are the handler's own work.                        *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,     \* thread |-> sequence of operations: <<"put", event>>, <<"expire", event>>,
               \* <<"close">>; that of the event thread is <<"work">>
  Does,        \* event |-> << >>, <<"request">>, <<"raise">> or <<"put", another event>>
  Waiting,     \* the events that wait in the beginning
  Clear,       \* "drain" or "look"
  NULL

Workers == {t \in DOMAIN Program : Program[t][1][1] = "work"}
Users   == DOMAIN Program \ Workers
Events  == DOMAIN Does

Range(s) == {s[i] : i \in DOMAIN s}

(*--algorithm EventQueue
variables
  putLock = NULL,    \* the thread that holds the lock of those who put
  mutex = NULL,      \* the thread that holds the queue's condition
  asleep = {},       \* the threads that sleep on it
  tickets = << >>,   \* its notifications that are not taken, see Conditions
  queue = Waiting,   \* the events that wait; NULL: none, a close has put it
  spent = [e \in Events |-> FALSE],
  started = [e \in Events |-> FALSE],
  running = TRUE,    \* no close has begun
  ended = FALSE,     \* the event thread handles no event any more
  reader = NULL,     \* the thread whose request is under way
  writer = NULL,     \* the thread that opens a session
  session = 1,
  log = << >>,       \* <<how, event>>: what was handled
  requests = << >>,     \* <<event, session>>: the requests of handlers
  entered = Waiting; \* history: the events in the order in which they came to the queue

macro lock() begin
  await mutex = NULL;
  mutex := self;
end macro;

macro lock_puts() begin
  await putLock = NULL;
  putLock := self;
end macro;

\* BlockingQueue.put
procedure enqueue(item = NULL)
begin
Q1: lock();
Q2: queue := Append(queue, item);
    if item # NULL then entered := Append(entered, item); end if;
Q3: tickets := Notified(tickets, asleep, 1);
Q4: mutex := NULL;
    return;
end procedure;

\* QueuedEvent.preempt
procedure preempt(old = NULL)
begin
Z1: if spent[old] then return; else spent[old] := TRUE; end if;
Z2: started[old] := TRUE;
Z3: log := Append(log, <<"preempted", old>>);
    return;
end procedure;

\* EventManager.replace
procedure replace(new = NULL)
variables left = << >>, at = 1;
begin
D1: lock();
D2: left := queue;
    queue := << >>;
D3: mutex := NULL;
R1: while at <= Len(left) do
      at := at + 1;
      if left[at - 1] # NULL then call preempt(left[at - 1]); end if;
    end while;
    call enqueue(new);
    return;
end procedure;

\* LookingManager.replace
procedure look(newest = NULL)
variables seen = << >>, place = 1;
begin
K1: lock();
    seen := queue;
K2: mutex := NULL;
R2: while place <= Len(seen) do
      place := place + 1;
      if seen[place - 1] # NULL then call preempt(seen[place - 1]); end if;
    end while;
K3: lock();
K4: queue := << >>;
K5: mutex := NULL;
    call enqueue(newest);
    return;
end procedure;

procedure put(event = NULL)
begin
P1: lock_puts();
P2: if running then call enqueue(event); else call preempt(event); end if;
P3: putLock := NULL;
    return;
end procedure;

\* SessionClient.renew, with EventManager.expire
procedure expire(expiry = NULL)
begin
L1: lock_puts();
L2: if ~running then call preempt(expiry);
    elsif Clear = "look" then call look(expiry);
    else call replace(expiry);
    end if;
L3: putLock := NULL;
W1: if ~started[expiry] then
W2:   await started[expiry];
    end if;
W3: if ~running then
W4:   if ~ended then
W5:     await ended;
      end if;
    end if;
I1: await reader = NULL /\ writer = NULL;
    writer := self;
I2: session := session + 1;
I3: writer := NULL;
    return;
end procedure;

procedure close()
begin
C1: running := FALSE;
C2: lock_puts();
    if Clear = "look" then call look(NULL); else call replace(NULL); end if;
C3: putLock := NULL;
C4: if ended then return; end if;
C5: await ended;
    return;
end procedure;

fair process user \in Users
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "put" then call put(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "expire" then call expire(Program[self][turn - 1][2]);
      else call close();
      end if;
    end while;
end process;

\* EventManager.work, with QueuedEvent.process
fair process worker \in Workers
variables taken = NULL;
begin
E1: while running do
Y1:   lock();
      if queue # << >> then goto Y5; end if;
Y2:   mutex := NULL;
      asleep := asleep \cup {self};
Y3:   await Offered(tickets, self);
      tickets := Taken(tickets, self);
      asleep := asleep \ {self};
Y4:   lock();
      if queue = << >> then goto Y2; end if;
Y5:   taken := Head(queue);
      queue := Tail(queue);
Y6:   mutex := NULL;
      if taken = NULL then goto E1; end if;
X1:   if spent[taken] then goto E1; else spent[taken] := TRUE; end if;
X2:   started[taken] := TRUE;
V1:   log := Append(log, <<"processed", taken>>);
      if Does[taken] \in {<< >>, <<"raise">>} then goto E1;
      elsif Does[taken] # <<"request">> then call put(Does[taken][2]); goto E1;
      end if;
H1:   await writer = NULL;
      reader := self;
H2:   requests := Append(requests, <<taken, session>>);
H3:   reader := NULL;
    end while;
E2: ended := TRUE;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "112edf1c" /\ chksum(tla) = "61d6ba30")
VARIABLES putLock, mutex, asleep, tickets, queue, spent, started, running, 
          ended, reader, writer, session, log, requests, entered, pc, stack, 
          item, old, new, left, at, newest, seen, place, event, expiry, turn, 
          taken

vars == << putLock, mutex, asleep, tickets, queue, spent, started, running, 
           ended, reader, writer, session, log, requests, entered, pc, stack, 
           item, old, new, left, at, newest, seen, place, event, expiry, turn, 
           taken >>

ProcSet == (Users) \cup (Workers)

Init == (* Global variables *)
        /\ putLock = NULL
        /\ mutex = NULL
        /\ asleep = {}
        /\ tickets = << >>
        /\ queue = Waiting
        /\ spent = [e \in Events |-> FALSE]
        /\ started = [e \in Events |-> FALSE]
        /\ running = TRUE
        /\ ended = FALSE
        /\ reader = NULL
        /\ writer = NULL
        /\ session = 1
        /\ log = << >>
        /\ requests = << >>
        /\ entered = Waiting
        (* Procedure enqueue *)
        /\ item = [ self \in ProcSet |-> NULL]
        (* Procedure preempt *)
        /\ old = [ self \in ProcSet |-> NULL]
        (* Procedure replace *)
        /\ new = [ self \in ProcSet |-> NULL]
        /\ left = [ self \in ProcSet |-> << >>]
        /\ at = [ self \in ProcSet |-> 1]
        (* Procedure look *)
        /\ newest = [ self \in ProcSet |-> NULL]
        /\ seen = [ self \in ProcSet |-> << >>]
        /\ place = [ self \in ProcSet |-> 1]
        (* Procedure put *)
        /\ event = [ self \in ProcSet |-> NULL]
        (* Procedure expire *)
        /\ expiry = [ self \in ProcSet |-> NULL]
        (* Process user *)
        /\ turn = [self \in Users |-> 1]
        (* Process worker *)
        /\ taken = [self \in Workers |-> NULL]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Users -> "T0"
                                        [] self \in Workers -> "E1"]

Q1(self) == /\ pc[self] = "Q1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "Q2"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

Q2(self) == /\ pc[self] = "Q2"
            /\ queue' = Append(queue, item[self])
            /\ IF item[self] # NULL
                  THEN /\ entered' = Append(entered, item[self])
                  ELSE /\ TRUE
                       /\ UNCHANGED entered
            /\ pc' = [pc EXCEPT ![self] = "Q3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, stack, item, old, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

Q3(self) == /\ pc[self] = "Q3"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ pc' = [pc EXCEPT ![self] = "Q4"]
            /\ UNCHANGED << putLock, mutex, asleep, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

Q4(self) == /\ pc[self] = "Q4"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ item' = [item EXCEPT ![self] = Head(stack[self]).item]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, old, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

enqueue(self) == Q1(self) \/ Q2(self) \/ Q3(self) \/ Q4(self)

Z1(self) == /\ pc[self] = "Z1"
            /\ IF spent[old[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ old' = [old EXCEPT ![self] = Head(stack[self]).old]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ spent' = spent
                  ELSE /\ spent' = [spent EXCEPT ![old[self]] = TRUE]
                       /\ pc' = [pc EXCEPT ![self] = "Z2"]
                       /\ UNCHANGED << stack, old >>
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, item, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

Z2(self) == /\ pc[self] = "Z2"
            /\ started' = [started EXCEPT ![old[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "Z3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

Z3(self) == /\ pc[self] = "Z3"
            /\ log' = Append(log, <<"preempted", old[self]>>)
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ old' = [old EXCEPT ![self] = Head(stack[self]).old]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            requests, entered, item, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

preempt(self) == Z1(self) \/ Z2(self) \/ Z3(self)

D1(self) == /\ pc[self] = "D1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "D2"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

D2(self) == /\ pc[self] = "D2"
            /\ left' = [left EXCEPT ![self] = queue]
            /\ queue' = << >>
            /\ pc' = [pc EXCEPT ![self] = "D3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, at, 
                            newest, seen, place, event, expiry, turn, taken >>

D3(self) == /\ pc[self] = "D3"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = "R1"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

R1(self) == /\ pc[self] = "R1"
            /\ IF at[self] <= Len(left[self])
                  THEN /\ at' = [at EXCEPT ![self] = at[self] + 1]
                       /\ IF left[self][at'[self] - 1] # NULL
                             THEN /\ /\ old' = [old EXCEPT ![self] = left[self][at'[self] - 1]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "preempt",
                                                                              pc        |->  "R1",
                                                                              old       |->  old[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "Z1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "R1"]
                                  /\ UNCHANGED << stack, old >>
                       /\ UNCHANGED << item, left >>
                  ELSE /\ /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
                          /\ item' = [item EXCEPT ![self] = new[self]]
                          /\ left' = [left EXCEPT ![self] = Head(stack[self]).left]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "enqueue",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   item      |->  item[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                       /\ old' = old
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, new, newest, seen, place, 
                            event, expiry, turn, taken >>

replace(self) == D1(self) \/ D2(self) \/ D3(self) \/ R1(self)

K1(self) == /\ pc[self] = "K1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ seen' = [seen EXCEPT ![self] = queue]
            /\ pc' = [pc EXCEPT ![self] = "K2"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, place, event, expiry, turn, taken >>

K2(self) == /\ pc[self] = "K2"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = "R2"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

R2(self) == /\ pc[self] = "R2"
            /\ IF place[self] <= Len(seen[self])
                  THEN /\ place' = [place EXCEPT ![self] = place[self] + 1]
                       /\ IF seen[self][place'[self] - 1] # NULL
                             THEN /\ /\ old' = [old EXCEPT ![self] = seen[self][place'[self] - 1]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "preempt",
                                                                              pc        |->  "R2",
                                                                              old       |->  old[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "Z1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "R2"]
                                  /\ UNCHANGED << stack, old >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "K3"]
                       /\ UNCHANGED << stack, old, place >>
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, item, new, left, at, 
                            newest, seen, event, expiry, turn, taken >>

K3(self) == /\ pc[self] = "K3"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "K4"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

K4(self) == /\ pc[self] = "K4"
            /\ queue' = << >>
            /\ pc' = [pc EXCEPT ![self] = "K5"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

K5(self) == /\ pc[self] = "K5"
            /\ mutex' = NULL
            /\ /\ item' = [item EXCEPT ![self] = newest[self]]
               /\ place' = [place EXCEPT ![self] = Head(stack[self]).place]
               /\ seen' = [seen EXCEPT ![self] = Head(stack[self]).seen]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "enqueue",
                                                        pc        |->  Head(stack[self]).pc,
                                                        item      |->  item[self] ] >>
                                                    \o Tail(stack[self])]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, old, new, left, at, newest, 
                            event, expiry, turn, taken >>

look(self) == K1(self) \/ K2(self) \/ R2(self) \/ K3(self) \/ K4(self)
                 \/ K5(self)

P1(self) == /\ pc[self] = "P1"
            /\ putLock = NULL
            /\ putLock' = self
            /\ pc' = [pc EXCEPT ![self] = "P2"]
            /\ UNCHANGED << mutex, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

P2(self) == /\ pc[self] = "P2"
            /\ IF running
                  THEN /\ /\ item' = [item EXCEPT ![self] = event[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "enqueue",
                                                                   pc        |->  "P3",
                                                                   item      |->  item[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                       /\ old' = old
                  ELSE /\ /\ old' = [old EXCEPT ![self] = event[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "preempt",
                                                                   pc        |->  "P3",
                                                                   old       |->  old[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Z1"]
                       /\ item' = item
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

P3(self) == /\ pc[self] = "P3"
            /\ putLock' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ event' = [event EXCEPT ![self] = Head(stack[self]).event]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << mutex, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, item, old, new, left, at, 
                            newest, seen, place, expiry, turn, taken >>

put(self) == P1(self) \/ P2(self) \/ P3(self)

L1(self) == /\ pc[self] = "L1"
            /\ putLock = NULL
            /\ putLock' = self
            /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << mutex, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

L2(self) == /\ pc[self] = "L2"
            /\ IF ~running
                  THEN /\ /\ old' = [old EXCEPT ![self] = expiry[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "preempt",
                                                                   pc        |->  "L3",
                                                                   old       |->  old[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "Z1"]
                       /\ UNCHANGED << new, left, at, newest, seen, place >>
                  ELSE /\ IF Clear = "look"
                             THEN /\ /\ newest' = [newest EXCEPT ![self] = expiry[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "look",
                                                                              pc        |->  "L3",
                                                                              seen      |->  seen[self],
                                                                              place     |->  place[self],
                                                                              newest    |->  newest[self] ] >>
                                                                          \o stack[self]]
                                  /\ seen' = [seen EXCEPT ![self] = << >>]
                                  /\ place' = [place EXCEPT ![self] = 1]
                                  /\ pc' = [pc EXCEPT ![self] = "K1"]
                                  /\ UNCHANGED << new, left, at >>
                             ELSE /\ /\ new' = [new EXCEPT ![self] = expiry[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "replace",
                                                                              pc        |->  "L3",
                                                                              left      |->  left[self],
                                                                              at        |->  at[self],
                                                                              new       |->  new[self] ] >>
                                                                          \o stack[self]]
                                  /\ left' = [left EXCEPT ![self] = << >>]
                                  /\ at' = [at EXCEPT ![self] = 1]
                                  /\ pc' = [pc EXCEPT ![self] = "D1"]
                                  /\ UNCHANGED << newest, seen, place >>
                       /\ old' = old
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, item, event, expiry, turn, 
                            taken >>

L3(self) == /\ pc[self] = "L3"
            /\ putLock' = NULL
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << mutex, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

W1(self) == /\ pc[self] = "W1"
            /\ IF ~started[expiry[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = "W2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, stack, item, old, new, 
                            left, at, newest, seen, place, event, expiry, turn, 
                            taken >>

W2(self) == /\ pc[self] = "W2"
            /\ started[expiry[self]]
            /\ pc' = [pc EXCEPT ![self] = "W3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, stack, item, old, new, 
                            left, at, newest, seen, place, event, expiry, turn, 
                            taken >>

W3(self) == /\ pc[self] = "W3"
            /\ IF ~running
                  THEN /\ pc' = [pc EXCEPT ![self] = "W4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "I1"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, stack, item, old, new, 
                            left, at, newest, seen, place, event, expiry, turn, 
                            taken >>

W4(self) == /\ pc[self] = "W4"
            /\ IF ~ended
                  THEN /\ pc' = [pc EXCEPT ![self] = "W5"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "I1"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, stack, item, old, new, 
                            left, at, newest, seen, place, event, expiry, turn, 
                            taken >>

W5(self) == /\ pc[self] = "W5"
            /\ ended
            /\ pc' = [pc EXCEPT ![self] = "I1"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, stack, item, old, new, 
                            left, at, newest, seen, place, event, expiry, turn, 
                            taken >>

I1(self) == /\ pc[self] = "I1"
            /\ reader = NULL /\ writer = NULL
            /\ writer' = self
            /\ pc' = [pc EXCEPT ![self] = "I2"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

I2(self) == /\ pc[self] = "I2"
            /\ session' = session + 1
            /\ pc' = [pc EXCEPT ![self] = "I3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

I3(self) == /\ pc[self] = "I3"
            /\ writer' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ expiry' = [expiry EXCEPT ![self] = Head(stack[self]).expiry]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, session, log, 
                            requests, entered, item, old, new, left, at, 
                            newest, seen, place, event, turn, taken >>

expire(self) == L1(self) \/ L2(self) \/ L3(self) \/ W1(self) \/ W2(self)
                   \/ W3(self) \/ W4(self) \/ W5(self) \/ I1(self)
                   \/ I2(self) \/ I3(self)

C1(self) == /\ pc[self] = "C1"
            /\ running' = FALSE
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

C2(self) == /\ pc[self] = "C2"
            /\ putLock = NULL
            /\ putLock' = self
            /\ IF Clear = "look"
                  THEN /\ /\ newest' = [newest EXCEPT ![self] = NULL]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "look",
                                                                   pc        |->  "C3",
                                                                   seen      |->  seen[self],
                                                                   place     |->  place[self],
                                                                   newest    |->  newest[self] ] >>
                                                               \o stack[self]]
                       /\ seen' = [seen EXCEPT ![self] = << >>]
                       /\ place' = [place EXCEPT ![self] = 1]
                       /\ pc' = [pc EXCEPT ![self] = "K1"]
                       /\ UNCHANGED << new, left, at >>
                  ELSE /\ /\ new' = [new EXCEPT ![self] = NULL]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "replace",
                                                                   pc        |->  "C3",
                                                                   left      |->  left[self],
                                                                   at        |->  at[self],
                                                                   new       |->  new[self] ] >>
                                                               \o stack[self]]
                       /\ left' = [left EXCEPT ![self] = << >>]
                       /\ at' = [at EXCEPT ![self] = 1]
                       /\ pc' = [pc EXCEPT ![self] = "D1"]
                       /\ UNCHANGED << newest, seen, place >>
            /\ UNCHANGED << mutex, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, item, old, event, expiry, turn, 
                            taken >>

C3(self) == /\ pc[self] = "C3"
            /\ putLock' = NULL
            /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << mutex, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

C4(self) == /\ pc[self] = "C4"
            /\ IF ended
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C5"]
                       /\ stack' = stack
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

C5(self) == /\ pc[self] = "C5"
            /\ ended
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

close(self) == C1(self) \/ C2(self) \/ C3(self) \/ C4(self) \/ C5(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "put"
                             THEN /\ /\ event' = [event EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                                              pc        |->  "T0",
                                                                              event     |->  event[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                                  /\ UNCHANGED expiry
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "expire"
                                        THEN /\ /\ expiry' = [expiry EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "expire",
                                                                                         pc        |->  "T0",
                                                                                         expiry    |->  expiry[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "L1"]
                                        ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                                      pc        |->  "T0" ] >>
                                                                                  \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "C1"]
                                             /\ UNCHANGED expiry
                                  /\ event' = event
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, event, expiry, turn >>
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, item, old, new, left, at, 
                            newest, seen, place, taken >>

user(self) == T0(self)

E1(self) == /\ pc[self] = "E1"
            /\ IF running
                  THEN /\ pc' = [pc EXCEPT ![self] = "Y1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, requests, entered, stack, item, old, new, 
                            left, at, newest, seen, place, event, expiry, turn, 
                            taken >>

Y1(self) == /\ pc[self] = "Y1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF queue # << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "Y5"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Y2"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

Y2(self) == /\ pc[self] = "Y2"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "Y3"]
            /\ UNCHANGED << putLock, tickets, queue, spent, started, running, 
                            ended, reader, writer, session, log, requests, 
                            entered, stack, item, old, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

Y3(self) == /\ pc[self] = "Y3"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "Y4"]
            /\ UNCHANGED << putLock, mutex, queue, spent, started, running, 
                            ended, reader, writer, session, log, requests, 
                            entered, stack, item, old, new, left, at, newest, 
                            seen, place, event, expiry, turn, taken >>

Y4(self) == /\ pc[self] = "Y4"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF queue = << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "Y2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Y5"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

Y5(self) == /\ pc[self] = "Y5"
            /\ taken' = [taken EXCEPT ![self] = Head(queue)]
            /\ queue' = Tail(queue)
            /\ pc' = [pc EXCEPT ![self] = "Y6"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn >>

Y6(self) == /\ pc[self] = "Y6"
            /\ mutex' = NULL
            /\ IF taken[self] = NULL
                  THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "X1"]
            /\ UNCHANGED << putLock, asleep, tickets, queue, spent, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

X1(self) == /\ pc[self] = "X1"
            /\ IF spent[taken[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                       /\ spent' = spent
                  ELSE /\ spent' = [spent EXCEPT ![taken[self]] = TRUE]
                       /\ pc' = [pc EXCEPT ![self] = "X2"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, started, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

X2(self) == /\ pc[self] = "X2"
            /\ started' = [started EXCEPT ![taken[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "V1"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            running, ended, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

V1(self) == /\ pc[self] = "V1"
            /\ log' = Append(log, <<"processed", taken[self]>>)
            /\ IF Does[taken[self]] \in {<< >>, <<"raise">>}
                  THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                       /\ UNCHANGED << stack, event >>
                  ELSE /\ IF Does[taken[self]] # <<"request">>
                             THEN /\ /\ event' = [event EXCEPT ![self] = Does[taken[self]][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                                              pc        |->  "E1",
                                                                              event     |->  event[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "H1"]
                                  /\ UNCHANGED << stack, event >>
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            requests, entered, item, old, new, left, at, 
                            newest, seen, place, expiry, turn, taken >>

H1(self) == /\ pc[self] = "H1"
            /\ writer = NULL
            /\ reader' = self
            /\ pc' = [pc EXCEPT ![self] = "H2"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

H2(self) == /\ pc[self] = "H2"
            /\ requests' = Append(requests, <<taken[self], session>>)
            /\ pc' = [pc EXCEPT ![self] = "H3"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, reader, writer, session, 
                            log, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

H3(self) == /\ pc[self] = "H3"
            /\ reader' = NULL
            /\ pc' = [pc EXCEPT ![self] = "E1"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, ended, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

E2(self) == /\ pc[self] = "E2"
            /\ ended' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "Done"]
            /\ UNCHANGED << putLock, mutex, asleep, tickets, queue, spent, 
                            started, running, reader, writer, session, log, 
                            requests, entered, stack, item, old, new, left, at, 
                            newest, seen, place, event, expiry, turn, taken >>

worker(self) == E1(self) \/ Y1(self) \/ Y2(self) \/ Y3(self) \/ Y4(self)
                   \/ Y5(self) \/ Y6(self) \/ X1(self) \/ X2(self)
                   \/ V1(self) \/ H1(self) \/ H2(self) \/ H3(self)
                   \/ E2(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ enqueue(self) \/ preempt(self)
                               \/ replace(self) \/ look(self) \/ put(self)
                               \/ expire(self) \/ close(self))
           \/ (\E self \in Users: user(self))
           \/ (\E self \in Workers: worker(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Users : /\ WF_vars(user(self))
                               /\ WF_vars(put(self))
                               /\ WF_vars(expire(self))
                               /\ WF_vars(close(self))
                               /\ WF_vars(enqueue(self))
                               /\ WF_vars(preempt(self))
                               /\ WF_vars(replace(self))
                               /\ WF_vars(look(self))
        /\ \A self \in Workers : /\ WF_vars(worker(self))
                                 /\ WF_vars(put(self))
                                 /\ WF_vars(enqueue(self))
                                 /\ WF_vars(preempt(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

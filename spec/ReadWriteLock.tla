--------------------------- MODULE ReadWriteLock ---------------------------
(***************************************************************************)
(* A lock for many readers or one writer, on Python's condition.            *)
(*                                                                          *)
(* A thread that cannot enter sleeps on the condition and looks again when  *)
(* it has woken.  A writer that waits goes before readers that come later.  *)
(* D1 and D2 are what the lock is for: a reader reads the page, a writer    *)
(* writes it.                                                               *)
(*                                                                          *)
(* An interrupt makes a wait raise, with the condition's lock held.         *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,             \* thread |-> sequence of operations <<name>>
  NULL

Interrupters == {t \in DOMAIN Program : Program[t][1][1] = "interrupt"}
Threads      == DOMAIN Program \ Interrupters

(*--algorithm ReadWriteLock
variables
  mutex = NULL,        \* the thread that holds the condition's lock
  asleep = {},         \* the threads that sleep on the condition
  tickets = << >>,     \* its notifications that are not taken, see Conditions
  interrupted = {},    \* the threads whose wait is to raise
  readers = {},
  writer = NULL,
  waiting = 0,         \* writers
  page = 0,            \* how often it was written
  raised = [t \in Threads |-> FALSE];  \* local: whether the operation has been interrupted

define
  ReaderWaits == writer # NULL \/ waiting > 0
  WriterWaits == writer # NULL \/ readers # {}
end define;

macro lock() begin
  await mutex = NULL;
  mutex := self;
end macro;

macro unlock() begin
  mutex := NULL;
end macro;

macro sleep() begin
  mutex := NULL;
  asleep := asleep \cup {self};
end macro;

macro wake() begin
  await IF self \in interrupted THEN TRUE ELSE Offered(tickets, self);
  tickets := Taken(tickets, self);
  asleep := asleep \ {self};
end macro;

macro raise() begin
  interrupted := interrupted \ {self};
  raised[self] := TRUE;
end macro;

macro notify_all() begin
  tickets := NotifiedAll(tickets, asleep);
end macro;

procedure read()
begin
\* ReadLock.__enter__
R1: lock();
    if ReaderWaits then
R2:   sleep();
R3:   wake();
R4:   lock();
      if self \in interrupted then raise(); goto R6;
      elsif ReaderWaits then goto R2;
      end if;
    end if;
R5: readers := readers \cup {self};
R6: unlock();
    if raised[self] then return; end if;
D1: skip;
\* ReadLock.__exit__
U1: lock();
U2: readers := readers \ {self};
    if readers = {} then
U3:   notify_all();
    end if;
U4: unlock();
    return;
end procedure;

procedure write()
begin
\* WriteLock.__enter__
W1: lock();
W2: waiting := waiting + 1;
    if WriterWaits then
W3:   sleep();
W4:   wake();
W5:   lock();
      if self \in interrupted then raise(); goto W7;
      elsif WriterWaits then goto W3;
      end if;
    end if;
W6: writer := self;
W7: waiting := waiting - 1;
    if raised[self] then
W9:   notify_all();
    end if;
W8: unlock();
    if raised[self] then return; end if;
D2: page := page + 1;
\* WriteLock.__exit__
X1: lock();
X2: writer := NULL;
X3: notify_all();
X4: unlock();
    return;
end procedure;

procedure read_on()
begin
N0: while TRUE do call read(); end while;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      raised[self] := FALSE;
      if Program[self][turn - 1][1] = "read" then call read();
      elsif Program[self][turn - 1][1] = "read_on" then call read_on();
      else call write();
      end if;
    end while;
end process;

fair process interrupter \in Interrupters
begin
I1: if Program[self][1][2] \in asleep then
      interrupted := interrupted \cup {Program[self][1][2]};
    end if;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "1574d21a" /\ chksum(tla) = "c377ece9")
VARIABLES mutex, asleep, tickets, interrupted, readers, writer, waiting, page, 
          raised, pc, stack

(* define statement *)
ReaderWaits == writer # NULL \/ waiting > 0
WriterWaits == writer # NULL \/ readers # {}

VARIABLE turn

vars == << mutex, asleep, tickets, interrupted, readers, writer, waiting, 
           page, raised, pc, stack, turn >>

ProcSet == (Threads) \cup (Interrupters)

Init == (* Global variables *)
        /\ mutex = NULL
        /\ asleep = {}
        /\ tickets = << >>
        /\ interrupted = {}
        /\ readers = {}
        /\ writer = NULL
        /\ waiting = 0
        /\ page = 0
        /\ raised = [t \in Threads |-> FALSE]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Threads -> "T0"
                                        [] self \in Interrupters -> "I1"]

R1(self) == /\ pc[self] = "R1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF ReaderWaits
                  THEN /\ pc' = [pc EXCEPT ![self] = "R2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R5"]
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

R2(self) == /\ pc[self] = "R2"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "R3"]
            /\ UNCHANGED << tickets, interrupted, readers, writer, waiting, 
                            page, raised, stack, turn >>

R3(self) == /\ pc[self] = "R3"
            /\ IF self \in interrupted THEN TRUE ELSE Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "R4"]
            /\ UNCHANGED << mutex, interrupted, readers, writer, waiting, page, 
                            raised, stack, turn >>

R4(self) == /\ pc[self] = "R4"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF self \in interrupted
                  THEN /\ interrupted' = interrupted \ {self}
                       /\ raised' = [raised EXCEPT ![self] = TRUE]
                       /\ pc' = [pc EXCEPT ![self] = "R6"]
                  ELSE /\ IF ReaderWaits
                             THEN /\ pc' = [pc EXCEPT ![self] = "R2"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "R5"]
                       /\ UNCHANGED << interrupted, raised >>
            /\ UNCHANGED << asleep, tickets, readers, writer, waiting, page, 
                            stack, turn >>

R5(self) == /\ pc[self] = "R5"
            /\ readers' = (readers \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "R6"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, writer, 
                            waiting, page, raised, stack, turn >>

R6(self) == /\ pc[self] = "R6"
            /\ mutex' = NULL
            /\ IF raised[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D1"]
                       /\ stack' = stack
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, turn >>

D1(self) == /\ pc[self] = "D1"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "U1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            writer, waiting, page, raised, stack, turn >>

U1(self) == /\ pc[self] = "U1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "U2"]
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

U2(self) == /\ pc[self] = "U2"
            /\ readers' = readers \ {self}
            /\ IF readers' = {}
                  THEN /\ pc' = [pc EXCEPT ![self] = "U3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "U4"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, writer, 
                            waiting, page, raised, stack, turn >>

U3(self) == /\ pc[self] = "U3"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "U4"]
            /\ UNCHANGED << mutex, asleep, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

U4(self) == /\ pc[self] = "U4"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, turn >>

read(self) == R1(self) \/ R2(self) \/ R3(self) \/ R4(self) \/ R5(self)
                 \/ R6(self) \/ D1(self) \/ U1(self) \/ U2(self)
                 \/ U3(self) \/ U4(self)

W1(self) == /\ pc[self] = "W1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "W2"]
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

W2(self) == /\ pc[self] = "W2"
            /\ waiting' = waiting + 1
            /\ IF WriterWaits
                  THEN /\ pc' = [pc EXCEPT ![self] = "W3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W6"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            writer, page, raised, stack, turn >>

W3(self) == /\ pc[self] = "W3"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "W4"]
            /\ UNCHANGED << tickets, interrupted, readers, writer, waiting, 
                            page, raised, stack, turn >>

W4(self) == /\ pc[self] = "W4"
            /\ IF self \in interrupted THEN TRUE ELSE Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "W5"]
            /\ UNCHANGED << mutex, interrupted, readers, writer, waiting, page, 
                            raised, stack, turn >>

W5(self) == /\ pc[self] = "W5"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF self \in interrupted
                  THEN /\ interrupted' = interrupted \ {self}
                       /\ raised' = [raised EXCEPT ![self] = TRUE]
                       /\ pc' = [pc EXCEPT ![self] = "W7"]
                  ELSE /\ IF WriterWaits
                             THEN /\ pc' = [pc EXCEPT ![self] = "W3"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "W6"]
                       /\ UNCHANGED << interrupted, raised >>
            /\ UNCHANGED << asleep, tickets, readers, writer, waiting, page, 
                            stack, turn >>

W6(self) == /\ pc[self] = "W6"
            /\ writer' = self
            /\ pc' = [pc EXCEPT ![self] = "W7"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            waiting, page, raised, stack, turn >>

W7(self) == /\ pc[self] = "W7"
            /\ waiting' = waiting - 1
            /\ IF raised[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "W9"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W8"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            writer, page, raised, stack, turn >>

W9(self) == /\ pc[self] = "W9"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "W8"]
            /\ UNCHANGED << mutex, asleep, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

W8(self) == /\ pc[self] = "W8"
            /\ mutex' = NULL
            /\ IF raised[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D2"]
                       /\ stack' = stack
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, turn >>

D2(self) == /\ pc[self] = "D2"
            /\ page' = page + 1
            /\ pc' = [pc EXCEPT ![self] = "X1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            writer, waiting, raised, stack, turn >>

X1(self) == /\ pc[self] = "X1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "X2"]
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

X2(self) == /\ pc[self] = "X2"
            /\ writer' = NULL
            /\ pc' = [pc EXCEPT ![self] = "X3"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            waiting, page, raised, stack, turn >>

X3(self) == /\ pc[self] = "X3"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "X4"]
            /\ UNCHANGED << mutex, asleep, interrupted, readers, writer, 
                            waiting, page, raised, stack, turn >>

X4(self) == /\ pc[self] = "X4"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << asleep, tickets, interrupted, readers, writer, 
                            waiting, page, raised, turn >>

write(self) == W1(self) \/ W2(self) \/ W3(self) \/ W4(self) \/ W5(self)
                  \/ W6(self) \/ W7(self) \/ W9(self) \/ W8(self)
                  \/ D2(self) \/ X1(self) \/ X2(self) \/ X3(self)
                  \/ X4(self)

N0(self) == /\ pc[self] = "N0"
            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "read",
                                                     pc        |->  "N0" ] >>
                                                 \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "R1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            writer, waiting, page, raised, turn >>

read_on(self) == N0(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ raised' = [raised EXCEPT ![self] = FALSE]
                       /\ IF Program[self][turn'[self] - 1][1] = "read"
                             THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "read",
                                                                           pc        |->  "T0" ] >>
                                                                       \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "R1"]
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "read_on"
                                        THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "read_on",
                                                                                      pc        |->  "T0" ] >>
                                                                                  \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "N0"]
                                        ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "write",
                                                                                      pc        |->  "T0" ] >>
                                                                                  \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "W1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << raised, stack, turn >>
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, readers, 
                            writer, waiting, page >>

thread(self) == T0(self)

I1(self) == /\ pc[self] = "I1"
            /\ IF Program[self][1][2] \in asleep
                  THEN /\ interrupted' = (interrupted \cup {Program[self][1][2]})
                  ELSE /\ TRUE
                       /\ UNCHANGED interrupted
            /\ pc' = [pc EXCEPT ![self] = "Done"]
            /\ UNCHANGED << mutex, asleep, tickets, readers, writer, waiting, 
                            page, raised, stack, turn >>

interrupter(self) == I1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: read(self) \/ write(self) \/ read_on(self))
           \/ (\E self \in Threads: thread(self))
           \/ (\E self \in Interrupters: interrupter(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(read(self))
                                 /\ WF_vars(read_on(self))
                                 /\ WF_vars(write(self))
        /\ \A self \in Interrupters : WF_vars(interrupter(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

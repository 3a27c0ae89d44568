----------------------------- MODULE DelayQueue -----------------------------
(***************************************************************************)
(* A queue whose elements can be taken once they are due: a binary heap     *)
(* behind a gate, the gate being a lock with Python's condition.  An        *)
(* element is the moment at which it is due.                                *)
(*                                                                          *)
(* Of the threads that wait one leads and sleeps until the first element is *)
(* due.  The others sleep until they are notified or their time is up.      *)
(* Time passes when the clock says so: up to the next moment at which a     *)
(* sleeper's time is up.  A thread may read the clock and be slow to sleep: *)
(* then it sleeps longer than until the element is due, as in every runtime.*)
(*                                                                          *)
(* An interrupt makes a wait raise.  The thread has the gate again when the *)
(* exception leaves the wait, as CPython's condition promises.  CPython     *)
(* does not promise that a notification which the thread was given goes to  *)
(* another one: here it is lost with the thread, which has to hand it on.   *)
(*                                                                          *)
(* impl/gate.py and impl/delay_queue.py, and the labels of their steps:     *)
(*   Gate        __enter__, __exit__ (G), acquire_when (A), release (L),    *)
(*               notify (N)                                                 *)
(*   DelayQueue  offer (P), wait_ms (Q), _take (K)                          *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,  \* thread |-> sequence of operations <<name, argument>>; the clock's is <<"clock">>
  Items,    \* the moments at which the first elements are due: a heap
  NULL

Clocks       == {t \in DOMAIN Program : Program[t][1][1] = "clock"}
Interrupters == {t \in DOMAIN Program : Program[t][1][1] = "interrupt"}
Threads      == DOMAIN Program \ (Clocks \cup Interrupters)
Never        == 1000000  \* later than all that happens; the alarm of a thread that has none

\* Of the operation that a thread has begun.
Operation(t, turn) == Program[t][turn - 1][1]
Argument(t, turn)  == Program[t][turn - 1][2]

Least(S) == CHOOSE x \in S : \A y \in S : x <= y

\* The heap in breadth-first order: java.util.PriorityQueue.
Swap(s, i, j) == [s EXCEPT ![i] = s[j], ![j] = s[i]]
RECURSIVE Up(_, _), Down(_, _)
Up(s, i) == IF i = 1 \/ s[i] >= s[i \div 2] THEN s ELSE Up(Swap(s, i, i \div 2), i \div 2)
Down(s, i) == IF 2 * i > Len(s) THEN s
              ELSE LET c == IF 2 * i < Len(s) /\ s[2 * i] > s[2 * i + 1] THEN 2 * i + 1 ELSE 2 * i
                   IN IF s[i] <= s[c] THEN s ELSE Down(Swap(s, i, c), c)
With(s, x) == Up(Append(s, x), Len(s) + 1)
Rest(s)    == IF Len(s) <= 1 THEN << >>
              ELSE Down(<<s[Len(s)]>> \o SubSeq(s, 2, Len(s) - 1), 1)

(*--algorithm DelayQueue
variables
  mutex = NULL,                        \* the thread that holds the gate, or looks whether it may
  asleep = {},                         \* the threads that sleep on its condition
  tickets = << >>,                     \* its notifications that are not taken, see Conditions
  interrupted = {},                    \* the threads whose wait is to raise
  now = 0,
  alarm = [t \in Threads |-> Never],   \* when the time of a sleeper is up
  leader = NULL,
  items = Items,                       \* when each is due
  queued = Len(Items),                 \* history: how many are offered and not taken
  leading = {};                        \* history: who leads, unless the lead was taken away

define
  Due == items # << >> /\ Head(items) <= now
  Late(t) == alarm[t] <= now
  Ahead == {alarm[t] : t \in {u \in Threads : alarm[u] # Never /\ alarm[u] > now}}
end define;

macro lock() begin
  await mutex = NULL;
  mutex := self;
end macro;

macro sleep(time) begin
  mutex := NULL;
  asleep := asleep \cup {self};
  alarm[self] := time;
end macro;

macro wake() begin  \* no \/: TLC would take one step for each
  await IF Offered(tickets, self) \/ self \in interrupted THEN TRUE ELSE Late(self);
  tickets := Taken(tickets, self);
  asleep := asleep \ {self};
  alarm[self] := Never;
end macro;

\* A wait has the lock again, and raises if the thread was interrupted.
macro relock() begin
  lock();
  if self \in interrupted then
    interrupted := interrupted \ {self};
    raised := TRUE;
  end if;
end macro;

\* Gate.release
macro release() begin
  if leader = NULL then goto L1; else goto L2; end if;
end macro;

\* What poll and poll_now do after they have called _take.
macro leave() begin
  if Operation(self, turn) = "poll" then release(); else goto G2; end if;
end macro;

\* DelayQueue._take
macro take() begin
  if items # << >> then head := Head(items); goto K1; else leave(); end if;
end macro;

\* DelayQueue.wait_ms: without a first element there is nothing to read the clock for.
macro wait_ms() begin
  if items # << >> then head := Head(items); goto Q1;
  else head := Never; wait := Never; goto A3;
  end if;
end macro;

\* The loop of Gate.acquire_when goes on, unless the exception leaves it.
macro go_on() begin
  if raised then release(); else wait_ms(); end if;
end macro;

fair process thread \in Threads
variables
  turn = 1, deadline = 0, wait = 0, left = 0, found = FALSE,
  head = Never,     \* the first element when the thread last looked
  raised = FALSE,   \* the operation has been interrupted
  got = << >>;      \* what it has taken
begin
T0:  deadline := 0;
     wait := 0;
     left := 0;
     found := FALSE;
     raised := FALSE;
     got := << >>;
     head := Never;
     if turn > Len(Program[self]) then goto Done;
     else
       turn := turn + 1;
       if Operation(self, turn) = "poll" then goto A1; end if;
     end if;

     \* offer and poll_now
G1:  lock();
     if Operation(self, turn) = "poll_now" then take(); end if;
P1:  with before = items do
       items := With(items, Argument(self, turn));
       queued := queued + 1;
       if before # << >> /\ Head(items) = Head(before) then goto G2; end if;  \* not the first
     end with;
N1:  leader := NULL;
     leading := {};
N2:  tickets := Notified(tickets, asleep, 1);
G2:  mutex := NULL;
     goto T0;

     \* poll: Gate.acquire_when
A1:  deadline := now + Argument(self, turn);
A2:  lock();
     wait_ms();
Q1:  wait := head - now;
     if wait <= 0 then take(); end if;
A3:  left := deadline - now;
     if left <= 0 then take();
     elsif leader # NULL \/ left < wait then
A4:    sleep(now + left);
A5:    wake();
A6:    relock();
       go_on();
     else
A7:    leader := self;
       leading := leading \cup {self};
A8:    sleep(now + wait);
A9:    wake();
       leading := leading \ {self};
A10:   relock();
       if leader # self then go_on(); end if;
A11:   leader := NULL;
       go_on();
     end if;

     \* poll and poll_now: _take
K1:  found := head <= now;
     if ~found then leave(); end if;
K2:  got := << Head(items) >>;
     queued := queued - 1;
     items := Rest(items);
     leave();

     \* poll: Gate.release
L1:  tickets := Notified(tickets, asleep, 1);
L2:  mutex := NULL;
     goto T0;
end process;

fair process interrupter \in Interrupters
begin
I1: if Program[self][1][2] \in asleep then
      interrupted := interrupted \cup {Program[self][1][2]};
    end if;
end process;

fair process clock \in Clocks
begin
C1: await Ahead # {} \/ \A t \in Threads \cup Interrupters : pc[t] = "Done";
    if Ahead = {} then goto Done; else now := Least(Ahead); end if;
C2: goto C1;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "b379280c" /\ chksum(tla) = "61ffcaab")
VARIABLES mutex, asleep, tickets, interrupted, now, alarm, leader, items, 
          queued, leading, pc

(* define statement *)
Due == items # << >> /\ Head(items) <= now
Late(t) == alarm[t] <= now
Ahead == {alarm[t] : t \in {u \in Threads : alarm[u] # Never /\ alarm[u] > now}}

VARIABLES turn, deadline, wait, left, found, head, raised, got

vars == << mutex, asleep, tickets, interrupted, now, alarm, leader, items, 
           queued, leading, pc, turn, deadline, wait, left, found, head, 
           raised, got >>

ProcSet == (Threads) \cup (Interrupters) \cup (Clocks)

Init == (* Global variables *)
        /\ mutex = NULL
        /\ asleep = {}
        /\ tickets = << >>
        /\ interrupted = {}
        /\ now = 0
        /\ alarm = [t \in Threads |-> Never]
        /\ leader = NULL
        /\ items = Items
        /\ queued = Len(Items)
        /\ leading = {}
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ deadline = [self \in Threads |-> 0]
        /\ wait = [self \in Threads |-> 0]
        /\ left = [self \in Threads |-> 0]
        /\ found = [self \in Threads |-> FALSE]
        /\ head = [self \in Threads |-> Never]
        /\ raised = [self \in Threads |-> FALSE]
        /\ got = [self \in Threads |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Threads -> "T0"
                                        [] self \in Interrupters -> "I1"
                                        [] self \in Clocks -> "C1"]

T0(self) == /\ pc[self] = "T0"
            /\ deadline' = [deadline EXCEPT ![self] = 0]
            /\ wait' = [wait EXCEPT ![self] = 0]
            /\ left' = [left EXCEPT ![self] = 0]
            /\ found' = [found EXCEPT ![self] = FALSE]
            /\ raised' = [raised EXCEPT ![self] = FALSE]
            /\ got' = [got EXCEPT ![self] = << >>]
            /\ head' = [head EXCEPT ![self] = Never]
            /\ IF turn[self] > Len(Program[self])
                  THEN /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ turn' = turn
                  ELSE /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Operation(self, turn'[self]) = "poll"
                             THEN /\ pc' = [pc EXCEPT ![self] = "A1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "G1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading >>

G1(self) == /\ pc[self] = "G1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF Operation(self, turn[self]) = "poll_now"
                  THEN /\ IF items # << >>
                             THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                  /\ pc' = [pc EXCEPT ![self] = "K1"]
                             ELSE /\ IF Operation(self, turn[self]) = "poll"
                                        THEN /\ IF leader = NULL
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                   ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
                                  /\ head' = head
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ head' = head
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, raised, got >>

P1(self) == /\ pc[self] = "P1"
            /\ LET before == items IN
                 /\ items' = With(items, Argument(self, turn[self]))
                 /\ queued' = queued + 1
                 /\ IF before # << >> /\ Head(items') = Head(before)
                       THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                       ELSE /\ pc' = [pc EXCEPT ![self] = "N1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, leading, turn, deadline, wait, left, found, 
                            head, raised, got >>

N1(self) == /\ pc[self] = "N1"
            /\ leader' = NULL
            /\ leading' = {}
            /\ pc' = [pc EXCEPT ![self] = "N2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            items, queued, turn, deadline, wait, left, found, 
                            head, raised, got >>

N2(self) == /\ pc[self] = "N2"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << mutex, asleep, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

G2(self) == /\ pc[self] = "G2"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

A1(self) == /\ pc[self] = "A1"
            /\ deadline' = [deadline EXCEPT ![self] = now + Argument(self, turn[self])]
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, wait, left, 
                            found, head, raised, got >>

A2(self) == /\ pc[self] = "A2"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF items # << >>
                  THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                       /\ wait' = wait
                  ELSE /\ head' = [head EXCEPT ![self] = Never]
                       /\ wait' = [wait EXCEPT ![self] = Never]
                       /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, left, 
                            found, raised, got >>

Q1(self) == /\ pc[self] = "Q1"
            /\ wait' = [wait EXCEPT ![self] = head[self] - now]
            /\ IF wait'[self] <= 0
                  THEN /\ IF items # << >>
                             THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                  /\ pc' = [pc EXCEPT ![self] = "K1"]
                             ELSE /\ IF Operation(self, turn[self]) = "poll"
                                        THEN /\ IF leader = NULL
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                   ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
                                  /\ head' = head
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A3"]
                       /\ head' = head
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, deadline, 
                            left, found, raised, got >>

A3(self) == /\ pc[self] = "A3"
            /\ left' = [left EXCEPT ![self] = deadline[self] - now]
            /\ IF left'[self] <= 0
                  THEN /\ IF items # << >>
                             THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                  /\ pc' = [pc EXCEPT ![self] = "K1"]
                             ELSE /\ IF Operation(self, turn[self]) = "poll"
                                        THEN /\ IF leader = NULL
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                   ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
                                  /\ head' = head
                  ELSE /\ IF leader # NULL \/ left'[self] < wait[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "A4"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "A7"]
                       /\ head' = head
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, deadline, 
                            wait, found, raised, got >>

A4(self) == /\ pc[self] = "A4"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ alarm' = [alarm EXCEPT ![self] = now + left[self]]
            /\ pc' = [pc EXCEPT ![self] = "A5"]
            /\ UNCHANGED << tickets, interrupted, now, leader, items, queued, 
                            leading, turn, deadline, wait, left, found, head, 
                            raised, got >>

A5(self) == /\ pc[self] = "A5"
            /\ IF Offered(tickets, self) \/ self \in interrupted THEN TRUE ELSE Late(self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ alarm' = [alarm EXCEPT ![self] = Never]
            /\ pc' = [pc EXCEPT ![self] = "A6"]
            /\ UNCHANGED << mutex, interrupted, now, leader, items, queued, 
                            leading, turn, deadline, wait, left, found, head, 
                            raised, got >>

A6(self) == /\ pc[self] = "A6"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF self \in interrupted
                  THEN /\ interrupted' = interrupted \ {self}
                       /\ raised' = [raised EXCEPT ![self] = TRUE]
                  ELSE /\ TRUE
                       /\ UNCHANGED << interrupted, raised >>
            /\ IF raised'[self]
                  THEN /\ IF leader = NULL
                             THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                       /\ UNCHANGED << wait, head >>
                  ELSE /\ IF items # << >>
                             THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                  /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                  /\ wait' = wait
                             ELSE /\ head' = [head EXCEPT ![self] = Never]
                                  /\ wait' = [wait EXCEPT ![self] = Never]
                                  /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, queued, 
                            leading, turn, deadline, left, found, got >>

A7(self) == /\ pc[self] = "A7"
            /\ leader' = self
            /\ leading' = (leading \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "A8"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            items, queued, turn, deadline, wait, left, found, 
                            head, raised, got >>

A8(self) == /\ pc[self] = "A8"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ alarm' = [alarm EXCEPT ![self] = now + wait[self]]
            /\ pc' = [pc EXCEPT ![self] = "A9"]
            /\ UNCHANGED << tickets, interrupted, now, leader, items, queued, 
                            leading, turn, deadline, wait, left, found, head, 
                            raised, got >>

A9(self) == /\ pc[self] = "A9"
            /\ IF Offered(tickets, self) \/ self \in interrupted THEN TRUE ELSE Late(self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ alarm' = [alarm EXCEPT ![self] = Never]
            /\ leading' = leading \ {self}
            /\ pc' = [pc EXCEPT ![self] = "A10"]
            /\ UNCHANGED << mutex, interrupted, now, leader, items, queued, 
                            turn, deadline, wait, left, found, head, raised, 
                            got >>

A10(self) == /\ pc[self] = "A10"
             /\ mutex = NULL
             /\ mutex' = self
             /\ IF self \in interrupted
                   THEN /\ interrupted' = interrupted \ {self}
                        /\ raised' = [raised EXCEPT ![self] = TRUE]
                   ELSE /\ TRUE
                        /\ UNCHANGED << interrupted, raised >>
             /\ IF leader # self
                   THEN /\ IF raised'[self]
                              THEN /\ IF leader = NULL
                                         THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                         ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                   /\ UNCHANGED << wait, head >>
                              ELSE /\ IF items # << >>
                                         THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                              /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                              /\ wait' = wait
                                         ELSE /\ head' = [head EXCEPT ![self] = Never]
                                              /\ wait' = [wait EXCEPT ![self] = Never]
                                              /\ pc' = [pc EXCEPT ![self] = "A3"]
                   ELSE /\ pc' = [pc EXCEPT ![self] = "A11"]
                        /\ UNCHANGED << wait, head >>
             /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                             queued, leading, turn, deadline, left, found, got >>

A11(self) == /\ pc[self] = "A11"
             /\ leader' = NULL
             /\ IF raised[self]
                   THEN /\ IF leader' = NULL
                              THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                              ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                        /\ UNCHANGED << wait, head >>
                   ELSE /\ IF items # << >>
                              THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                   /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                   /\ wait' = wait
                              ELSE /\ head' = [head EXCEPT ![self] = Never]
                                   /\ wait' = [wait EXCEPT ![self] = Never]
                                   /\ pc' = [pc EXCEPT ![self] = "A3"]
             /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                             items, queued, leading, turn, deadline, left, 
                             found, raised, got >>

K1(self) == /\ pc[self] = "K1"
            /\ found' = [found EXCEPT ![self] = head[self] <= now]
            /\ IF ~found'[self]
                  THEN /\ IF Operation(self, turn[self]) = "poll"
                             THEN /\ IF leader = NULL
                                        THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "K2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, deadline, 
                            wait, left, head, raised, got >>

K2(self) == /\ pc[self] = "K2"
            /\ got' = [got EXCEPT ![self] = << Head(items) >>]
            /\ queued' = queued - 1
            /\ items' = Rest(items)
            /\ IF Operation(self, turn[self]) = "poll"
                  THEN /\ IF leader = NULL
                             THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, leading, turn, deadline, wait, left, found, 
                            head, raised >>

L1(self) == /\ pc[self] = "L1"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << mutex, asleep, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

L2(self) == /\ pc[self] = "L2"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

thread(self) == T0(self) \/ G1(self) \/ P1(self) \/ N1(self) \/ N2(self)
                   \/ G2(self) \/ A1(self) \/ A2(self) \/ Q1(self)
                   \/ A3(self) \/ A4(self) \/ A5(self) \/ A6(self)
                   \/ A7(self) \/ A8(self) \/ A9(self) \/ A10(self)
                   \/ A11(self) \/ K1(self) \/ K2(self) \/ L1(self)
                   \/ L2(self)

I1(self) == /\ pc[self] = "I1"
            /\ IF Program[self][1][2] \in asleep
                  THEN /\ interrupted' = (interrupted \cup {Program[self][1][2]})
                  ELSE /\ TRUE
                       /\ UNCHANGED interrupted
            /\ pc' = [pc EXCEPT ![self] = "Done"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            queued, leading, turn, deadline, wait, left, found, 
                            head, raised, got >>

interrupter(self) == I1(self)

C1(self) == /\ pc[self] = "C1"
            /\ Ahead # {} \/ \A t \in Threads \cup Interrupters : pc[t] = "Done"
            /\ IF Ahead = {}
                  THEN /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ now' = now
                  ELSE /\ now' = Least(Ahead)
                       /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

C2(self) == /\ pc[self] = "C2"
            /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, deadline, 
                            wait, left, found, head, raised, got >>

clock(self) == C1(self) \/ C2(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ (\E self \in Interrupters: interrupter(self))
           \/ (\E self \in Clocks: clock(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))
        /\ \A self \in Interrupters : WF_vars(interrupter(self))
        /\ \A self \in Clocks : WF_vars(clock(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

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
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,  \* thread |-> sequence of operations <<name, argument>>; the clock's is <<"clock">>
  Items,    \* the moments at which the first elements are due: a heap
  NULL

CONSTANTS                \* the decisions; FALSE takes one away, its step stays
  NotifyTakesLead,       \* a notification takes the lead from the thread that has it
  HandsOn,               \* a thread that leaves notifies if no thread leads
  StepsDown,             \* a leader that has woken leads no longer
  OwnLeadOnly,           \* a thread that has woken gives up its own lead only
  OneSleepsLong,         \* a thread does not lead beside another one
  TimesOut,              \* a thread that does not lead sleeps no longer than its time
  LooksAgain,            \* a thread that has woken looks again
  TakesInside,           \* poll takes an element while it holds the gate
  NowTakesInside,        \* poll_now takes an element while it holds the gate
  TakesDueOnly,          \* an element is taken only if it is due
  Removes,               \* an element that is taken leaves the queue
  ReleasesEmptyHanded,   \* a poll that finds nothing gives the gate back
  KeepsOrder,            \* a new element rises in the heap to its place
  SinksLast,             \* the last element sinks to its place when the first is taken
  NotifiesFirst,         \* an offer notifies if its element is the first
  NotifiesFirstOnly,     \* and in no other case
  NotifiesEveryFirst,    \* and not only if the queue was empty
  InterruptStepsDown,    \* a leader that is interrupted leads no longer
  InterruptHandsOn,      \* a thread that is interrupted notifies if no thread leads
  InterruptReleases      \* a thread that is interrupted gives the gate back

Clocks       == {t \in DOMAIN Program : Program[t][1][1] = "clock"}
Interrupters == {t \in DOMAIN Program : Program[t][1][1] = "interrupt"}
Threads      == DOMAIN Program \ (Clocks \cup Interrupters)
Never        == 1000000  \* later than all that happens; the alarm of a thread that has none

\* Of the operation that a thread has begun.
Operation(program, turn) == program[turn - 1][1]
Argument(program, turn)  == program[turn - 1][2]

Least(S) == CHOOSE x \in S : \A y \in S : x <= y

\* The heap in breadth-first order: java.util.PriorityQueue.
Swap(s, i, j) == [s EXCEPT ![i] = s[j], ![j] = s[i]]
RECURSIVE Up(_, _), Down(_, _)
Up(s, i) == IF i = 1 \/ s[i] >= s[i \div 2] THEN s ELSE Up(Swap(s, i, i \div 2), i \div 2)
Down(s, i) == IF 2 * i > Len(s) THEN s
              ELSE LET c == IF 2 * i < Len(s) /\ s[2 * i] > s[2 * i + 1] THEN 2 * i + 1 ELSE 2 * i
                   IN IF s[i] <= s[c] THEN s ELSE Down(Swap(s, i, c), c)
With(s, x) == IF KeepsOrder THEN Up(Append(s, x), Len(s) + 1) ELSE Append(s, x)
Filled(s)  == [i \in 1..(Len(s) - 1) |-> IF i = 1 THEN s[Len(s)] ELSE s[i]]
Rest(s)    == IF ~Removes THEN s
              ELSE IF Len(s) <= 1 THEN << >>
              ELSE IF SinksLast THEN Down(Filled(s), 1) ELSE Filled(s)

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

macro leave() begin
  if leader = NULL /\ HandsOn then goto L1; else goto L2; end if;
end macro;

\* wait_ms: without a first element there is nothing to read the clock for.
macro look() begin
  if items = << >> then head := Never; wait := Never; goto A3;
  else head := Head(items); goto Q1;
  end if;
end macro;

macro take() begin
  if items # << >> then head := Head(items); goto K1;
  elsif Operation(Program[self], turn) = "poll_now" then goto G2;
  elsif ~ReleasesEmptyHanded then goto T0;
  else leave();
  end if;
end macro;

macro again() begin
  if LooksAgain then look(); else take(); end if;
end macro;

macro quit() begin
  if leader = NULL /\ HandsOn /\ InterruptHandsOn then goto L1;
  elsif InterruptReleases then goto L2;
  else goto T0;
  end if;
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
       if Operation(Program[self], turn) = "poll" then goto A1; else goto G1; end if;
     end if;

     \* poll
A1:  deadline := now + Argument(Program[self], turn);
A2:  lock();
     look();
Q1:  wait := head - now;
     if wait <= 0 then take(); else goto A3; end if;
A3:  left := deadline - now;
     if left <= 0 then take();
     elsif ~(OneSleepsLong /\ leader # NULL) /\ left >= wait then goto A7;
     else goto A4;
     end if;
A4:  sleep(IF TimesOut THEN now + left ELSE Never);
A5:  wake();
A6:  lock();
     if self \in interrupted then
       interrupted := interrupted \ {self};
       raised := TRUE;
       quit();
     else again();
     end if;
A7:  leader := self;
     leading := leading \cup {self};
A8:  sleep(now + wait);
A9:  wake();
     leading := leading \ {self};
A10: lock();
     if self \in interrupted then
       interrupted := interrupted \ {self};
       raised := TRUE;
       if leader = self /\ InterruptStepsDown then goto A11; else quit(); end if;
     elsif OwnLeadOnly /\ leader # self then again();
     else goto A11;
     end if;
A11: if StepsDown then leader := NULL; end if;
     if raised then quit(); else again(); end if;

     \* poll and poll_now
K1:  found := head <= now \/ ~TakesDueOnly;
     if Operation(Program[self], turn) = "poll_now" then
       if found then goto K2; else goto G2; end if;
     elsif found /\ TakesInside then goto K2;
     elsif ~found /\ ~ReleasesEmptyHanded then goto T0;
     else leave();
     end if;
K2:  if items # << >> then
       got := << Head(items) >>;
       queued := queued - 1;
     end if;
     items := Rest(items);
     if Operation(Program[self], turn) = "poll_now" then goto G2;
     elsif ~TakesInside then goto T0;
     else leave();
     end if;

L1:  tickets := Notified(tickets, asleep, 1);
     if raised /\ ~InterruptReleases then goto T0; else goto L2; end if;
L2:  mutex := NULL;
     if found /\ ~TakesInside then goto K2; else goto T0; end if;

     \* offer and poll_now
G1:  if Operation(Program[self], turn) = "offer" then lock(); goto P1;
     else
       await IF NowTakesInside THEN mutex = NULL ELSE TRUE;
       mutex := IF NowTakesInside THEN self ELSE mutex;
       take();
     end if;
P1:  with at = Argument(Program[self], turn), before = items do
       items := With(items, at);
       queued := queued + 1;
       if NotifiesFirst /\ \/ before = << >>
                           \/ NotifiesEveryFirst /\ KeepsOrder /\ at < Head(before)
                           \/ ~NotifiesFirstOnly
       then goto N1; else goto G2;
       end if;
     end with;
N1:  if NotifyTakesLead then leader := NULL; leading := {}; end if;
N2:  tickets := Notified(tickets, asleep, 1);
G2:  if Operation(Program[self], turn) = "offer" \/ NowTakesInside then mutex := NULL; end if;
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
\* BEGIN TRANSLATION (chksum(pcal) = "e036f931" /\ chksum(tla) = "deedefe2")
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
                       /\ IF Operation(Program[self], turn'[self]) = "poll"
                             THEN /\ pc' = [pc EXCEPT ![self] = "A1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "G1"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading >>

A1(self) == /\ pc[self] = "A1"
            /\ deadline' = [deadline EXCEPT ![self] = now + Argument(Program[self], turn[self])]
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, wait, left, 
                            found, head, raised, got >>

A2(self) == /\ pc[self] = "A2"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF items = << >>
                  THEN /\ head' = [head EXCEPT ![self] = Never]
                       /\ wait' = [wait EXCEPT ![self] = Never]
                       /\ pc' = [pc EXCEPT ![self] = "A3"]
                  ELSE /\ head' = [head EXCEPT ![self] = Head(items)]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                       /\ wait' = wait
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, left, 
                            found, raised, got >>

Q1(self) == /\ pc[self] = "Q1"
            /\ wait' = [wait EXCEPT ![self] = head[self] - now]
            /\ IF wait'[self] <= 0
                  THEN /\ IF items # << >>
                             THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                  /\ pc' = [pc EXCEPT ![self] = "K1"]
                             ELSE /\ IF Operation(Program[self], turn[self]) = "poll_now"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                                        ELSE /\ IF ~ReleasesEmptyHanded
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                                   ELSE /\ IF leader = NULL /\ HandsOn
                                                              THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                              ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
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
                             ELSE /\ IF Operation(Program[self], turn[self]) = "poll_now"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                                        ELSE /\ IF ~ReleasesEmptyHanded
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                                   ELSE /\ IF leader = NULL /\ HandsOn
                                                              THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                              ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                  /\ head' = head
                  ELSE /\ IF ~(OneSleepsLong /\ leader # NULL) /\ left'[self] >= wait[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "A7"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "A4"]
                       /\ head' = head
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, deadline, 
                            wait, found, raised, got >>

A4(self) == /\ pc[self] = "A4"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ alarm' = [alarm EXCEPT ![self] = IF TimesOut THEN now + left[self] ELSE Never]
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
                       /\ IF leader = NULL /\ HandsOn /\ InterruptHandsOn
                             THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                             ELSE /\ IF InterruptReleases
                                        THEN /\ pc' = [pc EXCEPT ![self] = "L2"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
                       /\ UNCHANGED << wait, head >>
                  ELSE /\ IF LooksAgain
                             THEN /\ IF items = << >>
                                        THEN /\ head' = [head EXCEPT ![self] = Never]
                                             /\ wait' = [wait EXCEPT ![self] = Never]
                                             /\ pc' = [pc EXCEPT ![self] = "A3"]
                                        ELSE /\ head' = [head EXCEPT ![self] = Head(items)]
                                             /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                             /\ wait' = wait
                             ELSE /\ IF items # << >>
                                        THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                             /\ pc' = [pc EXCEPT ![self] = "K1"]
                                        ELSE /\ IF Operation(Program[self], turn[self]) = "poll_now"
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                                                   ELSE /\ IF ~ReleasesEmptyHanded
                                                              THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                                              ELSE /\ IF leader = NULL /\ HandsOn
                                                                         THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                                         ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                             /\ head' = head
                                  /\ wait' = wait
                       /\ UNCHANGED << interrupted, raised >>
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
                        /\ IF leader = self /\ InterruptStepsDown
                              THEN /\ pc' = [pc EXCEPT ![self] = "A11"]
                              ELSE /\ IF leader = NULL /\ HandsOn /\ InterruptHandsOn
                                         THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                         ELSE /\ IF InterruptReleases
                                                    THEN /\ pc' = [pc EXCEPT ![self] = "L2"]
                                                    ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
                        /\ UNCHANGED << wait, head >>
                   ELSE /\ IF OwnLeadOnly /\ leader # self
                              THEN /\ IF LooksAgain
                                         THEN /\ IF items = << >>
                                                    THEN /\ head' = [head EXCEPT ![self] = Never]
                                                         /\ wait' = [wait EXCEPT ![self] = Never]
                                                         /\ pc' = [pc EXCEPT ![self] = "A3"]
                                                    ELSE /\ head' = [head EXCEPT ![self] = Head(items)]
                                                         /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                                         /\ wait' = wait
                                         ELSE /\ IF items # << >>
                                                    THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                                         /\ pc' = [pc EXCEPT ![self] = "K1"]
                                                    ELSE /\ IF Operation(Program[self], turn[self]) = "poll_now"
                                                               THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                                                               ELSE /\ IF ~ReleasesEmptyHanded
                                                                          THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                                                          ELSE /\ IF leader = NULL /\ HandsOn
                                                                                     THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                                                     ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                                         /\ head' = head
                                              /\ wait' = wait
                              ELSE /\ pc' = [pc EXCEPT ![self] = "A11"]
                                   /\ UNCHANGED << wait, head >>
                        /\ UNCHANGED << interrupted, raised >>
             /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                             queued, leading, turn, deadline, left, found, got >>

A11(self) == /\ pc[self] = "A11"
             /\ IF StepsDown
                   THEN /\ leader' = NULL
                   ELSE /\ TRUE
                        /\ UNCHANGED leader
             /\ IF raised[self]
                   THEN /\ IF leader' = NULL /\ HandsOn /\ InterruptHandsOn
                              THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                              ELSE /\ IF InterruptReleases
                                         THEN /\ pc' = [pc EXCEPT ![self] = "L2"]
                                         ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
                        /\ UNCHANGED << wait, head >>
                   ELSE /\ IF LooksAgain
                              THEN /\ IF items = << >>
                                         THEN /\ head' = [head EXCEPT ![self] = Never]
                                              /\ wait' = [wait EXCEPT ![self] = Never]
                                              /\ pc' = [pc EXCEPT ![self] = "A3"]
                                         ELSE /\ head' = [head EXCEPT ![self] = Head(items)]
                                              /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                              /\ wait' = wait
                              ELSE /\ IF items # << >>
                                         THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                              /\ pc' = [pc EXCEPT ![self] = "K1"]
                                         ELSE /\ IF Operation(Program[self], turn[self]) = "poll_now"
                                                    THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                                                    ELSE /\ IF ~ReleasesEmptyHanded
                                                               THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                                               ELSE /\ IF leader' = NULL /\ HandsOn
                                                                          THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                                          ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                              /\ head' = head
                                   /\ wait' = wait
             /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                             items, queued, leading, turn, deadline, left, 
                             found, raised, got >>

K1(self) == /\ pc[self] = "K1"
            /\ found' = [found EXCEPT ![self] = head[self] <= now \/ ~TakesDueOnly]
            /\ IF Operation(Program[self], turn[self]) = "poll_now"
                  THEN /\ IF found'[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "K2"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
                  ELSE /\ IF found'[self] /\ TakesInside
                             THEN /\ pc' = [pc EXCEPT ![self] = "K2"]
                             ELSE /\ IF ~found'[self] /\ ~ReleasesEmptyHanded
                                        THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                        ELSE /\ IF leader = NULL /\ HandsOn
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                   ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, items, queued, leading, turn, deadline, 
                            wait, left, head, raised, got >>

K2(self) == /\ pc[self] = "K2"
            /\ IF items # << >>
                  THEN /\ got' = [got EXCEPT ![self] = << Head(items) >>]
                       /\ queued' = queued - 1
                  ELSE /\ TRUE
                       /\ UNCHANGED << queued, got >>
            /\ items' = Rest(items)
            /\ IF Operation(Program[self], turn[self]) = "poll_now"
                  THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                  ELSE /\ IF ~TakesInside
                             THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                             ELSE /\ IF leader = NULL /\ HandsOn
                                        THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, leading, turn, deadline, wait, left, found, 
                            head, raised >>

L1(self) == /\ pc[self] = "L1"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ IF raised[self] /\ ~InterruptReleases
                  THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << mutex, asleep, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

L2(self) == /\ pc[self] = "L2"
            /\ mutex' = NULL
            /\ IF found[self] /\ ~TakesInside
                  THEN /\ pc' = [pc EXCEPT ![self] = "K2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

G1(self) == /\ pc[self] = "G1"
            /\ IF Operation(Program[self], turn[self]) = "offer"
                  THEN /\ mutex = NULL
                       /\ mutex' = self
                       /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ head' = head
                  ELSE /\ IF NowTakesInside THEN mutex = NULL ELSE TRUE
                       /\ mutex' = IF NowTakesInside THEN self ELSE mutex
                       /\ IF items # << >>
                             THEN /\ head' = [head EXCEPT ![self] = Head(items)]
                                  /\ pc' = [pc EXCEPT ![self] = "K1"]
                             ELSE /\ IF Operation(Program[self], turn[self]) = "poll_now"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                                        ELSE /\ IF ~ReleasesEmptyHanded
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                                                   ELSE /\ IF leader = NULL /\ HandsOn
                                                              THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                                                              ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                                  /\ head' = head
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, raised, got >>

P1(self) == /\ pc[self] = "P1"
            /\ LET at == Argument(Program[self], turn[self]) IN
                 LET before == items IN
                   /\ items' = With(items, at)
                   /\ queued' = queued + 1
                   /\ IF NotifiesFirst /\ \/ before = << >>
                                          \/ NotifiesEveryFirst /\ KeepsOrder /\ at < Head(before)
                                          \/ ~NotifiesFirstOnly
                         THEN /\ pc' = [pc EXCEPT ![self] = "N1"]
                         ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << mutex, asleep, tickets, interrupted, now, alarm, 
                            leader, leading, turn, deadline, wait, left, found, 
                            head, raised, got >>

N1(self) == /\ pc[self] = "N1"
            /\ IF NotifyTakesLead
                  THEN /\ leader' = NULL
                       /\ leading' = {}
                  ELSE /\ TRUE
                       /\ UNCHANGED << leader, leading >>
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
            /\ IF Operation(Program[self], turn[self]) = "offer" \/ NowTakesInside
                  THEN /\ mutex' = NULL
                  ELSE /\ TRUE
                       /\ mutex' = mutex
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << asleep, tickets, interrupted, now, alarm, leader, 
                            items, queued, leading, turn, deadline, wait, left, 
                            found, head, raised, got >>

thread(self) == T0(self) \/ A1(self) \/ A2(self) \/ Q1(self) \/ A3(self)
                   \/ A4(self) \/ A5(self) \/ A6(self) \/ A7(self)
                   \/ A8(self) \/ A9(self) \/ A10(self) \/ A11(self)
                   \/ K1(self) \/ K2(self) \/ L1(self) \/ L2(self)
                   \/ G1(self) \/ P1(self) \/ N1(self) \/ N2(self)
                   \/ G2(self)

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


Inside == {"Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2"}

TypeOK == /\ mutex \in Threads \cup {NULL} /\ leader \in Threads \cup {NULL}
          /\ asleep \subseteq Threads /\ leading \subseteq Threads /\ interrupted \subseteq Threads
          /\ \A i \in DOMAIN tickets : tickets[i] \subseteq asleep
          /\ Len(tickets) <= Cardinality(asleep)
          /\ now \in Nat
          /\ \A t \in Threads : alarm[t] \in Nat /\ (alarm[t] # Never => t \in asleep)
          /\ \A i \in DOMAIN items : items[i] \in Int /\ (i > 1 => items[i \div 2] <= items[i])

\* What the gate guards is touched only by the thread that holds it.
Exclusive == \A t \in Threads : pc[t] \in Inside => mutex = t

\* What is offered is queued until it is taken, once.
EachOnce == Len(items) = queued

\* Only what is due is taken.
TakesDue == \A t \in Threads : pc[t] = "K2" => head[t] <= now

\* A notification takes the lead away only for an element that has become the first.
NotifiesForFirst == \A t \in Threads : pc[t] = "N1" => items[1] = Argument(Program[t], turn[t])

\* The thread that is noted as leader sleeps as such, or has just woken.
LeaderLeads == leader # NULL => pc[leader] \in {"A8", "A9", "A10", "A11"}

\* At most one thread sleeps for as long as the first element takes.
OneLeads == Cardinality(leading) <= 1

\* If threads sleep while an element waits, one of them sleeps for it or for less, or one is up: not
\* one that has yet to begin its next operation.
SomebodyUp == \/ tickets # << >> \/ interrupted # {}
              \/ \E t \in Threads : pc[t] \notin {"T0", "A1", "G1", "Done", "A5", "A9"} \/ Late(t)
Watched == items # << >> /\ asleep # {} => SomebodyUp \/ \E t \in asleep :
  (leader = t /\ head[t] <= Head(items)) \/ alarm[t] <= Head(items)

\* The gate opens for a thread that waits when something is due, or its time is up.
NotEarly == \A t \in Threads :
  \/ pc[t] = "K1" /\ Operation(Program[t], turn[t]) = "poll"
  \/ pc[t] \in {"L1", "L2"} /\ ~found[t] /\ ~raised[t]
  => Due \/ deadline[t] <= now

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) == /\ \A t \in P \cap Threads : WF_vars(thread(t))
               /\ \A i \in P \cap Interrupters : WF_vars(interrupter(i))
               /\ \A c \in P \cap Clocks : WF_vars(clock(c))
=============================================================================

-------------------------------- MODULE Gate --------------------------------
(***************************************************************************)
(* A lock at which threads wait until something is due, on Python's         *)
(* condition, and the smallest queue that uses it: a sequence of moments at *)
(* which an item is due.                                                    *)
(*                                                                          *)
(* Of the threads that wait one leads and sleeps until the first item is    *)
(* due.  The others sleep until they are notified or their time is up.      *)
(* Time passes when the clock says so: up to the next moment at which a     *)
(* sleeper's time is up.  A thread may read the clock and be slow to sleep: *)
(* then it sleeps longer than until the item is due, as in every runtime.   *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,          \* thread |-> sequence of operations <<name, argument>>; the clock's is <<"clock">>
  Items,            \* the moments at which the first items are due, in their order
  NULL

CONSTANTS           \* the decisions; FALSE takes one away, its step stays
  NotifyTakesLead,  \* a notification takes the lead from the thread that has it
  HandsOn,          \* a thread that leaves notifies if no thread leads
  StepsDown,        \* a leader that has woken leads no longer
  OwnLeadOnly,      \* a thread that has woken gives up its own lead only
  OneSleepsLong,    \* a thread does not lead beside another one
  TimesOut,         \* a thread that does not lead sleeps no longer than its time
  LooksAgain,       \* a thread that has woken looks again
  TakesInside,      \* an item is taken while the gate is held
  KeepsOrder        \* an item is put where its moment belongs, not behind all others

Clocks  == {t \in DOMAIN Program : Program[t][1][1] = "clock"}
Threads == DOMAIN Program \ Clocks
Never   == 1000     \* later than all that happens; the alarm of a thread that has none

Least(S) == CHOOSE x \in S : \A y \in S : x <= y

\* Moments in their order; one that comes later goes behind its equals.
RECURSIVE Insert(_, _)
Insert(s, x) == IF s = << >> \/ x < Head(s) THEN <<x>> \o s ELSE <<Head(s)>> \o Insert(Tail(s), x)

(*--algorithm Gate
variables
  mutex = NULL,                        \* the thread that holds the gate, or looks whether it may
  asleep = {},                         \* the threads that sleep on its condition
  tickets = << >>,                     \* its notifications that are not taken, see Conditions
  now = 0,
  alarm = [t \in Threads |-> Never],   \* when the time of a sleeper is up
  leader = NULL,
  items = Items,                       \* when each is due
  leading = {},                        \* history: who leads, as long as nothing has taken the lead away
  aim = [t \in Threads |-> Never];     \* history: the first item when the thread last looked

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

macro wake() begin
  await IF Offered(tickets, self) THEN TRUE ELSE Late(self);  \* no \/: TLC would take one step for each
  tickets := Taken(tickets, self);
  asleep := asleep \ {self};
  alarm[self] := Never;
end macro;

procedure take(timeout = 0)
variables deadline = 0, wait = 0, left = 0, found = FALSE;
begin
A1:  deadline := now + timeout;
A2:  lock();
Q1:  wait := IF items = << >> THEN Never ELSE Head(items) - now;
     aim[self] := IF items = << >> THEN Never ELSE Head(items);
     if wait <= 0 then goto K1; end if;
A3:  left := deadline - now;
     if left <= 0 then goto K1;
     elsif ~(OneSleepsLong /\ leader # NULL) /\ left >= wait then goto A7;
     end if;
A4:  sleep(IF TimesOut THEN now + left ELSE Never);
A5:  wake();
A6:  lock();
     if LooksAgain then goto Q1; else goto K1; end if;
A7:  leader := self;
     leading := leading \cup {self};
A8:  sleep(now + wait);
A9:  wake();
     leading := leading \ {self};
A10: lock();
     if OwnLeadOnly /\ leader # self then
       if LooksAgain then goto Q1; else goto K1; end if;
     end if;
A11: if StepsDown then leader := NULL; end if;
     if LooksAgain then goto Q1; end if;
K1:  found := Due;
     if ~found \/ ~TakesInside then
       if leader = NULL /\ HandsOn then goto L1; else goto L2; end if;
     end if;
K2:  items := IF items = << >> THEN << >> ELSE Tail(items);
     if ~TakesInside then return;
     elsif leader # NULL \/ ~HandsOn then goto L2;
     end if;
L1:  tickets := Notified(tickets, asleep, 1);
L2:  mutex := NULL;
     if found /\ ~TakesInside then goto K2; else return; end if;
end procedure;

procedure offer(at = 0)
begin
G1:  lock();
P1:  items := IF KeepsOrder THEN Insert(items, at) ELSE Append(items, at);
     if Len(items) > 1 /\ (items[1] # at \/ items[2] = at) then goto G2; end if;
N1:  if NotifyTakesLead then leader := NULL; leading := {}; end if;
N2:  tickets := Notified(tickets, asleep, 1);
G2:  mutex := NULL;
     return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "take" then call take(Program[self][turn - 1][2]);
      else call offer(Program[self][turn - 1][2]);
      end if;
    end while;
end process;

fair process clock \in Clocks
begin
C1: await Ahead # {} \/ \A t \in Threads : pc[t] = "Done";
    if Ahead = {} then goto Done; else now := Least(Ahead); end if;
C2: goto C1;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "6405a4e" /\ chksum(tla) = "8ac06d45")
VARIABLES mutex, asleep, tickets, now, alarm, leader, items, leading, aim, pc, 
          stack

(* define statement *)
Due == items # << >> /\ Head(items) <= now
Late(t) == alarm[t] <= now
Ahead == {alarm[t] : t \in {u \in Threads : alarm[u] # Never /\ alarm[u] > now}}

VARIABLES timeout, deadline, wait, left, found, at, turn

vars == << mutex, asleep, tickets, now, alarm, leader, items, leading, aim, 
           pc, stack, timeout, deadline, wait, left, found, at, turn >>

ProcSet == (Threads) \cup (Clocks)

Init == (* Global variables *)
        /\ mutex = NULL
        /\ asleep = {}
        /\ tickets = << >>
        /\ now = 0
        /\ alarm = [t \in Threads |-> Never]
        /\ leader = NULL
        /\ items = Items
        /\ leading = {}
        /\ aim = [t \in Threads |-> Never]
        (* Procedure take *)
        /\ timeout = [ self \in ProcSet |-> 0]
        /\ deadline = [ self \in ProcSet |-> 0]
        /\ wait = [ self \in ProcSet |-> 0]
        /\ left = [ self \in ProcSet |-> 0]
        /\ found = [ self \in ProcSet |-> FALSE]
        (* Procedure offer *)
        /\ at = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Threads -> "T0"
                                        [] self \in Clocks -> "C1"]

A1(self) == /\ pc[self] = "A1"
            /\ deadline' = [deadline EXCEPT ![self] = now + timeout[self]]
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, wait, left, found, 
                            at, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            found, at, turn >>

Q1(self) == /\ pc[self] = "Q1"
            /\ wait' = [wait EXCEPT ![self] = IF items = << >> THEN Never ELSE Head(items) - now]
            /\ aim' = [aim EXCEPT ![self] = IF items = << >> THEN Never ELSE Head(items)]
            /\ IF wait'[self] <= 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "K1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A3"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            leading, stack, timeout, deadline, left, found, at, 
                            turn >>

A3(self) == /\ pc[self] = "A3"
            /\ left' = [left EXCEPT ![self] = deadline[self] - now]
            /\ IF left'[self] <= 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "K1"]
                  ELSE /\ IF ~(OneSleepsLong /\ leader # NULL) /\ left'[self] >= wait[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "A7"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "A4"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, 
                            found, at, turn >>

A4(self) == /\ pc[self] = "A4"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ alarm' = [alarm EXCEPT ![self] = IF TimesOut THEN now + left[self] ELSE Never]
            /\ pc' = [pc EXCEPT ![self] = "A5"]
            /\ UNCHANGED << tickets, now, leader, items, leading, aim, stack, 
                            timeout, deadline, wait, left, found, at, turn >>

A5(self) == /\ pc[self] = "A5"
            /\ IF Offered(tickets, self) THEN TRUE ELSE Late(self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ alarm' = [alarm EXCEPT ![self] = Never]
            /\ pc' = [pc EXCEPT ![self] = "A6"]
            /\ UNCHANGED << mutex, now, leader, items, leading, aim, stack, 
                            timeout, deadline, wait, left, found, at, turn >>

A6(self) == /\ pc[self] = "A6"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF LooksAgain
                  THEN /\ pc' = [pc EXCEPT ![self] = "Q1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
            /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            found, at, turn >>

A7(self) == /\ pc[self] = "A7"
            /\ leader' = self
            /\ leading' = (leading \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "A8"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, items, aim, 
                            stack, timeout, deadline, wait, left, found, at, 
                            turn >>

A8(self) == /\ pc[self] = "A8"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ alarm' = [alarm EXCEPT ![self] = now + wait[self]]
            /\ pc' = [pc EXCEPT ![self] = "A9"]
            /\ UNCHANGED << tickets, now, leader, items, leading, aim, stack, 
                            timeout, deadline, wait, left, found, at, turn >>

A9(self) == /\ pc[self] = "A9"
            /\ IF Offered(tickets, self) THEN TRUE ELSE Late(self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ alarm' = [alarm EXCEPT ![self] = Never]
            /\ leading' = leading \ {self}
            /\ pc' = [pc EXCEPT ![self] = "A10"]
            /\ UNCHANGED << mutex, now, leader, items, aim, stack, timeout, 
                            deadline, wait, left, found, at, turn >>

A10(self) == /\ pc[self] = "A10"
             /\ mutex = NULL
             /\ mutex' = self
             /\ IF OwnLeadOnly /\ leader # self
                   THEN /\ IF LooksAgain
                              THEN /\ pc' = [pc EXCEPT ![self] = "Q1"]
                              ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
                   ELSE /\ pc' = [pc EXCEPT ![self] = "A11"]
             /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                             leading, aim, stack, timeout, deadline, wait, 
                             left, found, at, turn >>

A11(self) == /\ pc[self] = "A11"
             /\ IF StepsDown
                   THEN /\ leader' = NULL
                   ELSE /\ TRUE
                        /\ UNCHANGED leader
             /\ IF LooksAgain
                   THEN /\ pc' = [pc EXCEPT ![self] = "Q1"]
                   ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
             /\ UNCHANGED << mutex, asleep, tickets, now, alarm, items, 
                             leading, aim, stack, timeout, deadline, wait, 
                             left, found, at, turn >>

K1(self) == /\ pc[self] = "K1"
            /\ found' = [found EXCEPT ![self] = Due]
            /\ IF ~found'[self] \/ ~TakesInside
                  THEN /\ IF leader = NULL /\ HandsOn
                             THEN /\ pc' = [pc EXCEPT ![self] = "L1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "K2"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            at, turn >>

K2(self) == /\ pc[self] = "K2"
            /\ items' = (IF items = << >> THEN << >> ELSE Tail(items))
            /\ IF ~TakesInside
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ deadline' = [deadline EXCEPT ![self] = Head(stack[self]).deadline]
                       /\ wait' = [wait EXCEPT ![self] = Head(stack[self]).wait]
                       /\ left' = [left EXCEPT ![self] = Head(stack[self]).left]
                       /\ found' = [found EXCEPT ![self] = Head(stack[self]).found]
                       /\ timeout' = [timeout EXCEPT ![self] = Head(stack[self]).timeout]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ IF leader # NULL \/ ~HandsOn
                             THEN /\ pc' = [pc EXCEPT ![self] = "L2"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "L1"]
                       /\ UNCHANGED << stack, timeout, deadline, wait, left, 
                                       found >>
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, 
                            leading, aim, at, turn >>

L1(self) == /\ pc[self] = "L1"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << mutex, asleep, now, alarm, leader, items, leading, 
                            aim, stack, timeout, deadline, wait, left, found, 
                            at, turn >>

L2(self) == /\ pc[self] = "L2"
            /\ mutex' = NULL
            /\ IF found[self] /\ ~TakesInside
                  THEN /\ pc' = [pc EXCEPT ![self] = "K2"]
                       /\ UNCHANGED << stack, timeout, deadline, wait, left, 
                                       found >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ deadline' = [deadline EXCEPT ![self] = Head(stack[self]).deadline]
                       /\ wait' = [wait EXCEPT ![self] = Head(stack[self]).wait]
                       /\ left' = [left EXCEPT ![self] = Head(stack[self]).left]
                       /\ found' = [found EXCEPT ![self] = Head(stack[self]).found]
                       /\ timeout' = [timeout EXCEPT ![self] = Head(stack[self]).timeout]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                            leading, aim, at, turn >>

take(self) == A1(self) \/ A2(self) \/ Q1(self) \/ A3(self) \/ A4(self)
                 \/ A5(self) \/ A6(self) \/ A7(self) \/ A8(self)
                 \/ A9(self) \/ A10(self) \/ A11(self) \/ K1(self)
                 \/ K2(self) \/ L1(self) \/ L2(self)

G1(self) == /\ pc[self] = "G1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "P1"]
            /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            found, at, turn >>

P1(self) == /\ pc[self] = "P1"
            /\ items' = IF KeepsOrder THEN Insert(items, at[self]) ELSE Append(items, at[self])
            /\ IF Len(items') > 1 /\ (items'[1] # at[self] \/ items'[2] = at[self])
                  THEN /\ pc' = [pc EXCEPT ![self] = "G2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "N1"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            found, at, turn >>

N1(self) == /\ pc[self] = "N1"
            /\ IF NotifyTakesLead
                  THEN /\ leader' = NULL
                       /\ leading' = {}
                  ELSE /\ TRUE
                       /\ UNCHANGED << leader, leading >>
            /\ pc' = [pc EXCEPT ![self] = "N2"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, items, aim, 
                            stack, timeout, deadline, wait, left, found, at, 
                            turn >>

N2(self) == /\ pc[self] = "N2"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << mutex, asleep, now, alarm, leader, items, leading, 
                            aim, stack, timeout, deadline, wait, left, found, 
                            at, turn >>

G2(self) == /\ pc[self] = "G2"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << asleep, tickets, now, alarm, leader, items, 
                            leading, aim, timeout, deadline, wait, left, found, 
                            turn >>

offer(self) == G1(self) \/ P1(self) \/ N1(self) \/ N2(self) \/ G2(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "take"
                             THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "take",
                                                                              pc        |->  "T0",
                                                                              deadline  |->  deadline[self],
                                                                              wait      |->  wait[self],
                                                                              left      |->  left[self],
                                                                              found     |->  found[self],
                                                                              timeout   |->  timeout[self] ] >>
                                                                          \o stack[self]]
                                     /\ timeout' = [timeout EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                  /\ deadline' = [deadline EXCEPT ![self] = 0]
                                  /\ wait' = [wait EXCEPT ![self] = 0]
                                  /\ left' = [left EXCEPT ![self] = 0]
                                  /\ found' = [found EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = "A1"]
                                  /\ at' = at
                             ELSE /\ /\ at' = [at EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "offer",
                                                                              pc        |->  "T0",
                                                                              at        |->  at[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "G1"]
                                  /\ UNCHANGED << timeout, deadline, wait, 
                                                  left, found >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, timeout, deadline, wait, left, 
                                       found, at, turn >>
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            leading, aim >>

thread(self) == T0(self)

C1(self) == /\ pc[self] = "C1"
            /\ Ahead # {} \/ \A t \in Threads : pc[t] = "Done"
            /\ IF Ahead = {}
                  THEN /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ now' = now
                  ELSE /\ now' = Least(Ahead)
                       /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << mutex, asleep, tickets, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            found, at, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << mutex, asleep, tickets, now, alarm, leader, items, 
                            leading, aim, stack, timeout, deadline, wait, left, 
                            found, at, turn >>

clock(self) == C1(self) \/ C2(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: take(self) \/ offer(self))
           \/ (\E self \in Threads: thread(self))
           \/ (\E self \in Clocks: clock(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self)) /\ WF_vars(take(self)) /\ WF_vars(offer(self))
        /\ \A self \in Clocks : WF_vars(clock(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

Inside == {"Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2"}

TypeOK == /\ mutex \in Threads \cup {NULL} /\ leader \in Threads \cup {NULL}
          /\ asleep \subseteq Threads /\ leading \subseteq Threads
          /\ \A i \in DOMAIN tickets : tickets[i] \subseteq asleep
          /\ Len(tickets) <= Cardinality(asleep)
          /\ now \in Nat /\ \A t \in Threads : alarm[t] \in Nat /\ (alarm[t] # Never => t \in asleep)
          /\ \A i \in 1..(Len(items) - 1) : items[i] <= items[i + 1]

\* What the gate guards is touched only by the thread that holds it.
Exclusive == \A t \in Threads : pc[t] \in Inside => mutex = t

\* The thread that is noted as leader sleeps as such, or has just woken.
LeaderLeads == leader # NULL => pc[leader] \in {"A8", "A9", "A10", "A11"}

\* At most one thread sleeps for as long as the first item takes.
OneLeads == Cardinality(leading) <= 1

\* If threads sleep while an item waits, one of them sleeps for it or for less, or one is up.
Up == \/ tickets # << >>
      \/ \E t \in Threads : pc[t] \notin {"T0", "Done", "A5", "A9"} \/ Late(t)
Watched == items # << >> /\ asleep # {} => Up \/ \E t \in asleep :
  (leader = t /\ aim[t] <= Head(items)) \/ alarm[t] <= Head(items)

\* The gate opens for a thread that waits when something is due, or its time is up.
NotEarly == \A t \in Threads : pc[t] = "K1" => Due \/ deadline[t] <= now

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) == /\ \A t \in P \cap Threads : WF_vars(thread(t) \/ take(t) \/ offer(t))
               /\ \A c \in P \cap Clocks : WF_vars(clock(c))
=============================================================================

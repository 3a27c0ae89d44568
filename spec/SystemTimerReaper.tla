-------------------------- MODULE SystemTimerReaper --------------------------
(***************************************************************************)
(* The life of the thread that lets a timer's time pass: it polls until it  *)
(* is stopped.  A thread that closes it stops it, waits until it has        *)
(* ended, and closes the timer.  What a poll runs may close the reaper too: *)
(* then no thread is waited for, and the thread ends after that poll.       *)
(*                                                                          *)
(* An event is a flag, and a thread has a condition on which others wait    *)
(* for its end.  A thread that joined itself would be refused by the        *)
(* standard library with an exception; here it waits for ever, which is a   *)
(* deadlock.                                                                *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,          \* thread |-> sequence of operations <<"close">>; the reaper's is <<"reap">>
  Due,              \* a poll runs something that closes the reaper, once
  NULL

Reapers == {t \in DOMAIN Program : Program[t][1][1] = "reap"}
Closers == DOMAIN Program \ Reapers

(*--algorithm SystemTimerReaper
variables
  mutex = NULL,      \* the thread that holds the condition of the reaper's thread
  asleep = {},       \* the threads that sleep on it
  tickets = << >>,   \* its notifications that are not taken, see Conditions
  stopping = FALSE,
  ended = FALSE,     \* the reaper's thread has ended
  due = Due,
  closed = 0,        \* how often the timer was closed
  early = FALSE,     \* history: the timer was closed by another thread before the reaper had ended
  late = FALSE;      \* history: the timer was polled after it was closed

macro lock() begin
  await mutex = NULL;
  mutex := self;
end macro;

procedure close()
begin
T1: skip;
E2: stopping := TRUE;
    if self \notin Reapers then  \* Thread.join
J1:   lock();
      if ~ended then
J2:     mutex := NULL;
        asleep := asleep \cup {self};
J3:     await Offered(tickets, self);
        tickets := Taken(tickets, self);
        asleep := asleep \ {self};
J4:     lock();
        if ~ended then goto J2; end if;
      end if;
J5:   mutex := NULL;
    end if;
S1: closed := closed + 1;
    early := early \/ (self \notin Reapers /\ ~ended);
    return;
end procedure;

fair process closer \in Closers
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      call close();
    end while;
end process;

fair process reaper \in Reapers
begin
E1: while ~stopping do
P1:   late := late \/ closed > 0;
      if due then due := FALSE; call close(); end if;
T2:   skip;
    end while;
H1: lock();
H2: ended := TRUE;
H3: tickets := NotifiedAll(tickets, asleep);
H4: mutex := NULL;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "ef63185d" /\ chksum(tla) = "49255069")
VARIABLES mutex, asleep, tickets, stopping, ended, due, closed, early, late, 
          pc, stack, turn

vars == << mutex, asleep, tickets, stopping, ended, due, closed, early, late, 
           pc, stack, turn >>

ProcSet == (Closers) \cup (Reapers)

Init == (* Global variables *)
        /\ mutex = NULL
        /\ asleep = {}
        /\ tickets = << >>
        /\ stopping = FALSE
        /\ ended = FALSE
        /\ due = Due
        /\ closed = 0
        /\ early = FALSE
        /\ late = FALSE
        (* Process closer *)
        /\ turn = [self \in Closers |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Closers -> "T0"
                                        [] self \in Reapers -> "E1"]

T1(self) == /\ pc[self] = "T1"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << mutex, asleep, tickets, stopping, ended, due, 
                            closed, early, late, stack, turn >>

E2(self) == /\ pc[self] = "E2"
            /\ stopping' = TRUE
            /\ IF self \notin Reapers
                  THEN /\ pc' = [pc EXCEPT ![self] = "J1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "S1"]
            /\ UNCHANGED << mutex, asleep, tickets, ended, due, closed, early, 
                            late, stack, turn >>

J1(self) == /\ pc[self] = "J1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF ~ended
                  THEN /\ pc' = [pc EXCEPT ![self] = "J2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "J5"]
            /\ UNCHANGED << asleep, tickets, stopping, ended, due, closed, 
                            early, late, stack, turn >>

J2(self) == /\ pc[self] = "J2"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "J3"]
            /\ UNCHANGED << tickets, stopping, ended, due, closed, early, late, 
                            stack, turn >>

J3(self) == /\ pc[self] = "J3"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "J4"]
            /\ UNCHANGED << mutex, stopping, ended, due, closed, early, late, 
                            stack, turn >>

J4(self) == /\ pc[self] = "J4"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF ~ended
                  THEN /\ pc' = [pc EXCEPT ![self] = "J2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "J5"]
            /\ UNCHANGED << asleep, tickets, stopping, ended, due, closed, 
                            early, late, stack, turn >>

J5(self) == /\ pc[self] = "J5"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = "S1"]
            /\ UNCHANGED << asleep, tickets, stopping, ended, due, closed, 
                            early, late, stack, turn >>

S1(self) == /\ pc[self] = "S1"
            /\ closed' = closed + 1
            /\ early' = (early \/ (self \notin Reapers /\ ~ended))
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << mutex, asleep, tickets, stopping, ended, due, late, 
                            turn >>

close(self) == T1(self) \/ E2(self) \/ J1(self) \/ J2(self) \/ J3(self)
                  \/ J4(self) \/ J5(self) \/ S1(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                pc        |->  "T0" ] >>
                                                            \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "T1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, turn >>
            /\ UNCHANGED << mutex, asleep, tickets, stopping, ended, due, 
                            closed, early, late >>

closer(self) == T0(self)

E1(self) == /\ pc[self] = "E1"
            /\ IF ~stopping
                  THEN /\ pc' = [pc EXCEPT ![self] = "P1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "H1"]
            /\ UNCHANGED << mutex, asleep, tickets, stopping, ended, due, 
                            closed, early, late, stack, turn >>

P1(self) == /\ pc[self] = "P1"
            /\ late' = (late \/ closed > 0)
            /\ IF due
                  THEN /\ due' = FALSE
                       /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                pc        |->  "T2" ] >>
                                                            \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "T1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T2"]
                       /\ UNCHANGED << due, stack >>
            /\ UNCHANGED << mutex, asleep, tickets, stopping, ended, closed, 
                            early, turn >>

T2(self) == /\ pc[self] = "T2"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "E1"]
            /\ UNCHANGED << mutex, asleep, tickets, stopping, ended, due, 
                            closed, early, late, stack, turn >>

H1(self) == /\ pc[self] = "H1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "H2"]
            /\ UNCHANGED << asleep, tickets, stopping, ended, due, closed, 
                            early, late, stack, turn >>

H2(self) == /\ pc[self] = "H2"
            /\ ended' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "H3"]
            /\ UNCHANGED << mutex, asleep, tickets, stopping, due, closed, 
                            early, late, stack, turn >>

H3(self) == /\ pc[self] = "H3"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "H4"]
            /\ UNCHANGED << mutex, asleep, stopping, ended, due, closed, early, 
                            late, stack, turn >>

H4(self) == /\ pc[self] = "H4"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = "Done"]
            /\ UNCHANGED << asleep, tickets, stopping, ended, due, closed, 
                            early, late, stack, turn >>

reaper(self) == E1(self) \/ P1(self) \/ T2(self) \/ H1(self) \/ H2(self)
                   \/ H3(self) \/ H4(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: close(self))
           \/ (\E self \in Closers: closer(self))
           \/ (\E self \in Reapers: reaper(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Closers : WF_vars(closer(self)) /\ WF_vars(close(self))
        /\ \A self \in Reapers : WF_vars(reaper(self)) /\ WF_vars(close(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

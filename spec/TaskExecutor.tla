---------------------------- MODULE TaskExecutor ----------------------------
(***************************************************************************)
(* The executor of a timer: one thread that runs what is handed over, first *)
(* in first out, until it is closed.  The pool that production takes from   *)
(* the standard library is one condition here: a queue of calls, a flag     *)
(* that it is shut, and a flag that its thread has ended.                   *)
(*                                                                          *)
(* A task that runs may hand over another one, close the executor, or       *)
(* raise.  Its closer waits for the pool's thread, unless it is that        *)
(* thread itself: B1 notes who that is, C1 reads it, and neither holds a    *)
(* lock.  A thread that waited for itself would be refused by the standard  *)
(* library with an exception; here it waits for ever, which is a deadlock.  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Conditions

CONSTANTS
  Program,          \* thread |-> sequence of operations: <<"submit", task>>, <<"close">>;
                    \* that of the pool's thread is <<"work">>
  Does,             \* task |-> << >>, <<"raise">>, <<"close">> or <<"submit", another task>>
  NULL

Workers == {t \in DOMAIN Program : Program[t][1][1] = "work"}
Users   == DOMAIN Program \ Workers
Tasks   == DOMAIN Does

Range(s) == {s[i] : i \in DOMAIN s}
Times(s, x) == Cardinality({i \in DOMAIN s : s[i] = x})

(*--algorithm TaskExecutor
variables
  mutex = NULL,      \* the thread that holds the pool's condition
  asleep = {},       \* the threads that sleep on it
  tickets = << >>,   \* its notifications that are not taken, see Conditions
  calls = << >>,     \* the tasks that wait
  shut = FALSE,
  ended = FALSE,     \* the pool's thread will run no task any more
  thread = NULL,     \* the pool's thread, once it has noted that
  ran = << >>,       \* the tasks that have run
  accepted = << >>,  \* history: the tasks that the pool has taken
  refused = {},      \* history: the tasks that the pool has refused
  closed = {};       \* history: the threads that a close has returned to

macro lock() begin
  await mutex = NULL;
  mutex := self;
end macro;

macro sleep() begin
  mutex := NULL;
  asleep := asleep \cup {self};
end macro;

macro wake() begin
  await Offered(tickets, self);
  tickets := Taken(tickets, self);
  asleep := asleep \ {self};
end macro;

macro notify() begin
  tickets := NotifiedAll(tickets, asleep);
end macro;

\* The test of the loop in which the pool's thread waits for a call, or until none can come.
macro look() begin
  if calls # << >> then goto Y5; elsif shut then goto Y6; else goto Y2; end if;
end macro;

procedure submit(task = NULL)
begin
S1: lock();
    if shut then
      refused := refused \cup {task};
    else
S2:   calls := Append(calls, task);
      accepted := Append(accepted, task);
S3:   notify();
    end if;
S4: mutex := NULL;
    return;
end procedure;

procedure run(job = NULL)
begin
R1: ran := Append(ran, job);
    if Does[job] = <<"close">> then call close(); return;
    elsif Does[job] \notin {<< >>, <<"raise">>} then call submit(Does[job][2]); return;
    else return;
    end if;
end procedure;

procedure close()
variables own = NULL;
begin
C1: own := thread;
D1: lock();
D2: shut := TRUE;
D3: notify();
    if own # self /\ ~ended then
D4:   sleep();
D5:   wake();
D6:   lock();
      if ~ended then goto D4; end if;
    end if;
D7: mutex := NULL;
    closed := closed \cup {self};
    return;
end procedure;

fair process user \in Users
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "close" then call close();
      else call submit(Program[self][turn - 1][2]);
      end if;
    end while;
end process;

fair process worker \in Workers
variables taken = NULL;
begin
B1: thread := self;
Y1: while TRUE do
      lock();
      look();
Y2:   sleep();
Y3:   wake();
Y4:   lock();
      look();
Y5:   taken := Head(calls);
      calls := Tail(calls);
      goto Y8;
Y6:   ended := TRUE;
Y7:   notify();
Y8:   mutex := NULL;
      if taken = NULL then goto Done; else call run(taken); end if;
T1:   taken := NULL;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "54c77bd9" /\ chksum(tla) = "69f0b2fb")
VARIABLES mutex, asleep, tickets, calls, shut, ended, thread, ran, accepted, 
          refused, closed, pc, stack, task, job, own, turn, taken

vars == << mutex, asleep, tickets, calls, shut, ended, thread, ran, accepted, 
           refused, closed, pc, stack, task, job, own, turn, taken >>

ProcSet == (Users) \cup (Workers)

Init == (* Global variables *)
        /\ mutex = NULL
        /\ asleep = {}
        /\ tickets = << >>
        /\ calls = << >>
        /\ shut = FALSE
        /\ ended = FALSE
        /\ thread = NULL
        /\ ran = << >>
        /\ accepted = << >>
        /\ refused = {}
        /\ closed = {}
        (* Procedure submit *)
        /\ task = [ self \in ProcSet |-> NULL]
        (* Procedure run *)
        /\ job = [ self \in ProcSet |-> NULL]
        (* Procedure close *)
        /\ own = [ self \in ProcSet |-> NULL]
        (* Process user *)
        /\ turn = [self \in Users |-> 1]
        (* Process worker *)
        /\ taken = [self \in Workers |-> NULL]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> CASE self \in Users -> "T0"
                                        [] self \in Workers -> "B1"]

S1(self) == /\ pc[self] = "S1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF shut
                  THEN /\ refused' = (refused \cup {task[self]})
                       /\ pc' = [pc EXCEPT ![self] = "S4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "S2"]
                       /\ UNCHANGED refused
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, closed, stack, task, job, own, turn, 
                            taken >>

S2(self) == /\ pc[self] = "S2"
            /\ calls' = Append(calls, task[self])
            /\ accepted' = Append(accepted, task[self])
            /\ pc' = [pc EXCEPT ![self] = "S3"]
            /\ UNCHANGED << mutex, asleep, tickets, shut, ended, thread, ran, 
                            refused, closed, stack, task, job, own, turn, 
                            taken >>

S3(self) == /\ pc[self] = "S3"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "S4"]
            /\ UNCHANGED << mutex, asleep, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

S4(self) == /\ pc[self] = "S4"
            /\ mutex' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, job, own, turn, taken >>

submit(self) == S1(self) \/ S2(self) \/ S3(self) \/ S4(self)

R1(self) == /\ pc[self] = "R1"
            /\ ran' = Append(ran, job[self])
            /\ IF Does[job[self]] = <<"close">>
                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                pc        |->  Head(stack[self]).pc,
                                                                own       |->  own[self] ] >>
                                                            \o Tail(stack[self])]
                       /\ own' = [own EXCEPT ![self] = NULL]
                       /\ pc' = [pc EXCEPT ![self] = "C1"]
                       /\ UNCHANGED << task, job >>
                  ELSE /\ IF Does[job[self]] \notin {<< >>, <<"raise">>}
                             THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "submit",
                                                                              pc        |->  Head(stack[self]).pc,
                                                                              task      |->  task[self] ] >>
                                                                          \o Tail(stack[self])]
                                     /\ task' = [task EXCEPT ![self] = Does[job[self]][2]]
                                  /\ pc' = [pc EXCEPT ![self] = "S1"]
                                  /\ job' = job
                             ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ job' = [job EXCEPT ![self] = Head(stack[self]).job]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                  /\ task' = task
                       /\ own' = own
            /\ UNCHANGED << mutex, asleep, tickets, calls, shut, ended, thread, 
                            accepted, refused, closed, turn, taken >>

run(self) == R1(self)

C1(self) == /\ pc[self] = "C1"
            /\ own' = [own EXCEPT ![self] = thread]
            /\ pc' = [pc EXCEPT ![self] = "D1"]
            /\ UNCHANGED << mutex, asleep, tickets, calls, shut, ended, thread, 
                            ran, accepted, refused, closed, stack, task, job, 
                            turn, taken >>

D1(self) == /\ pc[self] = "D1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ pc' = [pc EXCEPT ![self] = "D2"]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

D2(self) == /\ pc[self] = "D2"
            /\ shut' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "D3"]
            /\ UNCHANGED << mutex, asleep, tickets, calls, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

D3(self) == /\ pc[self] = "D3"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ IF own[self] # self /\ ~ended
                  THEN /\ pc' = [pc EXCEPT ![self] = "D4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D7"]
            /\ UNCHANGED << mutex, asleep, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

D4(self) == /\ pc[self] = "D4"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "D5"]
            /\ UNCHANGED << tickets, calls, shut, ended, thread, ran, accepted, 
                            refused, closed, stack, task, job, own, turn, 
                            taken >>

D5(self) == /\ pc[self] = "D5"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "D6"]
            /\ UNCHANGED << mutex, calls, shut, ended, thread, ran, accepted, 
                            refused, closed, stack, task, job, own, turn, 
                            taken >>

D6(self) == /\ pc[self] = "D6"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF ~ended
                  THEN /\ pc' = [pc EXCEPT ![self] = "D4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D7"]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

D7(self) == /\ pc[self] = "D7"
            /\ mutex' = NULL
            /\ closed' = (closed \cup {self})
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ own' = [own EXCEPT ![self] = Head(stack[self]).own]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, task, job, turn, taken >>

close(self) == C1(self) \/ D1(self) \/ D2(self) \/ D3(self) \/ D4(self)
                  \/ D5(self) \/ D6(self) \/ D7(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "close"
                             THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "close",
                                                                           pc        |->  "T0",
                                                                           own       |->  own[self] ] >>
                                                                       \o stack[self]]
                                  /\ own' = [own EXCEPT ![self] = NULL]
                                  /\ pc' = [pc EXCEPT ![self] = "C1"]
                                  /\ task' = task
                             ELSE /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "submit",
                                                                              pc        |->  "T0",
                                                                              task      |->  task[self] ] >>
                                                                          \o stack[self]]
                                     /\ task' = [task EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                  /\ pc' = [pc EXCEPT ![self] = "S1"]
                                  /\ own' = own
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, task, own, turn >>
            /\ UNCHANGED << mutex, asleep, tickets, calls, shut, ended, thread, 
                            ran, accepted, refused, closed, job, taken >>

user(self) == T0(self)

B1(self) == /\ pc[self] = "B1"
            /\ thread' = self
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << mutex, asleep, tickets, calls, shut, ended, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

Y1(self) == /\ pc[self] = "Y1"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF calls # << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "Y5"]
                  ELSE /\ IF shut
                             THEN /\ pc' = [pc EXCEPT ![self] = "Y6"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "Y2"]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

Y2(self) == /\ pc[self] = "Y2"
            /\ mutex' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "Y3"]
            /\ UNCHANGED << tickets, calls, shut, ended, thread, ran, accepted, 
                            refused, closed, stack, task, job, own, turn, 
                            taken >>

Y3(self) == /\ pc[self] = "Y3"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "Y4"]
            /\ UNCHANGED << mutex, calls, shut, ended, thread, ran, accepted, 
                            refused, closed, stack, task, job, own, turn, 
                            taken >>

Y4(self) == /\ pc[self] = "Y4"
            /\ mutex = NULL
            /\ mutex' = self
            /\ IF calls # << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "Y5"]
                  ELSE /\ IF shut
                             THEN /\ pc' = [pc EXCEPT ![self] = "Y6"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "Y2"]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

Y5(self) == /\ pc[self] = "Y5"
            /\ taken' = [taken EXCEPT ![self] = Head(calls)]
            /\ calls' = Tail(calls)
            /\ pc' = [pc EXCEPT ![self] = "Y8"]
            /\ UNCHANGED << mutex, asleep, tickets, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn >>

Y6(self) == /\ pc[self] = "Y6"
            /\ ended' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "Y7"]
            /\ UNCHANGED << mutex, asleep, tickets, calls, shut, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

Y7(self) == /\ pc[self] = "Y7"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "Y8"]
            /\ UNCHANGED << mutex, asleep, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, stack, task, job, own, 
                            turn, taken >>

Y8(self) == /\ pc[self] = "Y8"
            /\ mutex' = NULL
            /\ IF taken[self] = NULL
                  THEN /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, job >>
                  ELSE /\ /\ job' = [job EXCEPT ![self] = taken[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "run",
                                                                   pc        |->  "T1",
                                                                   job       |->  job[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "R1"]
            /\ UNCHANGED << asleep, tickets, calls, shut, ended, thread, ran, 
                            accepted, refused, closed, task, own, turn, taken >>

T1(self) == /\ pc[self] = "T1"
            /\ taken' = [taken EXCEPT ![self] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << mutex, asleep, tickets, calls, shut, ended, thread, 
                            ran, accepted, refused, closed, stack, task, job, 
                            own, turn >>

worker(self) == B1(self) \/ Y1(self) \/ Y2(self) \/ Y3(self) \/ Y4(self)
                   \/ Y5(self) \/ Y6(self) \/ Y7(self) \/ Y8(self)
                   \/ T1(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet: submit(self) \/ run(self) \/ close(self))
           \/ (\E self \in Users: user(self))
           \/ (\E self \in Workers: worker(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Users : WF_vars(user(self)) /\ WF_vars(close(self)) /\ WF_vars(submit(self))
        /\ \A self \in Workers : /\ WF_vars(worker(self))
                                 /\ WF_vars(run(self))
                                 /\ WF_vars(submit(self))
                                 /\ WF_vars(close(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================

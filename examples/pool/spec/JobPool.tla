------------------------------ MODULE JobPool ------------------------------
(* Pool of pool.py.  Jobs that workers run, oldest first, until the pool is shut down. *)
EXTENDS Integers, Sequences, FiniteSets, Conditions, Containers

CONSTANTS
  Program,     \* thread |-> sequence of operations <<name, arguments>>
  NULL

Threads == DOMAIN Program
Operation(t, turn) == Program[t][turn - 1]  \* the one that t has begun

(*--algorithm JobPool
variables
  jobs = << >>,
  closed = FALSE,
  running = 0,
  done = << >>,
  owner = NULL,
  asleep = {},
  tickets = << >>;

fair process thread \in Threads
variables turn = 1, result = NULL, job = NULL, take_job = NULL, test = NULL, value = NULL;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      result := NULL;
      if Operation(self, turn)[1] = "submit" then
S1:     await owner = NULL;
        owner := self;
S2:     if closed then
          result := "Closed";
          goto S5;
        end if;
S3:     jobs := Append(jobs, Operation(self, turn)[2]);
S4:     tickets := Notified(tickets, asleep, 1);
S5:     owner := NULL;
      elsif Operation(self, turn)[1] = "work" then
Z1:     while TRUE do
W1:       await owner = NULL;
          owner := self;
Z2:       while TRUE do
W2:         test := ~(jobs # << >>);
            if test then
W3:           test := ~closed;
            end if;
Z3:         if ~test then
              goto Z4;
            end if;
W4:         owner := NULL;
            asleep := asleep \cup {self};
W5:         await Offered(tickets, self);
            tickets := Taken(tickets, self);
            asleep := asleep \ {self};
W6:         await owner = NULL;
            owner := self;
          end while;
Z4:       skip;
          take_job := NULL;
W7:       if (jobs # << >>) then
W8:         take_job := Head(jobs);
            jobs := Tail(jobs);
W9:         value := (running + 1);
W10:        running := value;
          end if;
W11:      owner := NULL;
          job := take_job;
          if (job = NULL) then
            goto T0;
          end if;
W12:      await owner = NULL;
          owner := self;
W13:      value := (running - 1);
W14:      running := value;
W15:      done := Append(done, job);
W16:      tickets := NotifiedAll(tickets, asleep);
W17:      owner := NULL;
        end while;
      elsif Operation(self, turn)[1] = "shutdown" then
SH1:    await owner = NULL;
        owner := self;
SH2:    closed := TRUE;
SH3:    tickets := NotifiedAll(tickets, asleep);
Z5:     while TRUE do
SH4:      test := (jobs # << >>);
          if ~test then
SH5:        test := (running > 0);
          end if;
Z6:       if ~test then
            goto Z7;
          end if;
SH6:      owner := NULL;
          asleep := asleep \cup {self};
SH7:      await Offered(tickets, self);
          tickets := Taken(tickets, self);
          asleep := asleep \ {self};
SH8:      await owner = NULL;
          owner := self;
        end while;
Z7:     skip;
SH9:    owner := NULL;
      elsif Operation(self, turn)[1] = "pending" then
P1:     await owner = NULL;
        owner := self;
P2:     result := Len(jobs);
P3:     owner := NULL;
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "e3ea2308" /\ chksum(tla) = "97218c43")
VARIABLES jobs, closed, running, done, owner, asleep, tickets, pc, turn, 
          result, job, take_job, test, value

vars == << jobs, closed, running, done, owner, asleep, tickets, pc, turn, 
           result, job, take_job, test, value >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ jobs = << >>
        /\ closed = FALSE
        /\ running = 0
        /\ done = << >>
        /\ owner = NULL
        /\ asleep = {}
        /\ tickets = << >>
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ result = [self \in Threads |-> NULL]
        /\ job = [self \in Threads |-> NULL]
        /\ take_job = [self \in Threads |-> NULL]
        /\ test = [self \in Threads |-> NULL]
        /\ value = [self \in Threads |-> NULL]
        /\ pc = [self \in ProcSet |-> "T0"]

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ result' = [result EXCEPT ![self] = NULL]
                       /\ IF Operation(self, turn'[self])[1] = "submit"
                             THEN /\ pc' = [pc EXCEPT ![self] = "S1"]
                             ELSE /\ IF Operation(self, turn'[self])[1] = "work"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "Z1"]
                                        ELSE /\ IF Operation(self, turn'[self])[1] = "shutdown"
                                                   THEN /\ pc' = [pc EXCEPT ![self] = "SH1"]
                                                   ELSE /\ IF Operation(self, turn'[self])[1] = "pending"
                                                              THEN /\ pc' = [pc EXCEPT ![self] = "P1"]
                                                              ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << turn, result >>
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, job, take_job, test, value >>

S1(self) == /\ pc[self] = "S1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "S2"]
            /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, turn, 
                            result, job, take_job, test, value >>

S2(self) == /\ pc[self] = "S2"
            /\ IF closed
                  THEN /\ result' = [result EXCEPT ![self] = "Closed"]
                       /\ pc' = [pc EXCEPT ![self] = "S5"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "S3"]
                       /\ UNCHANGED result
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, job, take_job, test, value >>

S3(self) == /\ pc[self] = "S3"
            /\ jobs' = Append(jobs, Operation(self, turn[self])[2])
            /\ pc' = [pc EXCEPT ![self] = "S4"]
            /\ UNCHANGED << closed, running, done, owner, asleep, tickets, 
                            turn, result, job, take_job, test, value >>

S4(self) == /\ pc[self] = "S4"
            /\ tickets' = Notified(tickets, asleep, 1)
            /\ pc' = [pc EXCEPT ![self] = "S5"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, turn, 
                            result, job, take_job, test, value >>

S5(self) == /\ pc[self] = "S5"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, turn, 
                            result, job, take_job, test, value >>

Z1(self) == /\ pc[self] = "Z1"
            /\ pc' = [pc EXCEPT ![self] = "W1"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

W1(self) == /\ pc[self] = "W1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "Z2"]
            /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, turn, 
                            result, job, take_job, test, value >>

Z2(self) == /\ pc[self] = "Z2"
            /\ pc' = [pc EXCEPT ![self] = "W2"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

W2(self) == /\ pc[self] = "W2"
            /\ test' = [test EXCEPT ![self] = ~(jobs # << >>)]
            /\ IF test'[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "W3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Z3"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, value >>

W3(self) == /\ pc[self] = "W3"
            /\ test' = [test EXCEPT ![self] = ~closed]
            /\ pc' = [pc EXCEPT ![self] = "Z3"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, value >>

Z3(self) == /\ pc[self] = "Z3"
            /\ IF ~test[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "Z4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W4"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

W4(self) == /\ pc[self] = "W4"
            /\ owner' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "W5"]
            /\ UNCHANGED << jobs, closed, running, done, tickets, turn, result, 
                            job, take_job, test, value >>

W5(self) == /\ pc[self] = "W5"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "W6"]
            /\ UNCHANGED << jobs, closed, running, done, owner, turn, result, 
                            job, take_job, test, value >>

W6(self) == /\ pc[self] = "W6"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "Z2"]
            /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, turn, 
                            result, job, take_job, test, value >>

Z4(self) == /\ pc[self] = "Z4"
            /\ TRUE
            /\ take_job' = [take_job EXCEPT ![self] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "W7"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, test, value >>

W7(self) == /\ pc[self] = "W7"
            /\ IF (jobs # << >>)
                  THEN /\ pc' = [pc EXCEPT ![self] = "W8"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W11"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

W8(self) == /\ pc[self] = "W8"
            /\ take_job' = [take_job EXCEPT ![self] = Head(jobs)]
            /\ jobs' = Tail(jobs)
            /\ pc' = [pc EXCEPT ![self] = "W9"]
            /\ UNCHANGED << closed, running, done, owner, asleep, tickets, 
                            turn, result, job, test, value >>

W9(self) == /\ pc[self] = "W9"
            /\ value' = [value EXCEPT ![self] = (running + 1)]
            /\ pc' = [pc EXCEPT ![self] = "W10"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test >>

W10(self) == /\ pc[self] = "W10"
             /\ running' = value[self]
             /\ pc' = [pc EXCEPT ![self] = "W11"]
             /\ UNCHANGED << jobs, closed, done, owner, asleep, tickets, turn, 
                             result, job, take_job, test, value >>

W11(self) == /\ pc[self] = "W11"
             /\ owner' = NULL
             /\ job' = [job EXCEPT ![self] = take_job[self]]
             /\ IF (job'[self] = NULL)
                   THEN /\ pc' = [pc EXCEPT ![self] = "T0"]
                   ELSE /\ pc' = [pc EXCEPT ![self] = "W12"]
             /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, 
                             turn, result, take_job, test, value >>

W12(self) == /\ pc[self] = "W12"
             /\ owner = NULL
             /\ owner' = self
             /\ pc' = [pc EXCEPT ![self] = "W13"]
             /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, 
                             turn, result, job, take_job, test, value >>

W13(self) == /\ pc[self] = "W13"
             /\ value' = [value EXCEPT ![self] = (running - 1)]
             /\ pc' = [pc EXCEPT ![self] = "W14"]
             /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                             tickets, turn, result, job, take_job, test >>

W14(self) == /\ pc[self] = "W14"
             /\ running' = value[self]
             /\ pc' = [pc EXCEPT ![self] = "W15"]
             /\ UNCHANGED << jobs, closed, done, owner, asleep, tickets, turn, 
                             result, job, take_job, test, value >>

W15(self) == /\ pc[self] = "W15"
             /\ done' = Append(done, job[self])
             /\ pc' = [pc EXCEPT ![self] = "W16"]
             /\ UNCHANGED << jobs, closed, running, owner, asleep, tickets, 
                             turn, result, job, take_job, test, value >>

W16(self) == /\ pc[self] = "W16"
             /\ tickets' = NotifiedAll(tickets, asleep)
             /\ pc' = [pc EXCEPT ![self] = "W17"]
             /\ UNCHANGED << jobs, closed, running, done, owner, asleep, turn, 
                             result, job, take_job, test, value >>

W17(self) == /\ pc[self] = "W17"
             /\ owner' = NULL
             /\ pc' = [pc EXCEPT ![self] = "Z1"]
             /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, 
                             turn, result, job, take_job, test, value >>

SH1(self) == /\ pc[self] = "SH1"
             /\ owner = NULL
             /\ owner' = self
             /\ pc' = [pc EXCEPT ![self] = "SH2"]
             /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, 
                             turn, result, job, take_job, test, value >>

SH2(self) == /\ pc[self] = "SH2"
             /\ closed' = TRUE
             /\ pc' = [pc EXCEPT ![self] = "SH3"]
             /\ UNCHANGED << jobs, running, done, owner, asleep, tickets, turn, 
                             result, job, take_job, test, value >>

SH3(self) == /\ pc[self] = "SH3"
             /\ tickets' = NotifiedAll(tickets, asleep)
             /\ pc' = [pc EXCEPT ![self] = "Z5"]
             /\ UNCHANGED << jobs, closed, running, done, owner, asleep, turn, 
                             result, job, take_job, test, value >>

Z5(self) == /\ pc[self] = "Z5"
            /\ pc' = [pc EXCEPT ![self] = "SH4"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

SH4(self) == /\ pc[self] = "SH4"
             /\ test' = [test EXCEPT ![self] = (jobs # << >>)]
             /\ IF ~test'[self]
                   THEN /\ pc' = [pc EXCEPT ![self] = "SH5"]
                   ELSE /\ pc' = [pc EXCEPT ![self] = "Z6"]
             /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                             tickets, turn, result, job, take_job, value >>

SH5(self) == /\ pc[self] = "SH5"
             /\ test' = [test EXCEPT ![self] = (running > 0)]
             /\ pc' = [pc EXCEPT ![self] = "Z6"]
             /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                             tickets, turn, result, job, take_job, value >>

Z6(self) == /\ pc[self] = "Z6"
            /\ IF ~test[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "Z7"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "SH6"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

SH6(self) == /\ pc[self] = "SH6"
             /\ owner' = NULL
             /\ asleep' = (asleep \cup {self})
             /\ pc' = [pc EXCEPT ![self] = "SH7"]
             /\ UNCHANGED << jobs, closed, running, done, tickets, turn, 
                             result, job, take_job, test, value >>

SH7(self) == /\ pc[self] = "SH7"
             /\ Offered(tickets, self)
             /\ tickets' = Taken(tickets, self)
             /\ asleep' = asleep \ {self}
             /\ pc' = [pc EXCEPT ![self] = "SH8"]
             /\ UNCHANGED << jobs, closed, running, done, owner, turn, result, 
                             job, take_job, test, value >>

SH8(self) == /\ pc[self] = "SH8"
             /\ owner = NULL
             /\ owner' = self
             /\ pc' = [pc EXCEPT ![self] = "Z5"]
             /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, 
                             turn, result, job, take_job, test, value >>

Z7(self) == /\ pc[self] = "Z7"
            /\ TRUE
            /\ pc' = [pc EXCEPT ![self] = "SH9"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, result, job, take_job, test, value >>

SH9(self) == /\ pc[self] = "SH9"
             /\ owner' = NULL
             /\ pc' = [pc EXCEPT ![self] = "T0"]
             /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, 
                             turn, result, job, take_job, test, value >>

P1(self) == /\ pc[self] = "P1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "P2"]
            /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, turn, 
                            result, job, take_job, test, value >>

P2(self) == /\ pc[self] = "P2"
            /\ result' = [result EXCEPT ![self] = Len(jobs)]
            /\ pc' = [pc EXCEPT ![self] = "P3"]
            /\ UNCHANGED << jobs, closed, running, done, owner, asleep, 
                            tickets, turn, job, take_job, test, value >>

P3(self) == /\ pc[self] = "P3"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << jobs, closed, running, done, asleep, tickets, turn, 
                            result, job, take_job, test, value >>

thread(self) == T0(self) \/ S1(self) \/ S2(self) \/ S3(self) \/ S4(self)
                   \/ S5(self) \/ Z1(self) \/ W1(self) \/ Z2(self)
                   \/ W2(self) \/ W3(self) \/ Z3(self) \/ W4(self)
                   \/ W5(self) \/ W6(self) \/ Z4(self) \/ W7(self)
                   \/ W8(self) \/ W9(self) \/ W10(self) \/ W11(self)
                   \/ W12(self) \/ W13(self) \/ W14(self) \/ W15(self)
                   \/ W16(self) \/ W17(self) \/ SH1(self) \/ SH2(self)
                   \/ SH3(self) \/ Z5(self) \/ SH4(self) \/ SH5(self)
                   \/ Z6(self) \/ SH6(self) \/ SH7(self) \/ SH8(self)
                   \/ Z7(self) \/ SH9(self) \/ P1(self) \/ P2(self)
                   \/ P3(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

\* A thread holds a lock.
Held == owner # NULL

\* The result of the operation that t has just ended.
Result(t) == result[t]
=============================================================================

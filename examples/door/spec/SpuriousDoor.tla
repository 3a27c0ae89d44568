---------------------------- MODULE SpuriousDoor ----------------------------
(* Door, where a wait may end without a notification: wake() awaits nothing. *)
EXTENDS Naturals, Sequences, Conditions

CONSTANTS
  Program,     \* thread |-> sequence of operations <<"enter">> or <<"unlock">>
  NULL

Threads == DOMAIN Program

(*--algorithm SpuriousDoor
variables
  opened = FALSE,
  inside = 0,        \* how many threads have entered
  owner = NULL,      \* the thread that holds the condition's lock
  asleep = {},       \* the threads that wait
  tickets = << >>;   \* notifications that no thread has taken

macro lock() begin await owner = NULL; owner := self; end macro;
macro wait() begin owner := NULL; asleep := asleep \cup {self}; end macro;
macro wake() begin
  tickets := Taken(tickets, self);
  asleep := asleep \ {self};
end macro;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "enter" then
E1:     lock();
E2:     while ~opened do
E3:       wait();
E4:       wake();
E5:       lock();
        end while;
E6:     inside := inside + 1;
E7:     owner := NULL;
      else
U1:     lock();
U2:     opened := TRUE;
U3:     tickets := NotifiedAll(tickets, asleep);
U4:     owner := NULL;
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "4870f39a" /\ chksum(tla) = "9e15a039")
VARIABLES opened, inside, owner, asleep, tickets, pc, turn

vars == << opened, inside, owner, asleep, tickets, pc, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ opened = FALSE
        /\ inside = 0
        /\ owner = NULL
        /\ asleep = {}
        /\ tickets = << >>
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ pc = [self \in ProcSet |-> "T0"]

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "enter"
                             THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "U1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ turn' = turn
            /\ UNCHANGED << opened, inside, owner, asleep, tickets >>

E1(self) == /\ pc[self] = "E1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << opened, inside, asleep, tickets, turn >>

E2(self) == /\ pc[self] = "E2"
            /\ IF ~opened
                  THEN /\ pc' = [pc EXCEPT ![self] = "E3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "E6"]
            /\ UNCHANGED << opened, inside, owner, asleep, tickets, turn >>

E3(self) == /\ pc[self] = "E3"
            /\ owner' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "E4"]
            /\ UNCHANGED << opened, inside, tickets, turn >>

E4(self) == /\ pc[self] = "E4"
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "E5"]
            /\ UNCHANGED << opened, inside, owner, turn >>

E5(self) == /\ pc[self] = "E5"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << opened, inside, asleep, tickets, turn >>

E6(self) == /\ pc[self] = "E6"
            /\ inside' = inside + 1
            /\ pc' = [pc EXCEPT ![self] = "E7"]
            /\ UNCHANGED << opened, owner, asleep, tickets, turn >>

E7(self) == /\ pc[self] = "E7"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << opened, inside, asleep, tickets, turn >>

U1(self) == /\ pc[self] = "U1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "U2"]
            /\ UNCHANGED << opened, inside, asleep, tickets, turn >>

U2(self) == /\ pc[self] = "U2"
            /\ opened' = TRUE
            /\ pc' = [pc EXCEPT ![self] = "U3"]
            /\ UNCHANGED << inside, owner, asleep, tickets, turn >>

U3(self) == /\ pc[self] = "U3"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "U4"]
            /\ UNCHANGED << opened, inside, owner, asleep, turn >>

U4(self) == /\ pc[self] = "U4"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << opened, inside, asleep, tickets, turn >>

thread(self) == T0(self) \/ E1(self) \/ E2(self) \/ E3(self) \/ E4(self)
                   \/ E5(self) \/ E6(self) \/ E7(self) \/ U1(self)
                   \/ U2(self) \/ U3(self) \/ U4(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

NotEarly == inside > 0 => opened
SomeoneWaits == asleep # {}
=============================================================================

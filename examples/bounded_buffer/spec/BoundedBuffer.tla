--------------------------- MODULE BoundedBuffer ---------------------------
(* A buffer with room for Capacity items.  Producers wait for room, consumers for an item. *)
EXTENDS Naturals, Sequences, Conditions

CONSTANT Program  \* thread |-> sequence of operations <<"put", item>> or <<"get">>
CONSTANTS Capacity, NULL

Threads == DOMAIN Program
Operation(t, turn) == Program[t][turn - 1]  \* the one that t has begun

(*--algorithm BoundedBuffer
variables
  items = << >>,
  owner = NULL,      \* the thread that holds the condition's lock
  asleep = {},       \* the threads that wait
  tickets = << >>;   \* notifications that no thread has taken

macro lock() begin await owner = NULL; owner := self; end macro;
macro wait() begin owner := NULL; asleep := asleep \cup {self}; end macro;
macro wake() begin
  await Offered(tickets, self);
  tickets := Taken(tickets, self);
  asleep := asleep \ {self};
end macro;

fair process thread \in Threads
variables turn = 1, got = NULL;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Operation(self, turn)[1] = "put" then
P1:     lock();
P2:     while Len(items) = Capacity do
P3:       wait();
P4:       wake();
P5:       lock();
        end while;
P6:     items := Append(items, Operation(self, turn)[2]);
P7:     tickets := NotifiedAll(tickets, asleep);
P8:     owner := NULL;
      else
G1:     lock();
G2:     while Len(items) = 0 do
G3:       wait();
G4:       wake();
G5:       lock();
        end while;
G6:     got := Head(items);
        items := Tail(items);
G7:     tickets := NotifiedAll(tickets, asleep);
G8:     owner := NULL;
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "2a4e18d1" /\ chksum(tla) = "1cd18f82")
VARIABLES items, owner, asleep, tickets, pc, turn, got

vars == << items, owner, asleep, tickets, pc, turn, got >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ items = << >>
        /\ owner = NULL
        /\ asleep = {}
        /\ tickets = << >>
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ got = [self \in Threads |-> NULL]
        /\ pc = [self \in ProcSet |-> "T0"]

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Operation(self, turn'[self])[1] = "put"
                             THEN /\ pc' = [pc EXCEPT ![self] = "P1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "G1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ turn' = turn
            /\ UNCHANGED << items, owner, asleep, tickets, got >>

P1(self) == /\ pc[self] = "P1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "P2"]
            /\ UNCHANGED << items, asleep, tickets, turn, got >>

P2(self) == /\ pc[self] = "P2"
            /\ IF Len(items) = Capacity
                  THEN /\ pc' = [pc EXCEPT ![self] = "P3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P6"]
            /\ UNCHANGED << items, owner, asleep, tickets, turn, got >>

P3(self) == /\ pc[self] = "P3"
            /\ owner' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "P4"]
            /\ UNCHANGED << items, tickets, turn, got >>

P4(self) == /\ pc[self] = "P4"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "P5"]
            /\ UNCHANGED << items, owner, turn, got >>

P5(self) == /\ pc[self] = "P5"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "P2"]
            /\ UNCHANGED << items, asleep, tickets, turn, got >>

P6(self) == /\ pc[self] = "P6"
            /\ items' = Append(items, Operation(self, turn[self])[2])
            /\ pc' = [pc EXCEPT ![self] = "P7"]
            /\ UNCHANGED << owner, asleep, tickets, turn, got >>

P7(self) == /\ pc[self] = "P7"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "P8"]
            /\ UNCHANGED << items, owner, asleep, turn, got >>

P8(self) == /\ pc[self] = "P8"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << items, asleep, tickets, turn, got >>

G1(self) == /\ pc[self] = "G1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << items, asleep, tickets, turn, got >>

G2(self) == /\ pc[self] = "G2"
            /\ IF Len(items) = 0
                  THEN /\ pc' = [pc EXCEPT ![self] = "G3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "G6"]
            /\ UNCHANGED << items, owner, asleep, tickets, turn, got >>

G3(self) == /\ pc[self] = "G3"
            /\ owner' = NULL
            /\ asleep' = (asleep \cup {self})
            /\ pc' = [pc EXCEPT ![self] = "G4"]
            /\ UNCHANGED << items, tickets, turn, got >>

G4(self) == /\ pc[self] = "G4"
            /\ Offered(tickets, self)
            /\ tickets' = Taken(tickets, self)
            /\ asleep' = asleep \ {self}
            /\ pc' = [pc EXCEPT ![self] = "G5"]
            /\ UNCHANGED << items, owner, turn, got >>

G5(self) == /\ pc[self] = "G5"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << items, asleep, tickets, turn, got >>

G6(self) == /\ pc[self] = "G6"
            /\ got' = [got EXCEPT ![self] = Head(items)]
            /\ items' = Tail(items)
            /\ pc' = [pc EXCEPT ![self] = "G7"]
            /\ UNCHANGED << owner, asleep, tickets, turn >>

G7(self) == /\ pc[self] = "G7"
            /\ tickets' = NotifiedAll(tickets, asleep)
            /\ pc' = [pc EXCEPT ![self] = "G8"]
            /\ UNCHANGED << items, owner, asleep, turn, got >>

G8(self) == /\ pc[self] = "G8"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << items, asleep, tickets, turn, got >>

thread(self) == T0(self) \/ P1(self) \/ P2(self) \/ P3(self) \/ P4(self)
                   \/ P5(self) \/ P6(self) \/ P7(self) \/ P8(self)
                   \/ G1(self) \/ G2(self) \/ G3(self) \/ G4(self)
                   \/ G5(self) \/ G6(self) \/ G7(self) \/ G8(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

Bounded == Len(items) <= Capacity
ProducerWaits == \E t \in asleep : pc[t] = "P4"

\* The result of the operation that t has just ended.
Result(t) == IF Operation(t, turn[t])[1] = "get" THEN got[t] ELSE NULL
=============================================================================

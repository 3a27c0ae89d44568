---------------------------- MODULE ConnectionPool ----------------------------
(* Connections that threads share.  A thread borrows any one that is free. *)
EXTENDS Naturals, Sequences

CONSTANTS
  Program,      \* thread |-> sequence of operations <<"use">> or <<"close", connection>>
  Connections,
  NULL

Threads == DOMAIN Program
Operation(t, turn) == Program[t][turn - 1]  \* the one that t has begun

(*--algorithm ConnectionPool
variables free = Connections, closed = {}, owner = NULL;

macro lock() begin await owner = NULL; owner := self; end macro;
macro unlock() begin owner := NULL; end macro;

fair process thread \in Threads
variables turn = 1, got = NULL, known = {};
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      got := NULL;
      if Operation(self, turn)[1] = "use" then
B1:     lock();
B2:     known := free;
        if known # {} then
B3:       with one \in known do got := one; end with;
          known := {};
B4:       free := free \ {got};
        end if;
B5:     unlock();
        if got # NULL then
G1:       lock();
G2:       free := free \cup {got};
G3:       unlock();
        end if;
      else
C1:     lock();
C2:     if Operation(self, turn)[2] \in free then
C3:       free := free \ {Operation(self, turn)[2]};
C4:       closed := closed \cup {Operation(self, turn)[2]};
        end if;
C5:     unlock();
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES free, closed, owner, pc, turn, got, known

vars == << free, closed, owner, pc, turn, got, known >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ free = Connections
        /\ closed = {}
        /\ owner = NULL
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ got = [self \in Threads |-> NULL]
        /\ known = [self \in Threads |-> {}]
        /\ pc = [self \in ProcSet |-> "T0"]

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ got' = [got EXCEPT ![self] = NULL]
                       /\ IF Operation(self, turn'[self])[1] = "use"
                             THEN /\ pc' = [pc EXCEPT ![self] = "B1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "C1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << turn, got >>
            /\ UNCHANGED << free, closed, owner, known >>

B1(self) == /\ pc[self] = "B1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << free, closed, turn, got, known >>

B2(self) == /\ pc[self] = "B2"
            /\ known' = [known EXCEPT ![self] = free]
            /\ IF known'[self] # {}
                  THEN /\ pc' = [pc EXCEPT ![self] = "B3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "B5"]
            /\ UNCHANGED << free, closed, owner, turn, got >>

B3(self) == /\ pc[self] = "B3"
            /\ \E one \in known[self]:
                 got' = [got EXCEPT ![self] = one]
            /\ known' = [known EXCEPT ![self] = {}]
            /\ pc' = [pc EXCEPT ![self] = "B4"]
            /\ UNCHANGED << free, closed, owner, turn >>

B4(self) == /\ pc[self] = "B4"
            /\ free' = free \ {got[self]}
            /\ pc' = [pc EXCEPT ![self] = "B5"]
            /\ UNCHANGED << closed, owner, turn, got, known >>

B5(self) == /\ pc[self] = "B5"
            /\ owner' = NULL
            /\ IF got[self] # NULL
                  THEN /\ pc' = [pc EXCEPT ![self] = "G1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << free, closed, turn, got, known >>

G1(self) == /\ pc[self] = "G1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << free, closed, turn, got, known >>

G2(self) == /\ pc[self] = "G2"
            /\ free' = (free \cup {got[self]})
            /\ pc' = [pc EXCEPT ![self] = "G3"]
            /\ UNCHANGED << closed, owner, turn, got, known >>

G3(self) == /\ pc[self] = "G3"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << free, closed, turn, got, known >>

C1(self) == /\ pc[self] = "C1"
            /\ owner = NULL
            /\ owner' = self
            /\ pc' = [pc EXCEPT ![self] = "C2"]
            /\ UNCHANGED << free, closed, turn, got, known >>

C2(self) == /\ pc[self] = "C2"
            /\ IF Operation(self, turn[self])[2] \in free
                  THEN /\ pc' = [pc EXCEPT ![self] = "C3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C5"]
            /\ UNCHANGED << free, closed, owner, turn, got, known >>

C3(self) == /\ pc[self] = "C3"
            /\ free' = free \ {Operation(self, turn[self])[2]}
            /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << closed, owner, turn, got, known >>

C4(self) == /\ pc[self] = "C4"
            /\ closed' = (closed \cup {Operation(self, turn[self])[2]})
            /\ pc' = [pc EXCEPT ![self] = "C5"]
            /\ UNCHANGED << free, owner, turn, got, known >>

C5(self) == /\ pc[self] = "C5"
            /\ owner' = NULL
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << free, closed, turn, got, known >>

thread(self) == T0(self) \/ B1(self) \/ B2(self) \/ B3(self) \/ B4(self)
                   \/ B5(self) \/ G1(self) \/ G2(self) \/ G3(self)
                   \/ C1(self) \/ C2(self) \/ C3(self) \/ C4(self)
                   \/ C5(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : WF_vars(thread(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION

Borrows(t) == pc[t] \in {"B4", "B5", "G1", "G2"} /\ got[t] # NULL

BorrowsOpen == \A t \in Threads : Borrows(t) => got[t] \notin closed
BorrowsAlone == \A t, u \in Threads :
  Borrows(t) /\ Borrows(u) /\ pc[t] # "B4" /\ pc[u] # "B4" /\ got[t] = got[u] => t = u

NoneFree == free = {}

\* The result of the operation that t has just ended.
Result(t) == got[t]
=============================================================================

------------------------ MODULE ReadWriteLockAtomic ------------------------
(***************************************************************************)
(* The read/write lock as the layers above it see it: to enter is one step, *)
(* which waits for its moment, and to leave is another.                     *)
(* ReadWriteLockRefinement shows that the lock on Python's condition does   *)
(* nothing that is not allowed here.                                        *)
(*                                                                          *)
(* The lock itself allows less: a reader waits while a writer waits.  So a  *)
(* layer above must not let a reader wait for another reader: here the      *)
(* second one could enter, there it may have to wait for a writer that      *)
(* waits for the first.  tests/spec/test_readers.py looks for such readers. *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS Program, NULL

Interrupters == {t \in DOMAIN Program : Program[t][1][1] = "interrupt"}
Threads      == DOMAIN Program \ Interrupters

VARIABLES readers, writer, page,
  place,    \* thread |-> "idle", "asks", "inside" or "leaves"
  turn
vars == <<readers, writer, page, place, turn>>

Name(t) == Program[t][turn[t] - 1][1]      \* of the operation that t is in

Init == /\ readers = {} /\ writer = NULL /\ page = 0
        /\ turn = [t \in Threads |-> 1]
        /\ place = [t \in Threads |-> "idle"]

Begin(t) == /\ place[t] = "idle" /\ turn[t] <= Len(Program[t])
            /\ turn' = [turn EXCEPT ![t] = @ + 1]
            /\ place' = [place EXCEPT ![t] = "asks"]
            /\ UNCHANGED <<readers, writer, page>>

EnterToRead(t) == /\ place[t] = "asks" /\ Name(t) = "read"
                  /\ writer = NULL
                  /\ readers' = readers \cup {t}
                  /\ place' = [place EXCEPT ![t] = "inside"]
                  /\ UNCHANGED <<writer, page, turn>>

EnterToWrite(t) == /\ place[t] = "asks" /\ Name(t) = "write"
                   /\ writer = NULL /\ readers = {}
                   /\ writer' = t
                   /\ place' = [place EXCEPT ![t] = "inside"]
                   /\ UNCHANGED <<readers, page, turn>>

Use(t) == /\ place[t] = "inside"
          /\ page' = IF Name(t) = "write" THEN page + 1 ELSE page
          /\ place' = [place EXCEPT ![t] = "leaves"]
          /\ UNCHANGED <<readers, writer, turn>>

Leave(t) == /\ place[t] = "leaves"
            /\ IF Name(t) = "read"
               THEN readers' = readers \ {t} /\ UNCHANGED writer
               ELSE writer' = NULL /\ UNCHANGED readers
            /\ place' = [place EXCEPT ![t] = "idle"]
            /\ UNCHANGED <<page, turn>>

\* A thread that waits is interrupted, if the scenario has an interrupter.
Interrupted(t) == /\ place[t] = "asks"
                  /\ \E i \in Interrupters : Program[i][1] = <<"interrupt", t>>
                  /\ place' = [place EXCEPT ![t] = "idle"]
                  /\ UNCHANGED <<readers, writer, page, turn>>

Step(t) == Begin(t) \/ EnterToRead(t) \/ EnterToWrite(t) \/ Use(t) \/ Leave(t)
AllDone == \A t \in Threads : place[t] = "idle" /\ turn[t] > Len(Program[t])

\* Stuttering at the end keeps the deadlock check meaningful.
Terminating == AllDone /\ UNCHANGED vars
Next == (\E t \in Threads : Step(t) \/ Interrupted(t)) \/ Terminating
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ \A t \in Threads : WF_vars(Step(t))

Termination == <>AllDone
=============================================================================

------------------------ MODULE TimerTaskListAtomic ------------------------
(***************************************************************************)
(* TimerTaskList as a layer above it may see it: lists are sets, an add is  *)
(* one step, and pointers, list monitors and entry monitors are not known.  *)
(* TimerTaskListRefinement shows that the pointer-level list does nothing   *)
(* that is not allowed here, so a spec of the timer may use these steps.    *)
(*                                                                          *)
(* What is left of the concurrency, and may not be abstracted away:         *)
(*   - an entry on its way from one list to another is HELD by its mover.   *)
(*     It still counts as a member of the list that it is leaving, but a    *)
(*     remove that comes meanwhile may MISS it: return without effect;      *)
(*   - a flush reads whether an entry is cancelled in one step and links it *)
(*     in a later one: a cancel that falls in between comes too late;       *)
(*   - a remove may unlink more than once, if others keep adding the entry. *)
(* Simplified away besides: the order within a list, and the task counter,  *)
(* which lags behind the lists and agrees with them only at rest.           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS       \* as in TimerTaskList
  Lists,        \* the buckets
  TaskOf,       \* entry |-> its task
  Ring,         \* list |-> the entries in it at the start
  Current,      \* the entries that their tasks point at, at the start
  Program,      \* thread |-> sequence of operations <<name, argument, ...>>
  NULL

CONSTANTS       \* TRUE and FALSE is what holds; the other value of each promises too much
  MissAllowed,  \* a remove may return without effect while a mover holds the entry
  OneEffect     \* a remove unlinks at most once

ASSUME MissAllowedIsBoolean == MissAllowed \in BOOLEAN
ASSUME OneEffectIsBoolean   == OneEffect \in BOOLEAN

Entries == DOMAIN TaskOf
Tasks   == {TaskOf[e] : e \in Entries}
Threads == DOMAIN Program

VARIABLES
  members,         \* list |-> the entries in it, held ones included
  mover,           \* entry |-> the thread that holds it between two lists, or NULL
  timerTaskEntry,  \* task |-> its current entry, or NULL: a cancelled task has none
  taskOwner,       \* task |-> the thread in its monitor, or NULL
  turn,            \* thread |-> the next operation of its program
  phase,           \* thread |-> what it will do next, as in Phases
  picked           \* thread |-> the entry that its flush is dealing with, or NULL

lists  == <<members, mover>>
tasks  == <<timerTaskEntry, taskOwner>>
thread == <<turn, phase, picked>>
vars   == <<lists, tasks, thread>>

\* The phase in which each operation starts; "idle" is between operations.
FirstPhase == [add |-> "linking", remove |-> "removing", cancel |-> "entering",
               schedule |-> "entering", flush |-> "flushing", expire |-> "flushing"]
Phases == {"idle", "linking", "removing", "entering", "reading", "setting", "releasing",
           "checking", "flushing", "held", "moving"}

Operation(t) == Program[t][turn[t] - 1]      \* the one that t is in
Name(t)      == Operation(t)[1]
Goto(t, p)   == phase' = [phase EXCEPT ![t] = p] /\ UNCHANGED turn

Linked(e)  == \E l \in Lists : e \in members[l]
Held(e)    == mover[e] # NULL
IsCurrent(e) == timerTaskEntry[TaskOf[e]] = e

\* Into d and out of every other list; into no list when d is NULL.  No thread holds e any longer.
Put(e, d) == /\ members' = [l \in Lists |-> IF l = d THEN members[l] \cup {e} ELSE members[l] \ {e}]
             /\ mover' = [mover EXCEPT ![e] = NULL]

Init == /\ members = [l \in Lists |-> {Ring[l][i] : i \in DOMAIN Ring[l]}]
        /\ mover = [e \in Entries |-> NULL]
        /\ timerTaskEntry = [x \in Tasks |->
             IF \E e \in Current : TaskOf[e] = x
             THEN CHOOSE e \in Current : TaskOf[e] = x ELSE NULL]
        /\ taskOwner = [x \in Tasks |-> NULL]
        /\ turn = [t \in Threads |-> 1]
        /\ phase = [t \in Threads |-> "idle"]
        /\ picked = [t \in Threads |-> NULL]

Begin(t) == /\ phase[t] = "idle" /\ turn[t] <= Len(Program[t])
            /\ turn' = [turn EXCEPT ![t] = @ + 1]
            /\ phase' = [phase EXCEPT ![t] = FirstPhase[Program[t][turn[t]][1]]]
            /\ UNCHANGED <<lists, tasks, picked>>

-----------------------------------------------------------------------------
(* add *)

\* An add, or the add at the end of a move, finds its entry in a list: it takes hold of it before
\* it links it.  Removers miss the entry from here on.
TakeHold(t, e) == /\ Linked(e) /\ ~Held(e)
                  /\ mover' = [mover EXCEPT ![e] = t]
                  /\ UNCHANGED <<members, tasks, thread>>

AddTakesHold(t) == phase[t] = "linking" /\ TakeHold(t, Operation(t)[3])

\* The one step of an add.  It does not matter who holds the entry: a hold keeps off removers,
\* never adders, so of two adders of one entry the later one has it.
Link(t) == /\ phase[t] = "linking"
           /\ Put(Operation(t)[3], Operation(t)[2])
           /\ Goto(t, "idle")
           /\ UNCHANGED <<tasks, picked>>

-----------------------------------------------------------------------------
(* remove: on its own, and inside cancel and schedule *)

\* Which task's monitor t is about to enter, or is in.
Task(t) == IF Name(t) = "schedule" THEN TaskOf[Operation(t)[3]] ELSE Operation(t)[2]
Target(t) == IF Name(t) = "remove" THEN Operation(t)[2] ELSE timerTaskEntry[Task(t)]
AfterRemove(t) == IF Name(t) = "remove" THEN "idle" ELSE "setting"

\* The entry is taken out of its list.  The remove goes on, for the entry may be back in a list
\* before it has looked again.
RemoveUnlinks(t) == /\ phase[t] = "removing"
                    /\ Linked(Target(t)) /\ ~Held(Target(t))
                    /\ Put(Target(t), NULL)
                    /\ Goto(t, IF OneEffect THEN AfterRemove(t) ELSE "removing")
                    /\ UNCHANGED <<tasks, picked>>

\* The remove reads that the entry is in no list.  That is so if it is in none, or if a mover has
\* taken it out and not linked it yet: the miss.
RemoveReturns(t) == /\ phase[t] = "removing"
                    /\ ~Linked(Target(t)) \/ (MissAllowed /\ Held(Target(t)))
                    /\ Goto(t, AfterRemove(t))
                    /\ UNCHANGED <<lists, tasks, picked>>

-----------------------------------------------------------------------------
(* cancel, and setTimerTaskEntry as the first half of schedule *)

\* One thread at a time changes a task's entry.
Enter(t) == /\ phase[t] = "entering" /\ taskOwner[Task(t)] = NULL
            /\ taskOwner' = [taskOwner EXCEPT ![Task(t)] = t]
            /\ Goto(t, "reading")
            /\ UNCHANGED <<lists, timerTaskEntry, picked>>

\* The old entry has to go, unless there is none or it is the new one.
Read(t) == /\ phase[t] = "reading"
           /\ Goto(t, IF \/ timerTaskEntry[Task(t)] = NULL
                         \/ Name(t) = "schedule" /\ IsCurrent(Operation(t)[3])
                      THEN "setting" ELSE "removing")
           /\ UNCHANGED <<lists, tasks, picked>>

\* From here on a check sees that the old entry is cancelled, wherever it is linked.
Set(t) == /\ phase[t] = "setting"
          /\ timerTaskEntry' = [timerTaskEntry EXCEPT ![Task(t)] =
               IF Name(t) = "schedule" THEN Operation(t)[3] ELSE NULL]
          /\ Goto(t, "releasing")
          /\ UNCHANGED <<lists, taskOwner, picked>>

Release(t) == /\ phase[t] = "releasing"
              /\ taskOwner' = [taskOwner EXCEPT ![Task(t)] = NULL]
              /\ Goto(t, IF Name(t) = "schedule" THEN "checking" ELSE "idle")
              /\ UNCHANGED <<lists, timerTaskEntry, picked>>

\* The second half of schedule: the new entry is linked unless a cancel was faster.
CheckNew(t) == /\ phase[t] = "checking"
               /\ Goto(t, IF IsCurrent(Operation(t)[3]) THEN "linking" ELSE "idle")
               /\ UNCHANGED <<lists, tasks, picked>>

-----------------------------------------------------------------------------
(* flush and expire *)

Destination(t) == IF Name(t) = "expire" THEN NULL ELSE Operation(t)[3]

\* Flush takes hold of any entry of its list, one after another.
Pick(t) == /\ phase[t] = "flushing"
           /\ \E e \in members[Operation(t)[2]] : /\ ~Held(e)
                                                  /\ mover' = [mover EXCEPT ![e] = t]
                                                  /\ picked' = [picked EXCEPT ![t] = e]
           /\ Goto(t, "held")
           /\ UNCHANGED <<members, tasks>>

\* Reads the task's pointer.  A cancelled entry is dropped in this very step, unless an adder has
\* linked it again in the meantime.
Check(t) == /\ phase[t] = "held"
            /\ IF IsCurrent(picked[t])
               THEN Goto(t, "moving") /\ UNCHANGED <<lists, picked>>
               ELSE /\ IF mover[picked[t]] = t THEN Put(picked[t], NULL) ELSE UNCHANGED lists
                    /\ picked' = [picked EXCEPT ![t] = NULL]
                    /\ Goto(t, "flushing")
            /\ UNCHANGED tasks

\* An adder was faster: the move begins anew from the list in which the entry is now.
MoveTakesHold(t) == phase[t] = "moving" /\ Destination(t) # NULL /\ TakeHold(t, picked[t])

Move(t) == /\ phase[t] = "moving" /\ Destination(t) # NULL
           /\ Put(picked[t], Destination(t))
           /\ picked' = [picked EXCEPT ![t] = NULL]
           /\ Goto(t, "flushing")
           /\ UNCHANGED tasks

\* To the executor.  An entry that an adder has linked again is handed over and stays linked.
HandOver(t) == /\ phase[t] = "moving" /\ Destination(t) = NULL
               /\ IF mover[picked[t]] = t THEN Put(picked[t], NULL) ELSE UNCHANGED lists
               /\ picked' = [picked EXCEPT ![t] = NULL]
               /\ Goto(t, "flushing")
               /\ UNCHANGED tasks

\* Nothing is left but what others hold.
FlushReturns(t) == /\ phase[t] = "flushing"
                   /\ \A e \in members[Operation(t)[2]] : Held(e)
                   /\ Goto(t, "idle")
                   /\ UNCHANGED <<lists, tasks, picked>>

-----------------------------------------------------------------------------
Step(t) == \/ Begin(t)
           \/ AddTakesHold(t) \/ Link(t)
           \/ RemoveUnlinks(t) \/ RemoveReturns(t)
           \/ Enter(t) \/ Read(t) \/ Set(t) \/ Release(t) \/ CheckNew(t)
           \/ Pick(t) \/ Check(t) \/ MoveTakesHold(t) \/ Move(t) \/ HandOver(t) \/ FlushReturns(t)
AllDone == \A t \in Threads : phase[t] = "idle" /\ turn[t] > Len(Program[t])

\* Stuttering at the end keeps the deadlock check meaningful.
Next == (\E t \in Threads : Step(t)) \/ (AllDone /\ UNCHANGED vars)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ \A t \in Threads : WF_vars(Step(t))

TypeOK == /\ members \in [Lists -> SUBSET Entries]
          /\ mover \in [Entries -> Threads \cup {NULL}]
          /\ timerTaskEntry \in [Tasks -> Entries \cup {NULL}]
          /\ taskOwner \in [Tasks -> Threads \cup {NULL}]
          /\ phase \in [Threads -> Phases]
          /\ picked \in [Threads -> Entries \cup {NULL}]
          /\ \A t \in Threads : turn[t] \in 1..Len(Program[t]) + 1

\* In every state, in the middle of a move too.
AtMostOneList == \A e \in Entries : Cardinality({l \in Lists : e \in members[l]}) <= 1

\* Who holds an entry holds it somewhere, and a flush that holds one has picked it.
HeldIsLinked == \A e \in Entries : Held(e) =>
  Linked(e) /\ (phase[mover[e]] \in {"held", "moving"} => picked[mover[e]] = e)

\* Not a property, as in TimerTaskList: the entry stays linked if the remove misses it, or if its
\* check comes before the cancel and its link after it.
CancelledUnlinked == AllDone => \A e \in Entries : Linked(e) => IsCurrent(e)
=============================================================================

------------------ MODULE TimerTaskListRefinementHistory -------------------
(***************************************************************************)
(* The refinement for programs in which several threads may add one entry.  *)
(* Then pc and stack do not say who took an entry out of which list: an     *)
(* adder may have done it before it lost the race for the entry's monitor.  *)
(* Two history variables remember it.  They are functions of the past, read *)
(* by no step, so that the algorithm's behaviour stays what it was; they    *)
(* add no states either.                                                    *)
(***************************************************************************)
EXTENDS TimerTaskListRefinement

VARIABLES
  home,      \* entry |-> the list that it is leaving, or NULL
  holder,    \* entry |-> the thread that took it out in order to put it elsewhere, or NULL
  unlinked   \* thread |-> its remove has unlinked; kept only for OneEffect, else FALSE

history == <<home, holder, unlinked>>
hvars   == <<vars, history>>

HInit == /\ Init
         /\ home = [e \in Entries |-> NULL]
         /\ holder = [e \in Entries |-> NULL]
         /\ unlinked = [t \in Threads |-> FALSE]

\* What a step of t makes of the pair <<home, holder>> of e.  A remove holds nothing; a drop and a
\* hand-over, K1 and K2 back to the flush, let go; so does any link, by any thread.
NotHeld == <<NULL, NULL>>
Remembered(t, e) ==
  CASE IsMember(e)' -> NotHeld
    [] IsMember(e) /\ ~IsMember(e)' ->
         IF Inside(t, "add") \/ Inside(t, "flush")
         THEN <<CHOOSE l \in Lists : e \in MembersOf(l), t>> ELSE NotHeld
    [] OTHER ->
         IF holder[e] = t /\ pc[t] \in {"K1", "K2"} /\ pc'[t] = "F2"
         THEN NotHeld ELSE <<home[e], holder[e]>>

Remember(t) ==
  /\ home'   = [e \in Entries |-> Remembered(t, e)[1]]
  /\ holder' = [e \in Entries |-> Remembered(t, e)[2]]
  /\ unlinked' = IF ~OneEffect THEN unlinked ELSE
       [unlinked EXCEPT ![t] = /\ phaseBar[t] = "removing"
                               /\ @ \/ \E e \in Entries : IsMember(e) /\ ~IsMember(e)']

HStep(t) == /\ \/ thread(t) \/ unlink(t) \/ remove(t) \/ add(t) \/ addTimerTaskEntry(t)
               \/ flush(t) \/ setTimerTaskEntry(t) \/ cancel(t)
            /\ Remember(t)
HNext == (\E t \in Threads : HStep(t)) \/ (Terminating /\ UNCHANGED history)
HSpec == HInit /\ [][HNext]_hvars
HFairSpec == HSpec /\ \A t \in Threads : WF_hvars(HStep(t))

\* An entry that is held still belongs to the list that it is leaving.
membersHat == [l \in Lists |->
  MembersOf(l) \cup {e \in Entries : holder[e] # NULL /\ home[e] = l}]

\* A remove that may have one effect is over when it has had it.
IsOver(t) == unlinked[t]
phaseHat == [t \in Threads |->
  IF phaseBar[t] # "removing" \/ ~IsOver(t) THEN phaseBar[t]
  ELSE IF Inside(t, "cancel") \/ Inside(t, "setTimerTaskEntry") THEN "setting" ELSE "idle"]

Abs == INSTANCE TimerTaskListAtomic WITH
  members <- membersHat, mover <- holder, taskOwner <- taskOwnerBar,
  phase <- phaseHat, picked <- pickedBar     \* timerTaskEntry and turn are themselves

Refines == Abs!Spec
RefinesFair == Abs!FairSpec
=============================================================================

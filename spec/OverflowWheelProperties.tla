------------------------ MODULE OverflowWheelProperties -----------------------
\* What must hold of OverflowWheel, and what its scenarios must reach.
EXTENDS OverflowWheel

AllDone == \A p \in DOMAIN Program : pc[p] = "Done"

\* No thread sees a half-built overflow wheel.
SafePublication == \A t \in Threads : foundWheel[t] # NULL => foundTime[t] = "start"

\* There is one overflow wheel: all threads are given the same.
OneOverflowWheel == \A t, u \in Threads :
  foundWheel[t] # NULL /\ foundWheel[u] # NULL => foundWheel[t] = foundWheel[u]

\* A cancel that begins when the entry is linked and no thread is at it leaves it in no list.
CancelUnlinks == unlinked => Stored(buffer, "list", "e", list) = NULL

\* No check made after cancel has returned lets the entry through.
CancelWins == ~slipped

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) ==
  /\ \A t \in P \cap Threads :
       WF_vars(thread(t) \/ parent(t) \/ unlink(t) \/ remove(t) \/ add(t) \/ cancel(t))
  /\ \A m \in P \cap Memories : WF_vars(memory(m))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A wheel's time is not in memory yet, and another thread is about to read the wheel.
HalfBuilt == \E t \in Threads : pc[t] = "O1" /\
  \E i \in DOMAIN buffer : buffer[i][1] # t /\ buffer[i][2] = "current_time"

\* A thread has the monitor and finds that the wheel has been made.
ComesTooLate == \E t \in Threads : pc[t] = "O3" /\ overflowWheel # NULL

\* A cancel is about to look for the list of an entry that is linked.
CancelledWhenLinked == \E t \in late : pc[t] = "R1"

\* A check comes after cancel has returned.
CheckedAfterCancel == revoked /\ \E t \in Threads : pc[t] = "K1"
===============================================================================

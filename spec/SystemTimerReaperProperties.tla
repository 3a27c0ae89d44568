---------------------- MODULE SystemTimerReaperProperties ---------------------
\* What must hold of SystemTimerReaper, and what its scenarios must reach.
EXTENDS SystemTimerReaper

\* The timer is closed when the reaper has ended, unless the reaper itself closes it.
ReaperEndsFirst == ~early

\* Once the timer is closed, no poll begins.
PollsNoMore == ~late

\* The reaper's thread does not end before it is stopped.
ReapsUntilClosed == ended => stopping

\* When a close has returned, the timer is closed.
ClosesItsTimer == \A t \in Closers : pc[t] = "Done" => closed > 0

\* Weak fairness of the processes in P; Spec has it for all of them.
Fairness(P) == /\ \A t \in P \cap Closers : WF_vars(closer(t) \/ close(t))
               /\ \A t \in P \cap Reapers : WF_vars(reaper(t) \/ close(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A last poll begins: the stop event was set after the reaper had read it.
IsClosedDuringAPoll == stopping /\ \E t \in Reapers : pc[t] = "P1"

\* A thread sleeps until the reaper has ended.
WaitsForTheReaper == asleep # {}

\* What a poll runs closes the timer while another thread waits for the reaper's end.
ReaperClosesWhileAnotherWaits == asleep # {} /\ \E t \in Reapers : pc[t] = "S1"
===============================================================================

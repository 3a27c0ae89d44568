------------------------- MODULE MCTimerTaskListFails -------------------------
\* Generated from spec/TimerTaskList.toml, scenario flush_add_cancel_two_entries: a flush moves e1
\* to where a thread adds e2; t1 is cancelled; CancelledUnlinked fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCTimerTaskListFails
EXTENDS TimerTaskListProperties, Integers, TLC

MC_Lists == {"l1", "l2"}
MC_TaskOf == [e1 |-> "t1", e2 |-> "t2"]
MC_Ring == [l1 |-> <<"e1">>, l2 |-> <<>>]
MC_Current == {"e1", "e2"}
MC_Program ==
  (  "a" :> <<<<"add", "l2", "e2">>>>
  @@ "c" :> <<<<"cancel", "t1">>>>
  @@ "f" :> <<<<"flush", "l1", "l2">>>>)
MC_NULL == "null"
===============================================================================

---------------------------- MODULE MCTimerTaskList ---------------------------
\* Generated from spec/TimerTaskList.toml, scenario two_entries_crossed: two threads add two entries
\* to two lists, crosswise; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCTimerTaskList
EXTENDS TimerTaskListProperties, Integers, TLC

MC_Lists == {"l1", "l2"}
MC_TaskOf == [e1 |-> "t1", e2 |-> "t2"]
MC_Ring == [l1 |-> <<>>, l2 |-> <<>>]
MC_Current == {"e1", "e2"}
MC_Program ==
  (  "a" :> <<<<"add", "l1", "e1">>, <<"add", "l2", "e2">>>>
  @@ "b" :> <<<<"add", "l2", "e1">>, <<"add", "l1", "e2">>>>)
MC_NULL == "null"
===============================================================================

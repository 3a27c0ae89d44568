----------------------------- MODULE MCPartedTimer ----------------------------
\* Generated from spec/PartedTimer.toml, scenario added_again: the second task is added again while
\* the first one is moved; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCPartedTimer
EXTENDS PartedTimerProperties, Integers, TLC

MC_WheelSize == 3
MC_Levels == 1
MC_TaskOf == [again |-> "s", first |-> "f", second |-> "s"]
MC_Deadline == [again |-> 2, first |-> 1, second |-> 1]
MC_Program ==
  (  "adder" :> <<<<"add", "first">>, <<"add", "second">>, <<"add", "again">>>>
  @@ "clock" :> <<<<"tick">>, <<"tick">>>>
  @@ "reaper" :> <<<<"reap">>>>)
MC_Part == 1
MC_NULL == "null"
===============================================================================

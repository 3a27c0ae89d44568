----------------------------- MODULE MCPartedTimer ----------------------------
\* Generated from spec/PartedTimer.toml, scenario two_parts: a bucket of two, moved in two parts;
\* changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCPartedTimer
EXTENDS PartedTimerProperties, Integers, TLC

MC_WheelSize == 2
MC_Levels == 1
MC_TaskOf == [first |-> "f", second |-> "s"]
MC_Deadline == [first |-> 1, second |-> 1]
MC_Program ==
  (  "adder" :> <<<<"add", "first">>, <<"add", "second">>>>
  @@ "clock" :> <<<<"tick">>, <<"tick">>, <<"tick">>>>
  @@ "reaper" :> <<<<"reap">>>>)
MC_Part == 1
MC_NULL == "null"
===============================================================================

----------------------------- MODULE MCPartedTimer ----------------------------
\* Generated from spec/PartedTimer.toml, scenario adder_between: the third add comes while a bucket
\* of the upper level goes down in two parts; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCPartedTimer
EXTENDS PartedTimerProperties, Integers, TLC

MC_WheelSize == 2
MC_Levels == 2
MC_TaskOf == [first |-> "f", late |-> "l", second |-> "s"]
MC_Deadline == [first |-> 2, late |-> 3, second |-> 3]
MC_Program ==
  (  "adder" :> <<<<"add", "first">>, <<"add", "second">>, <<"add", "late">>>>
  @@ "clock" :> <<<<"tick">>, <<"tick">>, <<"tick">>>>
  @@ "reaper" :> <<<<"reap">>>>)
MC_Part == 1
MC_NULL == "null"
===============================================================================

----------------------------- MODULE MCPartedTimer ----------------------------
\* Generated from spec/PartedTimer.toml, scenario reapers_of_one_bucket: two threads advance the
\* clock over one bucket, in parts, and a call wakes one of them; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCPartedTimer
EXTENDS PartedTimerProperties, Integers, TLC

MC_WheelSize == 2
MC_Levels == 1
MC_TaskOf == [first |-> "f", second |-> "s"]
MC_Deadline == [first |-> 1, second |-> 1]
MC_Program ==
  (  "adder" :> <<<<"add", "first">>, <<"add", "second">>, <<"tick">>, <<"wake">>>>
  @@ "r" :> <<<<"reap">>>>
  @@ "s" :> <<<<"reap">>>>)
MC_Part == 1
MC_NULL == "null"
===============================================================================

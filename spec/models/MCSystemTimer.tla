----------------------------- MODULE MCSystemTimer ----------------------------
\* Generated from spec/SystemTimer.toml, scenario one_bucket: two adders into one bucket; changes
\* are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCSystemTimer
EXTENDS SystemTimerProperties, Integers, TLC

MC_WheelSize == 2
MC_Levels == 1
MC_TaskOf == [first |-> "f", second |-> "s"]
MC_Deadline == [first |-> 1, second |-> 1]
MC_Program ==
  (  "a" :> <<<<"add", "first">>>>
  @@ "b" :> <<<<"add", "second">>>>
  @@ "clock" :> <<<<"tick">>>>
  @@ "reaper" :> <<<<"reap">>>>)
MC_Timer == "SystemTimer"
MC_NULL == "null"
===============================================================================

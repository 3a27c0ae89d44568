-------------------------- MODULE MCSystemTimerFails --------------------------
\* Generated from spec/SystemTimer.toml, scenario kafka_stalled_adder: D1: an entry is late although
\* the reaper is idle and nothing is due; LatenessBound fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCSystemTimerFails
EXTENDS SystemTimerProperties, Integers, TLC

MC_WheelSize == 3
MC_Levels == 2
MC_TaskOf == [far |-> "f", near |-> "n"]
MC_Deadline == [far |-> 5, near |-> 2]
MC_Program ==
  (  "adder" :> <<<<"add", "far">>, <<"add", "near">>>>
  @@ "clock" :> <<<<"tick">>, <<"tick">>, <<"tick">>, <<"tick">>, <<"tick">>>>
  @@ "reaper" :> <<<<"reap">>>>)
MC_Timer == "KafkaTimer"
MC_NULL == "null"
===============================================================================

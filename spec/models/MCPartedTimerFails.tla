-------------------------- MODULE MCPartedTimerFails --------------------------
\* Generated from spec/PartedTimer.toml, scenario closed: no reaper any more: an entry that is added
\* after close is linked, and the executor never sees it; EveryTimerIsTried fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCPartedTimerFails
EXTENDS PartedTimerProperties, Integers, TLC

MC_WheelSize == 2
MC_Levels == 1
MC_TaskOf == [due |-> "d", later |-> "l"]
MC_Deadline == [due |-> 0, later |-> 1]
MC_Program ==
  (  "adder" :> <<<<"add", "due">>, <<"add", "later">>>>
  @@ "clock" :> <<<<"tick">>>>
  @@ "closer" :> <<<<"close">>>>)
MC_Part == 1
MC_NULL == "null"
===============================================================================

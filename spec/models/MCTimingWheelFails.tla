-------------------------- MODULE MCTimingWheelFails --------------------------
\* Generated from spec/TimingWheel.toml, scenario two_keys: who does not let the clock advance fires
\* nothing; EveryTimerFires fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCTimingWheelFails
EXTENDS TimingWheelProperties, Integers, TLC

MC_WheelSize == 3
MC_Levels == 2
MC_Start == 0
MC_Deadline == [far |-> 6, near |-> 3]
MC_Program == [adder |-> <<<<"add", "far">>, <<"add", "near">>>>, reaper |-> <<<<"expire">>>>]
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"adder"})
===============================================================================

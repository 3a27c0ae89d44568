----------------------------- MODULE MCTimingWheel ----------------------------
\* Generated from spec/TimingWheel.toml, scenario two_adders: two adders need the second level at
\* once; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCTimingWheel
EXTENDS TimingWheelProperties, Integers, TLC

MC_WheelSize == 2
MC_Levels == 2
MC_Start == 0
MC_Deadline == [far |-> 3, near |-> 2]
MC_Program == [a |-> <<<<"add", "far">>>>, b |-> <<<<"add", "near">>>>, reaper |-> <<<<"expire">>>>]
MC_NULL == "null"
===============================================================================

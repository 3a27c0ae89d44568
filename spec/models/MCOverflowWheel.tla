---------------------------- MODULE MCOverflowWheel ---------------------------
\* Generated from spec/OverflowWheel.toml, scenario three: three threads need it at once; changes
\* are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCOverflowWheel
EXTENDS OverflowWheelProperties, Integers, TLC

MC_Wheels == <<"w1", "w2", "w3">>
MC_Linked == FALSE
MC_Program ==
  (  "a" :> <<<<"place", "a">>>>
  @@ "a.current_time" :> <<<<"memory", "a", "current_time">>>>
  @@ "b" :> <<<<"place", "b">>>>
  @@ "c" :> <<<<"place", "c">>>>)
MC_NULL == "null"
===============================================================================

------------------------- MODULE MCOverflowWheelFails -------------------------
\* Generated from spec/OverflowWheel.toml, scenario two: without fairness of the memory what was
\* stored need never arrive; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCOverflowWheelFails
EXTENDS OverflowWheelProperties, Integers, TLC

MC_Wheels == <<"w1", "w2">>
MC_Linked == FALSE
MC_Program ==
  (  "a" :> <<<<"place", "a">>>>
  @@ "a.current_time" :> <<<<"memory", "a", "current_time">>>>
  @@ "a.overflow_wheel" :> <<<<"memory", "a", "overflow_wheel">>>>
  @@ "b" :> <<<<"place", "b">>>>
  @@ "b.current_time" :> <<<<"memory", "b", "current_time">>>>
  @@ "b.overflow_wheel" :> <<<<"memory", "b", "overflow_wheel">>>>)
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"a", "b"})
===============================================================================

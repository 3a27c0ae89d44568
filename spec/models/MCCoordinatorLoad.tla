--------------------------- MODULE MCCoordinatorLoad --------------------------
\* Generated from spec/CoordinatorLoad.toml, scenario leads: the high watermark rises while a
\* coordinator loads; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCCoordinatorLoad
EXTENDS CoordinatorLoadProperties, Integers, TLC

MC_Program ==
  (  "broker" :> <<<<"lead", 1>>>>
  @@ "follower" :> <<<<"fetch">>>>
  @@ "loader" :> <<<<"load">>>>)
MC_End == 1
MC_Seen == 0
MC_NULL == "null"
===============================================================================

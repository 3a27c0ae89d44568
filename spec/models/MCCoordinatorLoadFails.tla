------------------------ MODULE MCCoordinatorLoadFails ------------------------
\* Generated from spec/CoordinatorLoad.toml, scenario writes_at_the_end: a broker that stands still
\* in the middle of an event keeps the write that waits behind it; Termination fails; changes are
\* lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCCoordinatorLoadFails
EXTENDS CoordinatorLoadProperties, Integers, TLC

MC_Program ==
  (  "broker" :> <<<<"lead", 1>>, <<"load">>, <<"follow", 2>>>>
  @@ "client" :> <<<<"write", "w">>>>)
MC_End == 1
MC_Seen == 0
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"client"})
===============================================================================

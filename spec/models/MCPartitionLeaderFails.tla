------------------------ MODULE MCPartitionLeaderFails ------------------------
\* Generated from spec/PartitionLeader.toml, scenario unclean: an unclean election loses what only
\* the dead replica had; CommittedSurvives fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCPartitionLeaderFails
EXTENDS PartitionLeaderProperties, Integers, TLC

MC_Assignment == <<1, 2, 3>>
MC_Target == <<>>
MC_Unclean == TRUE
MC_Leader == 1
MC_Isr == <<1>>
MC_Live == {1, 2}
MC_Program ==
  (  "broker" :> <<<<"fail", 1>>, <<"start", 1>>>>
  @@ "controller" :> <<<<"elect", "offline">>, <<"elect", "offline">>>>
  @@ "leader" :> <<<<"expand", 1>>, <<"recover">>>>)
MC_NULL == "null"
===============================================================================

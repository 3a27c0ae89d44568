--------------------------- MODULE MCPartitionLeader --------------------------
\* Generated from spec/PartitionLeader.toml, scenario five_replicas_unclean: the same where unclean
\* election is permitted; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCPartitionLeader
EXTENDS PartitionLeaderProperties, Integers, TLC

MC_Assignment == <<1, 2, 3, 4, 5>>
MC_Target == <<>>
MC_Unclean == TRUE
MC_Leader == 1
MC_Isr == <<1, 2, 3, 4, 5>>
MC_Live == {1, 2, 3, 4, 5}
MC_Program == [all |-> <<<<"survey", "offline">>>>]
MC_NULL == "null"
===============================================================================

--------------------------- MODULE MCPurgatoryFails ---------------------------
\* Generated from spec/Purgatory.toml, scenario two_checks: a completed operation is taken out of
\* its list by two threads; RemovedOnce fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCPurgatoryFails
EXTENDS PurgatoryProperties, Integers, TLC

MC_Protocol == "Blocking"
MC_Need == [o |-> "c"]
MC_KeysOf == [o |-> <<"k">>]
MC_Adds == [o |-> <<>>]
MC_Raises == {}
MC_Locking == {}
MC_Number == [k |-> 0]
MC_Shards == 1
MC_Interval == 0
MC_Program == [e |-> <<<<"check", "k">>>>, w |-> <<<<"watch", "o">>, <<"deliver", "c", "k">>>>]
MC_NULL == "null"
===============================================================================

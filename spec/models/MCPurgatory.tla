------------------------------ MODULE MCPurgatory -----------------------------
\* Generated from spec/Purgatory.toml, scenario event_expiry: an operation is entered while its
\* event comes, and its timeout; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCPurgatory
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
MC_Program ==
  (  "e" :> <<<<"deliver", "c", "k">>>>
  @@ "w" :> <<<<"watch", "o">>>>
  @@ "x" :> <<<<"expire", "o">>>>)
MC_NULL == "null"
===============================================================================

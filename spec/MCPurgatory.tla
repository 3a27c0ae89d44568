------------------------------ MODULE MCPurgatory -----------------------------
\* Generated from spec/Purgatory.toml, scenario other_list: a key gets a new list while a thread is
\* about to remove the old one; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCPurgatory
EXTENDS PurgatoryProperties, Integers, TLC

MC_Need == [o |-> "c", p |-> "d"]
MC_KeysOf == [o |-> <<"k">>, p |-> <<"k">>]
MC_Adds == [o |-> <<>>, p |-> <<>>]
MC_Raises == {}
MC_Locking == {}
MC_Number == [k |-> 0]
MC_Shards == 1
MC_Interval == 0
MC_Program ==
  (  "e" :> <<<<"check", "k">>>>
  @@ "w" :> <<<<"watch", "o">>, <<"deliver", "c", "k">>, <<"watch", "p">>>>)
MC_NULL == "null"
===============================================================================

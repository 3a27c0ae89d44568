------------------------------ MODULE MCPurgatory -----------------------------
\* Generated from spec/Purgatory.toml, scenario pending_two_keys: TryPending: an event on one of two
\* keys, while the operation is added to the other's list; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCPurgatory
EXTENDS PurgatoryProperties, Integers, TLC

MC_Protocol == "TryPending"
MC_Need == [o |-> "c"]
MC_KeysOf == [o |-> <<"k", "l">>]
MC_Adds == [o |-> <<>>]
MC_Raises == {}
MC_Locking == {}
MC_Number == [k |-> 0, l |-> 1]
MC_Shards == 1
MC_Interval == 0
MC_Program == [e |-> <<<<"deliver", "c", "k">>>>, w |-> <<<<"watch", "o">>>>]
MC_NULL == "null"
===============================================================================

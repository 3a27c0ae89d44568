------------------------ MODULE MCDelayedOperationFails -----------------------
\* Generated from spec/DelayedOperation.toml, scenario try_once: the article's four rows, how a
\* completion is lost (H5): the holder reads the old condition, the bringer of the new one does not
\* get the lock; NoLostCompletion fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCDelayedOperationFails
EXTENDS DelayedOperationProperties, Integers, TLC

MC_Protocol == [o |-> "TryOnce"]
MC_Needs == [o |-> <<"c1", "c2">>]
MC_Completes == [o |-> <<>>]
MC_Raises == {}
MC_Locking == {}
MC_Locks == {"outer"}
MC_OuterOf == <<>>
MC_Guard == <<>>
MC_Program == [a |-> <<<<"deliver", "c1", "o">>>>, b |-> <<<<"deliver", "c2", "o">>>>]
MC_NULL == "null"
===============================================================================

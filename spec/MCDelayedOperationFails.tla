------------------------ MODULE MCDelayedOperationFails -----------------------
\* Generated from spec/DelayedOperation.toml, scenario three_attempts: of two threads that do not
\* get the lock, the second finds the flag set and returns; EveryLoserRetries fails; changes are
\* lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC -config MCDelayedOperationFails.cfg MCDelayedOperationFails.tla
EXTENDS DelayedOperationProperties, Integers, TLC

MC_Protocol == [o |-> "TryPending"]
MC_Needs == [o |-> <<"c1">>]
MC_Completes == [o |-> <<>>]
MC_Raises == {}
MC_Locking == {}
MC_Locks == {"outer"}
MC_OuterOf == <<>>
MC_Guard == <<>>
MC_Program ==
  (  "a" :> <<<<"attempt", "o">>>>
  @@ "b" :> <<<<"attempt", "o">>>>
  @@ "c" :> <<<<"attempt", "o">>>>)
MC_NULL == "null"
===============================================================================

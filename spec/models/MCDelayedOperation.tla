-------------------------- MODULE MCDelayedOperation --------------------------
\* Generated from spec/DelayedOperation.toml, scenario completes_another: two operations on one
\* condition each; the first one's onComplete completes the second; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCDelayedOperation
EXTENDS DelayedOperationProperties, Integers, TLC

MC_Protocol == [o |-> "TryPending", p |-> "TryPending"]
MC_Needs == [o |-> <<"c1">>, p |-> <<"c2">>]
MC_Completes == [o |-> <<"p">>, p |-> <<>>]
MC_Raises == {}
MC_Locking == {}
MC_Locks == {"outer"}
MC_OuterOf == <<>>
MC_Guard == <<>>
MC_Program ==
  (  "a" :> <<<<"deliver", "c1", "o">>>>
  @@ "b" :> <<<<"deliver", "c2", "p">>>>
  @@ "x" :> <<<<"expire", "p">>>>)
MC_NULL == "null"
===============================================================================

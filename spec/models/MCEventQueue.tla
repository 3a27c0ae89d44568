----------------------------- MODULE MCEventQueue -----------------------------
\* Generated from spec/EventQueue.toml, scenario expires_beside_close: the session expires while
\* another thread closes; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCEventQueue
EXTENDS EventQueueProperties, Integers, TLC

MC_Program ==
  (  "events" :> <<<<"work">>>>
  @@ "one" :> <<<<"close">>>>
  @@ "session" :> <<<<"expire", "x">>>>)
MC_Does == [x |-> <<>>]
MC_Waiting == <<>>
MC_Clear == "drain"
MC_NULL == "null"
===============================================================================

--------------------------- MODULE MCEventQueueFails --------------------------
\* Generated from spec/EventQueue.toml, scenario expires_at_work: an event thread that stands still
\* keeps the event that it has taken; EachIsHandled fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCEventQueueFails
EXTENDS EventQueueProperties, Integers, TLC

MC_Program == [events |-> <<<<"work">>>>, session |-> <<<<"expire", "x">>, <<"close">>>>]
MC_Does == [a |-> <<"request">>, b |-> <<>>, x |-> <<"raise">>]
MC_Waiting == <<"a", "b">>
MC_Clear == "drain"
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"session"})
===============================================================================

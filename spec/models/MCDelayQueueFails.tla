--------------------------- MODULE MCDelayQueueFails --------------------------
\* Generated from spec/DelayQueue.toml, scenario nothing_comes: if time stands still, a thread that
\* waits for nothing waits for ever; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCDelayQueueFails
EXTENDS DelayQueueProperties, Integers, TLC

MC_Program == [c |-> <<<<"clock">>>>, t |-> <<<<"poll", 1>>>>, u |-> <<<<"poll", 2>>>>]
MC_Items == <<>>
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"t", "u"})
===============================================================================

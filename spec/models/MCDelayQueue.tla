----------------------------- MODULE MCDelayQueue -----------------------------
\* Generated from spec/DelayQueue.toml, scenario notified_interrupted: a thread is interrupted that
\* may have been notified: of two that wait only the other one may be left; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCDelayQueue
EXTENDS DelayQueueProperties, Integers, TLC

MC_Program ==
  (  "i" :> <<<<"interrupt", "t">>>>
  @@ "o" :> <<<<"offer", 0>>, <<"offer", 0>>>>
  @@ "t" :> <<<<"poll", 9>>>>
  @@ "u" :> <<<<"poll", 9>>>>)
MC_Items == <<>>
MC_NULL == "null"
===============================================================================

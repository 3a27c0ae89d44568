-------------------------- MODULE MCSystemTimerReaper -------------------------
\* Generated from spec/SystemTimerReaper.toml, scenario closes_twice: two threads close it, one of
\* them twice; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCSystemTimerReaper
EXTENDS SystemTimerReaperProperties, Integers, TLC

MC_Program ==
  (  "one" :> <<<<"close">>>>
  @@ "reaper" :> <<<<"reap">>>>
  @@ "two" :> <<<<"close">>, <<"close">>>>)
MC_Due == FALSE
MC_NULL == "null"
===============================================================================

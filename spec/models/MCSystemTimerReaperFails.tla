----------------------- MODULE MCSystemTimerReaperFails -----------------------
\* Generated from spec/SystemTimerReaper.toml, scenario closes: a reaper that stands still is waited
\* for in vain; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCSystemTimerReaperFails
EXTENDS SystemTimerReaperProperties, Integers, TLC

MC_Program == [closer |-> <<<<"close">>>>, reaper |-> <<<<"reap">>>>]
MC_Due == FALSE
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"closer"})
===============================================================================

----------------------------- MODULE MCAtomicFails ----------------------------
\* Generated from spec/Atomic.toml, scenario two_adds: a thread that stops inside the lock stops the
\* other; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCAtomicFails
EXTENDS AtomicProperties, Integers, TLC

MC_Program == [a |-> <<<<"add", 1>>>>, b |-> <<<<"add", 2>>>>]
MC_Initial == 1000
MC_Kind == <<>>
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"b"})
===============================================================================

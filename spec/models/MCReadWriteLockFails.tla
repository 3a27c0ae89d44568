------------------------- MODULE MCReadWriteLockFails -------------------------
\* Generated from spec/ReadWriteLock.toml, scenario reader_and_writer: a reader that stops inside
\* stops the writer; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCReadWriteLockFails
EXTENDS ReadWriteLockProperties, Integers, TLC

MC_Program == [r |-> <<<<"read">>>>, w |-> <<<<"write">>>>]
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"w"})
===============================================================================

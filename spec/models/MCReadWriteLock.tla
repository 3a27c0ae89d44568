---------------------------- MODULE MCReadWriteLock ---------------------------
\* Generated from spec/ReadWriteLock.toml, scenario writer_interrupted: a writer that waits for a
\* reader is interrupted while another reader waits for the writer; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCReadWriteLock
EXTENDS ReadWriteLockProperties, Integers, TLC

MC_Program ==
  (  "i" :> <<<<"interrupt", "w">>>>
  @@ "r" :> <<<<"read">>>>
  @@ "s" :> <<<<"read">>>>
  @@ "w" :> <<<<"write">>>>)
MC_NULL == "null"
===============================================================================

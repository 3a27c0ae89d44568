---------------------------- MODULE MCTaskExecutor ----------------------------
\* Generated from spec/TaskExecutor.toml, scenario closes_inside_and_outside: a task closes the
\* executor, and so does another thread; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCTaskExecutor
EXTENDS TaskExecutorProperties, Integers, TLC

MC_Program ==
  (  "adder" :> <<<<"submit", "a">>, <<"submit", "b">>>>
  @@ "closer" :> <<<<"close">>>>
  @@ "worker" :> <<<<"work">>>>)
MC_Does == [a |-> <<"close">>, b |-> <<>>]
MC_NULL == "null"
===============================================================================

-------------------------- MODULE MCTaskExecutorFails -------------------------
\* Generated from spec/TaskExecutor.toml, scenario raises: if the pool's thread stands still, a
\* close waits for ever; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCTaskExecutorFails
EXTENDS TaskExecutorProperties, Integers, TLC

MC_Program ==
  (  "adder" :> <<<<"submit", "a">>, <<"submit", "b">>, <<"close">>>>
  @@ "worker" :> <<<<"work">>>>)
MC_Does == [a |-> <<"raise">>, b |-> <<>>]
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"adder"})
===============================================================================

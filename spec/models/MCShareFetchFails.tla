--------------------------- MODULE MCShareFetchFails --------------------------
\* Generated from spec/ShareFetch.toml, scenario ends: a broker that stands still in a check keeps
\* the lock of the fetch that it tries; Termination fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCShareFetchFails
EXTENDS ShareFetchProperties, Integers, TLC

MC_Program ==
  (  "a" :> <<<<"fetch", "a">>, <<"expire", "a">>>>
  @@ "log" :> <<<<"append", 1, 1>>, <<"append", 2, 2>>>>)
MC_Batches == <<>>
MC_NULL == "null"
MCSpec == Init /\ [][Next]_vars /\ Fairness({"a"})
===============================================================================

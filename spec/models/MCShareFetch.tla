----------------------------- MODULE MCShareFetch -----------------------------
\* Generated from spec/ShareFetch.toml, scenario trims: the log's start moves into a batch whose
\* release is being written; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCShareFetch
EXTENDS ShareFetchProperties, Integers, TLC

MC_Program ==
  (  "client" :> <<<<"fetch", "a">>, <<"release", "a">>, <<"fetch", "b">>>>
  @@ "log" :> <<<<"trim", 2>>, <<"write">>, <<"trim", 3>>>>)
MC_Batches == <<<<1, 2>>>>
MC_NULL == "null"
===============================================================================

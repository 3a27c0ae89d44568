------------------------------- MODULE MCAtomic -------------------------------
\* Generated from spec/Atomic.toml, scenario numbers: additions beside a store, a compare-and-set of
\* an equal number, and a read; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCAtomic
EXTENDS AtomicProperties, Integers, TLC

MC_Program ==
  (  "a" :> <<<<"add", 1>>, <<"get">>>>
  @@ "b" :> <<<<"add", 2>>>>
  @@ "c" :> <<<<"cas", 1001, 3000>>, <<"set", 5000>>>>)
MC_Initial == 1000
MC_Kind == <<>>
MC_NULL == "null"
===============================================================================

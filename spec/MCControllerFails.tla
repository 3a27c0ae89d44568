--------------------------- MODULE MCControllerFails --------------------------
\* Generated from spec/Controller.toml, scenario removed: a controller whose node was deleted does
\* not know it yet; OneBelieves fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCControllerFails
EXTENDS ControllerProperties, Integers, TLC

MC_Session == [b1 |-> 1, b2 |-> 2]
MC_First == "b1"
MC_Program ==
  (  "b1" :> <<<<"serve">>>>
  @@ "b2" :> <<<<"serve">>>>
  @@ "zookeeper" :> <<<<"notify", "b1", "work">>, <<"remove">>, <<"rest">>>>)
MC_NULL == "null"
===============================================================================

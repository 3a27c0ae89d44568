--------------------------- MODULE MCControllerFails --------------------------
\* Generated from spec/Controller.toml, scenario early_removed: 2.0: a controller whose node was
\* deleted writes after another was elected (KAFKA-6082); FencedWrites fails; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCControllerFails
EXTENDS ControllerProperties, Integers, TLC

MC_Session == [b1 |-> 1, b2 |-> 2]
MC_First == "b1"
MC_Elector == [b1 |-> "EarlyElector", b2 |-> "EarlyElector"]
MC_Program ==
  (  "b1" :> <<<<"serve">>>>
  @@ "b2" :> <<<<"serve">>>>
  @@ "zookeeper" :> <<<<"notify", "b1", "work">>, <<"remove">>, <<"rest">>>>)
MC_NULL == "null"
===============================================================================

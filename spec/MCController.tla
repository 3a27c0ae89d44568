----------------------------- MODULE MCController -----------------------------
\* Generated from spec/Controller.toml, scenario expires: the session of the controller expires;
\* changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC -config MCController.cfg MCController.tla
EXTENDS ControllerProperties, Integers, TLC

MC_Session == [b1 |-> 1, b2 |-> 2]
MC_First == "b1"
MC_Program ==
  (  "b1" :> <<<<"serve">>>>
  @@ "b2" :> <<<<"serve">>>>
  @@ "c1" :> <<<<"connect", "b1">>>>
  @@ "zookeeper" :> <<<<"expire", "b1">>, <<"rest">>>>)
MC_NULL == "null"
===============================================================================

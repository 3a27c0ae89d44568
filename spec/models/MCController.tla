----------------------------- MODULE MCController -----------------------------
\* Generated from spec/Controller.toml, scenario expires_at_move: the session of a controller
\* expires while it moves and a reply is lost; changes are lost.
\* To run it by hand, in this folder:
\*   java -cp "$TLA2TOOLS_JAR" -DTLA-Library=.. tlc2.TLC MCController
EXTENDS ControllerProperties, Integers, TLC

MC_Session == [b1 |-> 1]
MC_First == "b1"
MC_Elector == [b1 |-> "Elector", b2 |-> "Elector"]
MC_Program ==
  (  "b1" :> <<<<"serve">>>>
  @@ "c1" :> <<<<"connect", "b1">>>>
  @@ "n" :> <<<<"lose", "b1", "after">>>>
  @@ "z" :> <<<<"notify", "b1", "move">>, <<"expire", "b1">>, <<"rest">>>>)
MC_NULL == "null"
===============================================================================

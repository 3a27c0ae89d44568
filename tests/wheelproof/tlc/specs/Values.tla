------------------------------- MODULE Values -------------------------------
(* Shows values one after the other, so that TLC's way of printing each can *)
(* be read: those that a config gives, then one of every form written here. *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS Given,      \* sequence of values
          Thing       \* a model value

VARIABLES turn, shown

Long == "a string that is long enough to be wrapped by TLC, with /\\ x = 1 in it"

Own == <<
  TRUE, FALSE, -3, 0, 2147483647, "plain", "", "\"quoted\"", "back\\slash", "ends\\",
  "tab\t, line\n/\\ end", "(* , *) } @@ |-> :> ]", "/\\ x = 1",
  {}, {3, 1, 2}, 1..3, 1..0, 5..5, {1..2, {}}, SUBSET {1, 2}, {1} \X {2, 3},
  << >>, <<1, <<2>>>>, (1 :> "a" @@ 2 :> "b"), [i \in 1..2 |-> i], [x \in {} |-> x],
  (0 :> "a" @@ 1 :> "b"), [i \in {-1, 2} |-> -i], (TRUE :> FALSE), ({1} :> 2),
  (<<1, 2>> :> {<<>>} @@ <<1, 3>> :> {{}}),
  [a |-> 1], [a |-> [b |-> <<1, 2>>], c |-> {"x", "y"}], [x \in {"a", "b"} |-> x],
  [x \in {"IF", "1a", "_b"} |-> 0], [x \in {"", "a b", "12"} |-> x],
  Thing, {Thing}, (Thing :> Thing),
  [first |-> Long, second |-> <<Long, Long>>, third |-> (0 :> Long @@ 1 :> {Long})],
  [i \in 1..40 |-> <<i, {i}>>]
>>

All == Given \o Own

Init == turn = 0 /\ shown = "nothing"
Next == turn < Len(All) /\ turn' = turn + 1 /\ shown' = All[turn + 1]
Spec == Init /\ [][Next]_<<turn, shown>>
=============================================================================

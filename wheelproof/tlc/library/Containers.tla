----------------------------- MODULE Containers -----------------------------
(***************************************************************************)
(* Python's lists and dictionaries as values.  A list is a sequence.  A     *)
(* dictionary is a sequence of pairs <<key, value>>, oldest key first.      *)
(***************************************************************************)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

Holds(list, value) == \E i \in DOMAIN list : list[i] = value

\* The list without the first element that is the value.
WithoutFirst(list, value) ==
  LET first == CHOOSE i \in DOMAIN list :
                 list[i] = value /\ \A j \in 1..(i - 1) : list[j] # value
  IN SubSeq(list, 1, first - 1) \o SubSeq(list, first + 1, Len(list))

HasKey(dict, key) == \E i \in DOMAIN dict : dict[i][1] = key

KeysOf(dict) == [i \in DOMAIN dict |-> dict[i][1]]

\* Without the key this has no value.
ValueOf(dict, key) ==
  LET place == CHOOSE i \in DOMAIN dict : dict[i][1] = key IN dict[place][2]

\* A key that is there keeps its place.
WithKey(dict, key, value) ==
  IF HasKey(dict, key)
  THEN [i \in DOMAIN dict |-> IF dict[i][1] = key THEN << key, value >> ELSE dict[i]]
  ELSE Append(dict, << key, value >>)

WithoutKey(dict, key) == SelectSeq(dict, LAMBDA pair : pair[1] # key)
=============================================================================

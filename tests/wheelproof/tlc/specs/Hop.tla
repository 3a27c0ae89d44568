-------------------------------- MODULE Hop --------------------------------
(* Climbs a stair of three steps and then leaves it with a hop: refines     *)
(* Stair for a while.  TLC tells the place of a property that is a          *)
(* conjunction, but not its name.                                           *)
EXTENDS Integers, Sequences

VARIABLES place, hops

Stair == INSTANCE Stair WITH Top <- 3, Trip <- 99, step <- place

Init == place = 0 /\ hops = 0
Next == \/ place < 3 /\ place' = place + 1 /\ UNCHANGED hops
        \/ place = 3 /\ place' = 7 /\ hops' = hops + 1
Spec == Init /\ [][Next]_<<place, hops>>

StartsHigh  == (place = 2) /\ [][Stair!Up]_place
OnlyClimbs  == Stair!Init /\ [][Stair!Up]_place
EatsMemory  == Len([i \in 1..100000000 |-> <<i, place>>]) = 0
=============================================================================

------------------------------- MODULE Stair -------------------------------
(* A walker on a stair of Top steps.  One small module with a formula for   *)
(* every way in which a TLC run can end.                                    *)
EXTENDS Integers, Sequences, TLC

CONSTANTS Top,        \* number of steps, >= 1
          Trip        \* the step at which an evaluation breaks

ASSUME TopIsPositive == Top > 0

VARIABLE step

Init == step = 0
Up   == /\ step < Top
        /\ IF step = Trip THEN Head(<< >>) = 0 ELSE TRUE
        /\ step' = step + 1
Down == step = Top /\ step' = 1
Rise == step' = step + 1
Checked == Up /\ Assert(step < 2, "stepped too high")

Climb     == Init /\ [][Up]_step /\ WF_step(Up)
Loop      == Init /\ [][Up \/ Down]_step /\ WF_step(Up \/ Down)
Endless   == Init /\ [][Rise]_step
Asserting == Init /\ [][Checked]_step

InRange  == step \in 0..Top
BelowTop == step < Top
OffFloor == step # 0
Breaks   == IF step < 2 THEN TRUE ELSE Head(<< >>) = 0

NeverDown    == [][step' >= step]_step
ReturnsHome  == []<>(step = 0)
GoesOverTop  == <>(step > Top)
ReachesTop   == <>(step = Top)
BreaksLater  == <>(IF step = 2 THEN Head(<< >>) = 0 ELSE FALSE)

Fairness(T) == \A t \in T : WF_step(Up \/ Down)
FairLoop(T) == Init /\ [][Up \/ Down]_step /\ Fairness(T)
=============================================================================

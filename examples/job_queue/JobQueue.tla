---- MODULE JobQueue ----
(* Jobs wait in a queue of two, and workers take them in their order. *)
EXTENDS Naturals, Sequences
CONSTANT Worker
VARIABLES queue, holds

Init == queue = << >> /\ holds = [w \in Worker |-> 0]

Put(job) == Len(queue) < 2 /\ queue' = Append(queue, job) /\ UNCHANGED holds

Take(w) == /\ queue # << >> /\ holds[w] = 0
           /\ holds' = [holds EXCEPT ![w] = Head(queue)]
           /\ queue' = Tail(queue)

Finish(w) == holds[w] # 0 /\ holds' = [holds EXCEPT ![w] = 0] /\ UNCHANGED queue

Next == (\E job \in 1..3 : Put(job)) \/ \E w \in Worker : Take(w) \/ Finish(w)

Short == Len(queue) <= 2
====

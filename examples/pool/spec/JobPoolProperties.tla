--------------------------- MODULE JobPoolProperties -------------------------
(* What must hold of JobPool, which is drafted of pool.py. *)
EXTENDS JobPool

Working == {t \in Threads : pc[t] \in {"W11", "W12", "W13", "W14"} /\ take_job[t] # NULL}
Counts == running = Cardinality(Working)

Ran(task) == \E i \in DOMAIN done : done[i] = task
NothingLost ==
  (\A t \in Threads : pc[t] = "Done") =>
    \A t \in Threads : \A i \in DOMAIN Program[t] :
      Program[t][i][1] = "submit" /\ result[t] # "Closed" => Ran(Program[t][i][2])

\* A witness: a worker has a job when the pool is closed.
ClosedAtWork == closed /\ running > 0
=============================================================================

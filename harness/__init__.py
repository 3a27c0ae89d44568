"""For each mechanism how threads call the implementation, and the refinement mapping."""

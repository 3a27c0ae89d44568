"""Classes that are believed to be correct: every alarm about them would be a false one."""

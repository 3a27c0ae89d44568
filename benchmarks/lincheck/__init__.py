"""Three structures in Python and in Java: this project's checker beside Lincheck."""

"""Released classes in every order of a harness's threads: the subjects and their command."""

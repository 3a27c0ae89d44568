"""Java classes explored without a table: every order of a harness's threads that matters."""

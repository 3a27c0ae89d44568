"""What people see, made from rows and counterexamples only: terminal, Markdown, JUnit."""

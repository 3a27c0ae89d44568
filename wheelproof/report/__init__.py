"""Reports for people, made from rows and counterexamples only: terminal, Markdown, JUnit."""

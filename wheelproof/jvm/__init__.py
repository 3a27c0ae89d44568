"""Compiled Java classes beside the model: run under control inside a JVM, every state compared."""

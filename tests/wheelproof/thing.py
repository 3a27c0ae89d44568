"""The declaration of a mechanism that no engine runs, for tests of what commands do around it."""

TOML = """
[mechanism]
module = "Thing"
[properties.invariant]
Safe = "nothing bad"
[labels]
lock = ["A1"]
[scenarios.two]
threads = { a = [["go"]] }
[configs.two]
"""

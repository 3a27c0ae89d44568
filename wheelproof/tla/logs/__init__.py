"""Logs of any program against any specification: NDJSON, with a mapping to actions and variables.

log = mapping.read(Path("run.ndjson"), mapping.rules(Path("mapping.toml")))
verdict = search.search(machine, log)          # a behaviour that explains the log, or none
confirmed.by_tlc(subject, machine, log, 60)    # TLC's own verdict on the same log
"""

"""The demands of judges on this package, and where they are met. Mypy compares them: nothing runs
this."""

from traces import bulk, events
from wheelproof.trace import provided

BULK: provided.Bulk = bulk
WORDS: provided.Words = events

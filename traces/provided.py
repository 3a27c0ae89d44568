"""What judges ask of this package, and where it is. Mypy compares them: nothing runs this."""

from traces import bulk, events
from wheelproof.trace import provided

BULK: provided.Bulk = bulk
WORDS: provided.Words = events

"""What judges ask of this package, and where it is. Mypy compares them: nothing runs this."""

from traces import bulk, events, rules, shrink
from wheelproof.trace import provided

BULK: provided.Bulk = bulk
RULES: provided.Rules = rules
SHRINKER: provided.Shrinker = shrink
WORDS: provided.Words = events

"""The layers of a verification: each module runs one kind of check and ends it as rows."""

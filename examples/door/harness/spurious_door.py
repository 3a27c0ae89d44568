"""The door where a wait may end without a notification; see spec/SpuriousDoor.tla."""

from harness import door

SUBJECT = ("impl.door",)
SPURIOUS = ("Condition",)

Harness, shared = door.Harness, door.shared

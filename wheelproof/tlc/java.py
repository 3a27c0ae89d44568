"""The Java that TLC runs on."""

from wheelproof import java
from wheelproof.java import Java

MINIMUM = 11
_REMEDY = (
    f"Install Java {MINIMUM} or newer (for example Debian's openjdk-17-jre-headless), or set "
    "JAVA_HOME to one, or `pip install 'wheelproof[java]'`."
)


def locate() -> Java:
    """A Java of release 11 or newer; otherwise a ToolError with the reason for each refusal."""
    return java.locate("TLC", MINIMUM, _REMEDY)

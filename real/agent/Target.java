package wheelproof.agent;

import java.io.IOException;
import java.io.OutputStream;

/** The place of a recording. */
interface Target {
    /** Whether the header may be written by now. */
    boolean due();

    /** Writes a first header; each write to what is returned is one line. */
    OutputStream begin(byte[] header) throws IOException;

    /** Writes the footer. The header is as all events have it. */
    void end(byte[] header, byte[] footer) throws IOException;
}

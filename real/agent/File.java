package wheelproof.agent;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPOutputStream;

/**
 * A file. The header can be written only when all threads and timers are known. Until then the
 * events stand in a file of their own behind a first header; without a footer that file is
 * incomplete.
 */
final class File implements Target {
    private final Path output, part;
    private final boolean zip;
    private OutputStream out, body;
    private long first;

    File(Path output) throws IOException {
        this.output = output;
        zip = output.toString().endsWith(".gz");
        if (output.getParent() != null) {
            Files.createDirectories(output.getParent());
        }
        part = output.resolveSibling("unfinished-" + output.getFileName());
    }

    @Override
    public boolean due() {
        return true;
    }

    @Override
    public OutputStream begin(byte[] header) throws IOException {
        out = new BufferedOutputStream(Files.newOutputStream(part), 1 << 16);
        byte[] text = member(header);
        first = text.length;
        out.write(text);
        out.flush();
        body = zip ? new GZIPOutputStream(out, 1 << 16) : out;
        return body;
    }

    /** A text as it stands in the file: of a zipped one a member of its own. */
    private byte[] member(byte[] text) throws IOException {
        if (!zip) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream zipped = new GZIPOutputStream(bytes)) {
            zipped.write(text);
        }
        return bytes.toByteArray();
    }

    @Override
    public void end(byte[] header, byte[] footer) throws IOException {
        if (zip) {
            ((GZIPOutputStream) body).finish();
        }
        out.close();
        Path done = output.resolveSibling("ending-" + output.getFileName());
        try (OutputStream whole = Files.newOutputStream(done);
                InputStream events = Files.newInputStream(part)) {
            whole.write(member(header));
            events.skipNBytes(first);
            events.transferTo(whole);
            whole.write(member(footer));
        }
        Files.move(done, output, StandardCopyOption.REPLACE_EXISTING);
        Files.delete(part);
    }
}

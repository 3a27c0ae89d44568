package wheelproof.tlc;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Runs TLC for one request after another.
 *
 * <p>A request is the number of TLC's arguments, and the arguments. TLC writes to standard output.
 * After a run stands a line with the token and TLC's exit code. Where a run leaves the JVM in
 * doubt, the process ends with that code instead.
 */
public final class Server {
    private static final int FIRST_VIOLATION = 10;
    private static final int LAST_VIOLATION = 14;

    private Server() {}

    /** Arguments: the token, and TLC's jar. */
    public static void main(String[] arguments) throws IOException {
        Isolation isolation = new Isolation(Path.of(arguments[1]));
        Properties properties = (Properties) System.getProperties().clone();
        DataInputStream requests = new DataInputStream(System.in);
        while (true) {
            String[] texts;
            try {
                texts = new String[requests.readInt()];
                for (int i = 0; i < texts.length; i++) {
                    texts[i] = requests.readUTF();
                }
            } catch (EOFException ended) {
                Runtime.getRuntime().halt(0); // even amid a run: its reader is gone
                return;
            }
            System.setProperties((Properties) properties.clone());
            new Thread(() -> answer(isolation, texts, arguments[0])).start();
        }
    }

    private static void answer(Isolation isolation, String[] arguments, String token) {
        int status = isolation.run(arguments);
        boolean judged = status == 0 || FIRST_VIOLATION <= status && status <= LAST_VIOLATION;
        boolean ready = false;
        try {
            ready = judged && isolation.restore();
        } catch (RuntimeException | Error fault) {
            fault.printStackTrace();
        }
        System.err.flush();
        if (!ready) {
            System.out.flush();
            Runtime.getRuntime().halt(status);
        }
        System.out.print("\n" + token + " " + status + "\n");
        System.out.flush();
    }
}

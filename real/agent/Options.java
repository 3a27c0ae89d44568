package wheelproof.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the command line asks of the agent: {@code -javaagent:agent.jar=out=FILE[,NAME=VALUE]}. */
final class Options {
    private static final int CHUNKS_PER_MB = 32;

    private static final String SCHEME = "kafka://";

    /** The file of the recording; null where it goes to a topic. */
    Path output;
    String servers, topic;
    String run = "";
    String release = "";
    /** Check each held lock that an event names. */
    boolean verify;
    int chunks = 64 * CHUNKS_PER_MB;
    /** How often to look for an event in vain; 0 for ever. */
    long patience;
    /** Of 10,000 adds so many are delayed, by so many ms, between clock read and link. */
    int stallEach;
    long stallMs;

    static Options parse(String text) {
        Options options = new Options();
        for (String part : text == null ? new String[0] : text.split(",")) {
            String[] pair = part.split("=", 2);
            String value = pair.length == 2 ? pair[1] : "";
            switch (pair[0]) {
                case "out": options.goesTo(value); break;
                case "run": options.run = value; break;
                case "release": options.release = value; break;
                case "verify": options.verify = true; break;
                case "memory": options.chunks = Integer.parseInt(value) * CHUNKS_PER_MB; break;
                case "patience": options.patience = Long.parseLong(value); break;
                case "stall":
                    String[] numbers = value.split(":");
                    options.stallEach = Integer.parseInt(numbers[0]);
                    options.stallMs = Long.parseLong(numbers[1]);
                    break;
                default: throw new IllegalArgumentException("no option " + pair[0]);
            }
        }
        if (options.output == null && options.topic == null) {
            throw new IllegalArgumentException("out=FILE is missing");
        }
        if (options.run.isEmpty()) {
            if (options.output == null) {
                throw new IllegalArgumentException("run=NAME is missing, the key of the records");
            }
            options.run =
                options.output.getFileName().toString().replaceAll("\\.jsonl(\\.gz)?$", "");
        }
        return options;
    }

    /** Several servers stand with ; between them: a comma ends an option. */
    private void goesTo(String value) {
        if (!value.startsWith(SCHEME)) {
            output = Path.of(value).toAbsolutePath();
            return;
        }
        String[] parts = value.substring(SCHEME.length()).split("/", 2);
        if (parts.length < 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            throw new IllegalArgumentException("out=kafka://HOST:PORT/TOPIC, not out=" + value);
        }
        servers = parts[0].replace(';', ',');
        topic = parts[1];
    }

    /** The faults that the agent is to inject, for the header. */
    List<String> faults() {
        List<String> found = new ArrayList<>();
        if (stallEach > 0) {
            found.add("a delay of " + stallMs + " ms in " + stallEach + " of 10000 adds, between "
                + "their clock read and their link");
        }
        return found;
    }
}

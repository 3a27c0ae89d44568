package wheelproof.agent;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The first line of a recording. */
final class Header {
    private Header() { }

    static String text(Options options, Collection<Log> threads, Lines lines) {
        StringBuilder text = new StringBuilder();
        text.append("{\"schema\":\"wheelproof.trace/1\",\"schema_minor\":3,\"run_id\":")
            .append(quoted(options.run))
            .append(",\"producer\":{\"name\":\"wheelproof real/agent\",")
            .append("\"lang\":\"java\",\"build\":")
            .append(quoted("kafka " + options.release)).append('}');
        text.append(",\"variant\":\"Blocking\"");
        config(text, lines);
        text.append(",\"clock\":{\"kind\":\"monotonic\",\"virtual\":false},\"threads\":{");
        text.append(threads.stream()
            .map(log -> "\"" + log.tid + "\":" + quoted(log.name))
            .collect(Collectors.joining(",")));
        text.append("},\"capture\":{\"mode\":\"full\"");
        kinds(text, "kinds", Arrays.asList(Kind.ALL));
        kinds(text, "before", Kind.BEFORE);
        text.append('}');
        map(text, "names", new TreeMap<>(Recorder.NAMES));
        text.append(",\"initial\":{\"counters\":{");
        text.append(Recorder.COUNTERS.stream().map(info -> "\"counter:" + info.id + "\":0")
            .collect(Collectors.joining(",")));
        text.append("}}");
        map(text, "hashes", Agent.hashes());
        if (!options.faults().isEmpty()) {
            text.append(",\"faults\":[");
            text.append(options.faults().stream().map(Header::quoted)
                .collect(Collectors.joining(",")));
            text.append(']');
        }
        return text.append("}\n").toString();
    }

    /** The measures that all timers share. */
    private static void config(StringBuilder text, Lines lines) {
        long[][] wheels = Recorder.WHEELS.toArray(new long[0][]);
        if (wheels.length == 0) {
            return;
        }
        String[] names = {"tick_ms", "wheel_size", "start_ms"};
        text.append(",\"config\":{");
        for (int index = 0; index < names.length; index++) {
            int column = index;
            long value = wheels[0][column];
            if (Arrays.stream(wheels).allMatch(wheel -> wheel[column] == value)) {
                text.append('"').append(names[index]).append("\":").append(value).append(',');
            }
        }
        text.append("\"levels\":").append(lines.levels).append('}');
    }

    private static void kinds(StringBuilder text, String name, Collection<Kind> kinds) {
        text.append(",\"").append(name).append("\":[").append(kinds.stream()
            .map(kind -> quoted(kind.text)).collect(Collectors.joining(","))).append(']');
    }

    private static void map(StringBuilder text, String name, Map<?, String> values) {
        if (!values.isEmpty()) {
            text.append(",\"").append(name).append("\":{").append(values.entrySet().stream()
                .map(each -> quoted(each.getKey().toString()) + ":" + quoted(each.getValue()))
                .collect(Collectors.joining(","))).append('}');
        }
    }

    /** A JSON string of ASCII characters. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                quoted.append(String.format("\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}

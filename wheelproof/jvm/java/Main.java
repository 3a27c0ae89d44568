package wheelproof.jvm;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers requests on standard input: a line with the request's name, lines of words apart by tabs,
 * and the line {@code end}. Each answer is a length and that many bytes of JSON; behind the answer
 * of {@code explore} stand its numbers, in blocks of 32-bit integers whose lengths it names.
 */
public final class Main {
    private final BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final DataOutputStream out = new DataOutputStream(
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 20));
    private Subject subject;
    private Scenario scenario;

    public static void main(String[] arguments) throws IOException {
        System.setOut(System.err);
        new Main().serve();
    }

    private void serve() throws IOException {
        for (String request = in.readLine(); request != null; request = in.readLine()) {
            List<String[]> lines = new ArrayList<>();
            for (String line = in.readLine(); line != null && !line.equals("end");
                    line = in.readLine()) {
                lines.add(line.split("\t", -1));
            }
            try {
                answer(request, lines);
            } catch (Throwable error) {
                StringWriter stack = new StringWriter();
                error.printStackTrace(new PrintWriter(stack));
                send(Map.of("error", String.valueOf(error), "stack", stack.toString()));
            }
            out.flush();
        }
    }

    private void answer(String request, List<String[]> lines) throws Exception {
        switch (request) {
            case "load" -> {
                subject = new Subject(lines);
                send(Map.of("compared", subject.loader.compared,
                        "statics", subject.loader.statics));
            }
            case "scenario" -> {
                scenario = new Scenario();
                lines.forEach(scenario::add);
                subject.sites.label(scenario.labelOfSite, scenario.fine, scenario.within);
                send(Map.of());
            }
            case "explore" -> explore(lines.get(0));
            case "replay" -> {
                int[] schedule = lines.isEmpty() ? new int[0] : numbers(lines.get(0));
                send(new Replay(subject, scenario, schedule).answer());
            }
            case "races" -> send(subject.races.answer());
            case "sites" -> send(Map.of("sites", sites(), "opaque", subject.reader.opaque()));
            default -> throw new IllegalArgumentException("there is no request " + request);
        }
    }

    private static int[] numbers(String[] words) {
        int[] numbers = new int[words.length];
        for (int index = 0; index < words.length; index++) {
            numbers[index] = Integer.parseInt(words[index]);
        }
        return numbers;
    }

    private List<Object> sites() {
        List<Object> all = new ArrayList<>();
        for (Site site : subject.sites.all()) {
            String label = site.label > 0 ? scenario.labels.get(site.label) : "";
            all.add(new Object[] {site.key, site.kind.name(), site.line, label, site.hits});
        }
        return all;
    }

    private void explore(String[] limits) throws Exception {
        Explorer explorer = new Explorer(subject, scenario);
        explorer.explore(Integer.parseInt(limits[0]), Double.parseDouble(limits[1]));
        Graph graph = explorer.graph;
        int threads = scenario.threads.size();
        int shared = 0;
        for (int[] row : graph.shared) {
            shared += row.length + 1;
        }
        Map<String, Object> head = new LinkedHashMap<>();
        head.put("states", graph.size());
        head.put("threads", threads);
        head.put("shared", shared);
        head.put("complete", explorer.complete);
        head.put("seconds", explorer.seconds);
        head.put("runs", explorer.runs);
        head.put("steps", explorer.steps);
        head.put("handed_over", explorer.handedOver);
        head.put("faults", explorer.faults);
        head.put("labels", scenario.labels);
        head.put("results", graph.results);
        send(head);
        for (int[] row : graph.shared) {
            out.writeInt(row.length);
            write(row);
        }
        for (int state = 0; state < graph.size(); state++) {
            out.writeInt(graph.sharedOf.get(state));
            out.writeInt(graph.parent.get(state));
            out.writeInt(graph.mover.get(state));
            write(graph.standing.get(state));
            write(graph.after.get(state));
            write(graph.resultsOf.get(state));
        }
    }

    private void write(int[] numbers) throws IOException {
        for (int number : numbers) {
            out.writeInt(number);
        }
    }

    private void send(Map<String, ?> answer) throws IOException {
        byte[] text = Json.of(answer).getBytes(StandardCharsets.UTF_8);
        out.writeInt(text.length);
        out.write(text);
    }
}

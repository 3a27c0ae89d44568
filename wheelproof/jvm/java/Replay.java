package wheelproof.jvm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One schedule, with what each thread stands at after each step. */
final class Replay {
    private final List<Object> states = new ArrayList<>();
    private final List<Object> results = new ArrayList<>();
    private final Scenario scenario;
    private String fault;

    Replay(Subject subject, Scenario scenario, int[] schedule) throws Exception {
        this.scenario = scenario;
        Graph graph = new Graph();
        Execution[] made = new Execution[1];
        int[] before = new int[1];
        made[0] = new Execution(subject, scenario, graph, (state, step, last) -> {
            if (step > 0) {
                results.add(graph.results.get(graph.resultsOf.get(before[0])[last]));
            }
            before[0] = state;
            states.add(described(made[0], graph, state));
            if (step == schedule.length) {
                return -1;
            }
            if (graph.after.get(state)[schedule[step]] == Graph.BLOCKED) {
                fault = scenario.threads.get(schedule[step]) + " cannot take step " + (step + 1);
                return -1;
            }
            return schedule[step];
        });
        Execution execution = made[0];
        execution.run();
        if (execution.broken != null) {
            fault = "a run cannot go on: " + execution.broken;
        }
        for (Worker worker : execution.workers) {
            if (worker.failure != null) {
                states.add(described(execution, graph, execution.last()));
            }
        }
        execution.end();
    }

    private Map<String, Object> described(Execution execution, Graph graph, int state) {
        List<Object> threads = new ArrayList<>();
        for (Worker worker : execution.workers) {
            Map<String, Object> thread = new LinkedHashMap<>();
            thread.put("thread", scenario.threads.get(worker.index));
            thread.put("standing", graph.standing.get(state)[worker.index] % 4);
            if (worker.ended) {
                thread.put("label", worker.failure == null ? "Done" : "Failed");
                thread.put("failure", worker.failure == null ? null : worker.failure.toString());
                thread.put("frames", List.of());
            } else {
                List<Object> frames = new ArrayList<>();
                for (int caller = 0; caller < worker.depth; caller++) {
                    frames.add(frame(execution, worker.callers[caller],
                            worker.callerValues[caller]));
                }
                frames.add(frame(execution, worker.at, worker.values));
                thread.put("label", scenario.labels.get(worker.at.label));
                thread.put("frames", frames);
            }
            threads.add(thread);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        List<Integer> shared = new ArrayList<>();
        for (int number : graph.shared.get(graph.sharedOf.get(state))) {
            shared.add(number);
        }
        all.put("shared", shared);
        all.put("threads", threads);
        return all;
    }

    private static Map<String, Object> frame(Execution execution, Site site, Object[] values) {
        List<String> shown = new ArrayList<>();
        Hooks.quiet = true;
        try {
            for (Object value : values) {
                shown.add(text(execution, value));
            }
        } finally {
            Hooks.quiet = false;
        }
        return Map.of("site", site.key, "line", site.line, "values", shown);
    }

    private static String text(Execution execution, Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        String name = execution.harness.name(value);
        String type = value.getClass().getSimpleName();
        return name == null ? type : type + " " + name;
    }

    Map<String, Object> answer() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("fault", fault);
        all.put("states", states);
        all.put("results", results);
        return all;
    }
}

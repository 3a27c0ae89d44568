package wheelproof.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All states of a scenario. A run takes steps that no run took, as long as there are any; the
 * next one replays the way to the shallowest state that is not finished. A step that is taken again
 * has to lead where it led before.
 */
final class Explorer {
    private final Subject subject;
    private final Scenario scenario;
    final Graph graph = new Graph();
    final List<String> faults = new ArrayList<>();
    long runs;
    long steps;
    long handedOver;
    boolean complete;
    double seconds;
    private int most;

    Explorer(Subject subject, Scenario scenario) {
        this.subject = subject;
        this.scenario = scenario;
    }

    void explore(int mostStates, double mostSeconds) throws Exception {
        long began = System.nanoTime();
        most = mostStates;
        run(new int[0]);
        int next = 0;
        boolean spent = false;
        while (faults.isEmpty() && !spent && next < graph.size()) {
            if (graph.finished(next)) {
                next++;
            } else {
                seconds = (System.nanoTime() - began) / 1e9;
                spent = graph.size() > mostStates || seconds > mostSeconds;
                if (!spent) {
                    run(graph.way(next));
                }
            }
        }
        complete = faults.isEmpty() && !spent;
        seconds = (System.nanoTime() - began) / 1e9;
    }

    private void run(int[] way) throws Exception {
        Execution execution = new Execution(subject, scenario, graph, (state, step, last) -> {
            int[] after = graph.after.get(state);
            if (step < way.length) {
                return after[way[step]] == Graph.BLOCKED ? -1 : way[step];
            }
            // a machine without end makes new states for ever
            if (graph.size() > most) {
                return -1;
            }
            if (last >= 0 && after[last] == Graph.UNTRIED) {
                return last;
            }
            for (int thread = 0; thread < after.length; thread++) {
                if (after[thread] == Graph.UNTRIED) {
                    return thread;
                }
            }
            return -1;
        });
        execution.run();
        runs++;
        steps += execution.steps;
        handedOver += execution.handedOver;
        if (execution.broken != null) {
            execution.broken.printStackTrace();
            faults.add("a run cannot go on: " + execution.broken);
        } else if (execution.divergence != null) {
            faults.add(execution.divergence + ", after " + Arrays.toString(way));
        } else {
            boolean failed = false;
            for (Worker worker : execution.workers) {
                if (worker.failure != null) {
                    failed = true;
                }
            }
            if (!failed && execution.steps < way.length) {
                faults.add("a known way ended early: " + Arrays.toString(way));
            }
        }
        execution.end();
    }
}

package wheelproof.explore;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answer of a search as plain data. */
final class Report {
    private Report() { }

    static Map<String, Object> of(Search search, Loader loader) {
        Execution execution = search.execution;
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("answer", search.answer);
        all.put("reason", search.reason);
        all.put("executions", execution.runs);
        all.put("restarts", search.restarts);
        all.put("points", execution.allPoints);
        all.put("accesses", execution.allAccesses);
        all.put("classes", Loader.count());
        all.put("compared", loader.compared);
        List<Object> places = new ArrayList<>();
        execution.conflicts.visible().forEach(site -> places.add(of(site)));
        all.put("places", places);
        List<String> kinds = new ArrayList<>();
        Map.of("unlock", execution.unlocks, "interrupt", execution.interrupts, "end",
                execution.ends).forEach((kind, is) -> kinds.addAll(is ? List.of(kind) : List.of()));
        kinds.add(Search.PASS + execution.passes);
        all.put("kinds", kinds);
        List<Object> races = new ArrayList<>();
        execution.conflicts.races.values().forEach(pair ->
                races.add(List.of(of(pair[0]), of(pair[1]))));
        all.put("races", races);
        if (search.answer.equals("bug")) {
            all.put("failure", failure(search));
        }
        return all;
    }

    private static Map<String, Object> of(Site site) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("file", site.file == null ? Site.simple(site.type) : site.file);
        line.put("method", Site.simple(site.type) + "." + site.method);
        line.put("line", site.line);
        line.put("operation", site.verb);
        line.put("target", Mapping.original(site.target).replace('$', '.'));
        line.put("key", site.key);
        line.put("copied", site.copied);
        return line;
    }

    private static Map<String, Object> failure(Search search) {
        Map<String, Object> all = new LinkedHashMap<>();
        Recorder recorder = search.recorder;
        all.put("kind", search.failure.kind());
        all.put("thread", search.failure.thread());
        all.put("preemptions", search.preemptions);
        all.put("minimal", search.minimal);
        all.put("steps", recorder.steps());
        boolean waits = search.failure.raised() == null
                && !search.failure.kind().equals(Result.ENDLESS);
        all.put("waits", waits ? recorder.waits() : List.of());
        all.put("cycle", waits ? recorder.cycle() : List.of());
        List<Object> switches = new ArrayList<>();
        recorder.switches().forEach(each -> switches.add(List.of(each.thread(), each.place(),
                each.visit(), each.following())));
        all.put("switches", switches);
        History history = search.program instanceof History drawn ? drawn : null;
        all.put("program", history == null ? List.of() : history.program());
        all.put("table", history == null ? List.of() : history.why(search.failure));
        Throwable raised = search.failure.raised();
        if (raised != null) {
            Map<String, Object> line = Recorder.place(Columns.frame(raised.getStackTrace()), null);
            line.put("says", raised.toString());
            all.put("raised", line);
        }
        return all;
    }
}

package wheelproof.explore;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wheelproof.explore.Strand.Kind;

/** The steps of one run, as columns show them, and its switches, by which it is run again. */
final class Recorder {
    private static final int LONGEST = 60;

    /** An operation that was done. {@code holds} and {@code value}: once it is over. */
    private static final class Step {
        Strand strand;
        Kind kind;
        Site site;
        Object object;
        long offset;
        StackTraceElement frame;
        boolean preempts;
        String operation;
        String value = "";
        List<Object> holds = List.of();
    }

    /** A thread stops in front of a place, or waits there where it is empty; another goes on. */
    record Switch(String thread, String place, int visit, String following) { }

    private final Execution execution;
    private final Program program;
    private final List<Step> steps = new ArrayList<>();
    private final List<Switch> switches = new ArrayList<>();
    private final Map<String, Integer> visits = new HashMap<>();
    private final List<Object> waits = new ArrayList<>();
    private final List<String> cycle = new ArrayList<>();
    private final List<Object> lines = new ArrayList<>();
    private Names names;
    private Strand before;

    Recorder(Execution execution, Program program) {
        this.execution = execution;
        this.program = program;
    }

    List<Switch> switches() {
        return switches;
    }

    /** A thread has come to an operation. */
    void stands(Strand strand) {
        finish();
        visits.merge(strand.label + " " + strand.site.key, 1, Integer::sum);
    }

    /** How often a thread has come to the place where it stands. */
    int visits(Strand strand) {
        return visits.getOrDefault(strand.label + " " + strand.site.key, 0);
    }

    /** A thread is about to do its operation. {@code stays}: the one before could have gone on. */
    void moves(Strand strand, boolean preempts, boolean stays) {
        finish();
        Step step = step(strand, strand.kind, strand.site, strand.object);
        step.offset = strand.offset;
        step.preempts = preempts;
        step.operation = operation(strand);
        steps.add(step);
        if (before != null && before != strand) {
            String place = stays ? before.site.key : "";
            switches.add(new Switch(before.label, place, stays ? visits(before) : 0,
                    strand.label));
        } else if (before == null && strand.index != 0) {
            switches.add(new Switch(execution.strands[0].label, "", 0, strand.label));
        }
        before = strand;
    }

    /** A step that is no event of its own: a monitor was given back, or the thread slept. */
    void notes(Strand strand, Kind kind, Object object, Site site) {
        finish();
        Step step = step(strand, kind, site, object);
        step.operation = kind.verb;
        steps.add(step);
    }

    private static Step step(Strand strand, Kind kind, Site site, Object object) {
        Step step = new Step();
        step.strand = strand;
        step.kind = kind;
        step.site = site;
        step.object = object;
        step.offset = Places.WHOLE;
        step.frame = Columns.frame(strand);
        return step;
    }

    private static String operation(Strand strand) {
        boolean signalled = strand.kind == Kind.PARK && strand.permit
                || strand.kind == Kind.JOIN && strand.target.ended
                || strand.kind == Kind.REACQUIRE && strand.notified || strand.interrupted;
        if (strand.timed && !signalled) {
            return "time out";
        }
        return strand.kind == Kind.ACCESS ? strand.site.verb : strand.kind.verb;
    }

    /** The last step is over: what it has read or written, and what its thread holds. */
    private void finish() {
        if (steps.isEmpty()) {
            return;
        }
        Step step = steps.get(steps.size() - 1);
        step.holds = List.copyOf(step.strand.held);
        if (step.kind == Kind.ACCESS && step.offset != Places.WHOLE && step.object != null) {
            step.value = value(step);
        }
    }

    private static String value(Step step) {
        Object object = step.object;
        Field field = Fields.at(object.getClass(), step.offset);
        if (field == null) {
            return "";
        }
        Class<?> type = field.getType();
        if (type == boolean.class) {
            return "" + Fields.UNSAFE.getBoolean(object, step.offset);
        } else if (type == int.class) {
            return "" + Fields.UNSAFE.getInt(object, step.offset);
        } else if (type == long.class) {
            return "" + Fields.UNSAFE.getLong(object, step.offset);
        } else if (type.isPrimitive()) {
            return "";
        }
        return text(Fields.UNSAFE.getObject(object, step.offset));
    }

    /** An object in a few words. No code of the program runs for it. */
    private static String text(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean
                || value instanceof Enum) {
            return value instanceof Enum<?> item ? item.name() : String.valueOf(value);
        }
        String text = value instanceof String string ? '"' + string + '"'
                : Columns.simple(value.getClass());
        return text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
    }

    // as plain data

    List<Object> steps() {
        return lines;
    }

    private Object line(Step step) {
        Map<String, Object> line = place(step.frame, step.site);
        line.put("thread", step.strand.label);
        line.put("operation", step.operation);
        line.put("target", target(step));
        line.put("value", step.value);
        line.put("holds", step.holds.stream().map(names::of).toList());
        line.put("preempts", step.preempts);
        return line;
    }

    static Map<String, Object> place(StackTraceElement frame, Site site) {
        Map<String, Object> line = new LinkedHashMap<>();
        String name = frame == null ? "" : Mapping.original(frame.getClassName().replace('.', '/'));
        String source = frame == null ? null : frame.getFileName();
        line.put("method", frame == null ? "" : Site.simple(name) + "." + frame.getMethodName());
        line.put("file", source == null ? Site.simple(name) : source);
        line.put("line", frame == null ? 0 : frame.getLineNumber());
        line.put("key", site == null ? "" : site.key);
        return line;
    }

    /** What the operation is about: a field of a class, an atomic by its holder, a lock. */
    private String target(Step step) {
        if (step.kind == Kind.SLEEP) {
            return "";
        } else if (step.kind == Kind.JOIN || step.kind == Kind.END || step.kind == Kind.PARK
                || step.object instanceof Thread) {
            Strand of = step.object instanceof Thread thread
                    ? Execution.CURRENT.of(thread) : step.strand;
            return of == null ? "a thread" : of.label;
        } else if (step.kind == Kind.ACCESS && step.site.field != null && !step.site.copied) {
            return step.site.target.replace('$', '.');
        } else if (step.kind == Kind.ACCESS && step.object != null
                && step.object.getClass().getName().replace('.', '/').startsWith(Mapping.PREFIX)) {
            Field field = Fields.at(step.object.getClass(), step.offset);
            String holder = names.of(step.object);
            return field == null || field.getName().equals("value") ? holder
                    : holder + "." + field.getName();
        } else if (step.kind == Kind.ACCESS && step.site.field != null) {
            return step.site.target.replace('$', '.');
        }
        return names.of(step.object);
    }

    /** The run has ended, and no thread is unwound yet: names, and what waits. */
    void stops() {
        finish();
        names = new Names(program.instance, execution);
        Waiting.cycle(execution).forEach(index -> cycle.add(execution.strands[index].label));
        boolean preempts = false;
        for (Step step : steps) {
            preempts |= step.preempts;
            if (step.site != History.CALL && step.site != History.RETURN) {
                step.preempts = preempts;
                preempts = false;
                lines.add(line(step));
            }
        }
        for (int index = 0; index < execution.count; index++) {
            Strand strand = execution.strands[index];
            if (!strand.ended && strand.kind != null) {
                waits.add(waits(strand));
            }
        }
    }

    /** What a thread waits for. */
    private Object waits(Strand strand) {
        Strand holder = Waiting.holder(strand);
        Map<String, Object> line = place(Columns.frame(strand), strand.site);
        line.put("thread", strand.label);
        line.put("awaited", switch (strand.kind) {
            case JOIN -> holder.label;
            case PARK -> "an unpark";
            case REACQUIRE -> strand.notified ? names.of(strand.object)
                    : "a notification of " + names.of(strand.object);
            default -> names.of(strand.object);
        });
        line.put("holder", holder == null ? "" : holder.label);
        return line;
    }

    List<Object> waits() {
        return waits;
    }

    /** Threads that wait for each other. */
    List<String> cycle() {
        return cycle;
    }
}

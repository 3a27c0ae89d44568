package org.apache.kafka.server.util.timer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.atomic.AtomicInteger;
import subject.Wheels;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/**
 * A scenario of the wheel above the lowest one. Each thread adds an entry that is due too late for
 * the lowest wheel. Its add ends where the wheel above has read its time and would link the entry:
 * lists are another mechanism's. Stores of plain fields reach memory by threads of their own.
 */
final class OverflowWheelHarness extends MemoryHarness {
    private static final int WHEEL_SIZE = 8;
    private static final long START_MS = 16;
    /** Fits into the wheel above with its time, and also while its time is not there yet: 0. */
    private static final long DEADLINE_MS = 24;

    /** A task that does nothing. */
    static final class Task extends TimerTask {
        Task() {
            super(0);
        }

        @Override
        public void run() { }
    }

    /** Ends an add in front of the link. */
    static final class Found extends RuntimeException {
        private static final long serialVersionUID = 1;
        static final Found INSTANCE = new Found();

        private Found() {
            super(null, null, false, false);
        }
    }

    private final AtomicInteger counter = new AtomicInteger();
    private final TimingWheel lowest;
    /** The wheels above it, in the order in which they were made. */
    private final List<TimingWheel> made = new ArrayList<>();
    private final List<TimerTaskEntry> entries = new ArrayList<>();
    private final TimingWheel[] foundWheel;
    private final Object[] foundTime;
    private final transient List<TimingWheel> met = new ArrayList<>();
    private final transient Map<String, Integer> places = new LinkedHashMap<>();
    private final transient List<String> wheels;

    OverflowWheelHarness(Scenario scenario) {
        super(scenario);
        lowest = new TimingWheel(1, WHEEL_SIZE, START_MS, counter, new DelayQueue<>());
        wheels = scenario.values("wheels");
        for (String[] operation : scenario.operations()) {
            if (operation[0].equals("place")) {
                places.put(operation[1], places.size());
                entries.add(new TimerTaskEntry(new Task(), DEADLINE_MS));
            }
        }
        foundWheel = new TimingWheel[places.size()];
        foundTime = new Object[places.size()];
    }

    @Override
    public Object perform(String[] operation) {
        switch (operation[0]) {
            case "place" -> place(places.get(operation[1]));
            case "memory" -> memory(operation[1], operation[2]);
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    private void place(int number) {
        try {
            lowest.add(entries.get(number));
        } catch (Found found) {
            return;
        }
        throw new IllegalStateException("no wheel links the entry");
    }

    @Override
    protected void moves(Site site, Object[] values) {
        if (site.key.equals("TimingWheel.add:INVOKE add#0")) {
            int place = places.get(self());
            foundWheel[place] = (TimingWheel) values[0];
            foundTime[place] = seen();
            throw Found.INSTANCE;
        }
    }

    @Override
    String field(String name) {
        return switch (name) {
            case "current_time" -> "currentTimeMs";
            case "overflow_wheel" -> "overflowWheel";
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Override
    String nameOf(Object object) {
        if (object instanceof String field) {
            return field.equals("currentTimeMs") ? "current_time" : "overflow_wheel";
        }
        return object instanceof Long ? time(object) : name(object);
    }

    /** The one monitor is the lowest wheel's. */
    @Override
    String lock(Object object) {
        return "wheel";
    }

    @Override
    public void met(Object object) {
        if (object instanceof TimingWheel wheel && wheel != lowest) {
            met.add(wheel);
        }
    }

    /** A wheel is made once its constructor has stored something. */
    private void look() {
        for (TimingWheel wheel : met) {
            if (!made.contains(wheel) && Wheels.get(wheel, "taskCounter") != null) {
                made.add(wheel);
            }
        }
    }

    @Override
    public String name(Object object) {
        if (object == lowest) {
            return "w0";
        }
        int number = made.indexOf(object);
        return number < 0 ? null : wheels.get(number);
    }

    private static String time(Object time) {
        if (time == null || time.equals(0L)) {
            return null;
        }
        if (!time.equals(START_MS)) {
            throw new IllegalStateException("a wheel's time is " + time);
        }
        return "start";
    }

    @Override
    public void shared(Shared out) {
        look();
        buffer(out);
        out.variable().name(name(Wheels.get(lowest, "overflowWheel")));
        out.variable();
        for (int number = 0; number < wheels.size(); number++) {
            boolean there = number < made.size();
            out.name(there ? time(Wheels.clock(made.get(number))) : null);
        }
        out.variable().name(null);
        out.variable().name("e");
        out.variable().monitor(owner(lowest), depth(lowest));
        for (int other = 0; other < 3; other++) {
            out.monitor(0, 0);
        }
        out.variable().number(made.size());
        out.variable().number(counter.get());
        out.variable().number(0);
        out.variable();
        for (TimingWheel wheel : foundWheel) {
            out.name(wheel == null ? null : name(wheel));
        }
        out.variable();
        for (Object time : foundTime) {
            out.name(time(time));
        }
    }
}

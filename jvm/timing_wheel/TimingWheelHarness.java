package org.apache.kafka.server.util.timer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import subject.ScenarioTime;
import subject.Wheels;
import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;
import wheelproof.jvm.Site;

/**
 * A scenario of TimingWheel by itself, with the JDK's DelayQueue. The contract of the wheel's users
 * is a read/write lock. The queue's time is late: each bucket is due, and the wheel's own clock is
 * all the time there is.
 */
final class TimingWheelHarness extends Harness {
    private static final long LATE_MS = 1L << 40;

    /** A task that does nothing. */
    static final class Task extends TimerTask {
        Task() {
            super(0);
        }

        @Override
        public void run() { }
    }

    private final ScenarioTime clock = ScenarioTime.begin(LATE_MS);
    private final AtomicInteger counter = new AtomicInteger();
    private final DelayQueue<TimerTaskList> queue = new DelayQueue<>();
    private final TimingWheel wheel;
    private final Map<String, TimerTaskEntry> entries = new LinkedHashMap<>();
    private final ReentrantReadWriteLock contract = new ReentrantReadWriteLock();
    private final List<TimerTaskEntry> handed = new ArrayList<>();
    private int adding;
    private final transient int wheelSize;
    private final transient int levels;

    TimingWheelHarness(Scenario scenario) {
        wheelSize = Integer.parseInt(scenario.value("wheel_size"));
        levels = Integer.parseInt(scenario.value("levels"));
        long start = Long.parseLong(scenario.value("start"));
        wheel = new TimingWheel(1, wheelSize, start, counter, queue);
        for (String name : scenario.keys("deadline")) {
            long deadline = Long.parseLong(scenario.value("deadline." + name));
            entries.put(name, new TimerTaskEntry(new Task(), deadline));
        }
        for (String[] operation : scenario.operations()) {
            adding += operation[0].equals("add") ? 1 : 0;
        }
    }

    @Override
    public Object perform(String[] operation) {
        switch (operation[0]) {
            case "add" -> add(entries.get(operation[1]));
            case "expire" -> expire();
            case "withdraw" -> withdraw();
            default -> throw new IllegalArgumentException(operation[0]);
        }
        return null;
    }

    private void add(TimerTaskEntry entry) {
        ReentrantReadWriteLock.ReadLock reading = contract.readLock();
        reading.lock();
        put(entry);
        reading.unlock();
        adding--;
    }

    /** Into the wheel, or over if the wheel does not take it. */
    private void put(TimerTaskEntry entry) {
        if (!wheel.add(entry)) {
            hand(entry);
        }
    }

    private void hand(TimerTaskEntry entry) {
        step("hand", entry);
        handed.add(entry);
    }

    private void expire() {
        ReentrantReadWriteLock.WriteLock writing = contract.writeLock();
        while (due()) {
            writing.lock();
            TimerTaskList bucket = queue.poll();
            if (bucket != null) {
                wheel.advanceClock(bucket.getExpiration());
            }
            writing.unlock();
            if (bucket != null) {
                bucket.flush(this::put);
            }
        }
    }

    private boolean due() {
        return !queue.isEmpty();
    }

    private void withdraw() {
        TimerTaskList bucket = queue.poll();
        while (bucket != null) {
            bucket.flush(this::hand);
            bucket = queue.poll();
        }
    }

    /** No entry is linked, and none will be. */
    private boolean over() {
        return counter.get() == 0 && adding == 0;
    }

    @Override
    public boolean waits(int thread, Site site, Object target, Object[] values) {
        boolean takes = site.key.equals("TimingWheelHarness.due:CALL DelayQueue.isEmpty#0")
                || site.key.startsWith("TimingWheelHarness.withdraw:CALL DelayQueue.poll#");
        return takes && queue.isEmpty() && !over();
    }

    @Override
    public String name(Object object) {
        for (Map.Entry<String, TimerTaskEntry> each : entries.entrySet()) {
            if (each.getValue() == object) {
                return each.getKey();
            }
        }
        Integer number = new Wheels(wheel).number(object);
        return number == null ? null : number.toString();
    }

    private List<String> names(List<TimerTaskEntry> of) {
        return of.stream().map(this::name).toList();
    }

    @Override
    public void shared(Shared out) {
        Wheels made = new Wheels(wheel);
        int unmade = levels - made.levels().size();
        List<Integer> empty = Collections.nCopies(unmade * wheelSize, 0);
        out.variable().number(proper(made));
        out.variable();
        made.levels().forEach(level -> out.number(Wheels.clock(level)));
        Collections.nCopies(unmade, -1).forEach(out::number);
        out.variable();
        made.buckets().forEach(bucket -> out.names(Wheels.content(bucket, this::name)));
        empty.forEach(each -> out.tuple(0));
        out.variable();
        made.buckets().forEach(bucket -> out.monitor(owner(bucket), depth(bucket)));
        empty.forEach(each -> out.monitor(0, 0));
        out.variable();
        made.buckets().forEach(bucket -> out.number(Wheels.key(bucket)));
        empty.forEach(each -> out.number(-1));
        out.variable();
        made.queued(out, queue);
        out.variable().number(counter.get());
        out.variable().threads(readers(contract));
        out.variable().thread(owner(contract));
        out.variable().number(adding);
        out.variable().names(names(handed));
    }

    /** The levels that have the tick and the interval of their place. */
    private int proper(Wheels made) {
        int count = 0;
        long tick = 1;
        for (Object level : made.levels()) {
            boolean mine = Wheels.get(level, "tickMs").equals(tick)
                    && Wheels.get(level, "interval").equals(tick * wheelSize);
            count += mine ? 1 : 0;
            tick *= wheelSize;
        }
        return count;
    }
}

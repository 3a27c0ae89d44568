package wheelproof.jvm;

import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The loaded classes, with the threads that run them. */
final class Subject {
    final Sites sites = new Sites();
    final SubjectLoader loader;
    final StateReader reader;
    /** "Class.field" of those whose stores may be delayed. */
    final Set<String> delayed;
    final Races races = new Races();
    private final Constructor<?> harness;
    private final List<Worker> workers = new ArrayList<>();

    /**
     * The request's lines: {@code path}, {@code class}, {@code harness} (the first one is created
     * for each run), {@code call}, {@code delay CLASS.FIELD}, {@code redirect CLASS FIELD FIELD},
     * {@code change CLASS NAME}.
     */
    Subject(List<String[]> lines) throws Exception {
        List<URL> urls = new ArrayList<>();
        Set<String> subject = new LinkedHashSet<>();
        Set<String> harnesses = new LinkedHashSet<>();
        Set<String> calls = new HashSet<>();
        delayed = new LinkedHashSet<>();
        Map<String, String> redirected = new LinkedHashMap<>();
        String[] change = null;
        for (String[] words : lines) {
            switch (words[0]) {
                case "path" -> urls.add(new File(words[1]).toURI().toURL());
                case "class" -> subject.add(words[1]);
                case "harness" -> harnesses.add(words[1]);
                case "call" -> calls.add(words[1]);
                case "delay" -> delayed.add(words[1]);
                case "redirect" -> redirected.put(words[1] + " " + words[2], words[3]);
                case "change" -> change = words;
                default -> throw new IllegalArgumentException(words[0]);
            }
        }
        URL[] path = urls.toArray(new URL[0]);
        loader = new SubjectLoader(path, subject, harnesses, calls, delayed, redirected,
                change == null ? null : change(path, change[1], change[2]), sites);
        Set<String> read = new HashSet<>();
        subject.forEach(name -> read.add(name.replace('/', '.')));
        harnesses.forEach(name -> read.add(name.replace('/', '.')));
        reader = new StateReader(read);
        String first = harnesses.iterator().next().replace('/', '.');
        harness = Class.forName(first, true, loader).getDeclaredConstructor(Scenario.class);
        harness.setAccessible(true);
        Hooks.sites = sites;
    }

    /** A named change, by a class of the harness's folder that is loaded apart from the subject. */
    private static SubjectLoader.Change change(URL[] path, String type, String name)
            throws Exception {
        ClassLoader apart = new URLClassLoader(path, Subject.class.getClassLoader());
        Constructor<?> made = Class.forName(type, true, apart).getDeclaredConstructor();
        made.setAccessible(true);
        Changes changes = (Changes) made.newInstance();
        return node -> changes.apply(name, node);
    }

    Harness harness(Scenario scenario) throws Exception {
        try {
            return (Harness) harness.newInstance(scenario);
        } catch (InvocationTargetException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        }
    }

    Worker[] workers(int count) {
        while (workers.size() < count) {
            Worker worker = new Worker(workers.size());
            worker.start();
            workers.add(worker);
        }
        return workers.subList(0, count).toArray(new Worker[0]);
    }
}

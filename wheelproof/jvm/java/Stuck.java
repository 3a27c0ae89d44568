package wheelproof.jvm;

/** A run in which no thread makes a step: the process ends, with the threads' stacks. */
final class Stuck {
    /** The exit code of the process. */
    static final int EXIT_CODE = 98;

    private Stuck() { }

    static void halt(Worker[] workers) {
        StringBuilder text = new StringBuilder("no step for ")
                .append(Execution.STUCK_NANOS / 1_000_000_000L)
                .append(" s: an unhooked call blocks, or a loop does not end\n");
        for (Worker worker : workers) {
            text.append(worker.getName()).append(worker.ended ? " has ended\n" : "\n");
            for (StackTraceElement frame : worker.getStackTrace()) {
                text.append("    ").append(frame).append('\n');
            }
        }
        System.err.print(text);
        System.err.flush();
        Runtime.getRuntime().halt(EXIT_CODE);
    }
}

package wheelproof.explore;

/** How a run ended. {@code kind}: of a failure; {@code raised}: the exception behind it. */
record Result(Ending ending, String kind, String message, String thread, Throwable raised) {
    static final String ASSERTION = "assertion";
    static final String EXCEPTION = "exception";
    static final String DEADLOCK = "deadlock";
    static final String LOST_WAKE_UP = "lost wake-up";
    static final String ENDLESS = "endless loop";
    static final String RESULTS = "wrong results";

    /** The ends of runs. */
    enum Ending {
        /** All threads have ended, or those that are left wait behind the main thread's end. */
        DONE,
        FAILED,
        /** A limit ended the run. */
        CUT,
        /** Sleep sets: an equivalent run has been seen. */
        REDUNDANT,
        /** The same choices led elsewhere. */
        DIFFERENT,
        /** The program does what cannot be stepped. */
        REFUSED,
        /** The tool, or the classes that it was given, are at fault. */
        BROKEN
    }

    static Result of(Ending ending, String message) {
        return new Result(ending, "", message, "", null);
    }

    static Result failed(String kind, String message, String thread) {
        return new Result(Ending.FAILED, kind, message, thread, null);
    }

    /** An exception that no thread has caught. */
    static Result raised(Throwable error, String thread) {
        String name = error.getClass().getSimpleName();
        if (error instanceof LinkageError || error instanceof VirtualMachineError) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            return new Result(Ending.BROKEN, "", error + ", by " + cause, thread, cause);
        }
        boolean asserts = error instanceof AssertionError;
        return new Result(Ending.FAILED, asserts ? ASSERTION : EXCEPTION,
                name + " in " + thread, thread, error);
    }

    boolean isFailure() {
        return ending == Ending.FAILED;
    }
}

package wheelproof.jvm;

/** Ends a thread of the subject where it stands, when a run is over. */
final class Abort extends Error {
    static final Abort INSTANCE = new Abort();

    private Abort() {
        super("the run is over", null, false, false);
    }
}

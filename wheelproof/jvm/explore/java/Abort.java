package wheelproof.explore;

/** Ends a thread whose run is over. */
final class Abort extends Error {
    static final Abort INSTANCE = new Abort();

    private Abort() {
        super(null, null, false, false);
    }
}

package wheelproof.agent;

/** What an order token is about: a lock, a read/write lock, or a word of an object. */
enum Token {
    LIST("L", "list", ""), ENTRY("L", "entry", ""), TASK("L", "task", ""), OP("L", "op", ""),
    WHEEL("L", "wheel", ""), SHARD("L", "lock", ""), QUEUE("L", "queue", ""),
    TIMER("RW", "timer", ""), COUNTER("V", "counter", ""),
    KEY("V", "list", ".expiration"), LIVE("V", "task", ".timerTaskEntry"),
    COMPLETED("V", "op", ".completed"), ABOVE("V", "wheel", ".overflowWheel");

    static final Token[] ALL = values();
    static final String[] MODES = {"r", "w", "cas+", "cas-"};
    static final int READ = 0, WRITE = 1, CAS = 2, CAS_FAILED = 3;

    final String kind, of, field;

    Token(String kind, String of, String field) {
        this.kind = kind;
        this.of = of;
        this.field = field;
    }
}

package wheelproof.agent;

/** The numbers that an event may have, in the order in which the format writes them. */
enum Column {
    SPAN("span"), PARENT("parent"), TIMER("timer"), PURGATORY("purgatory"), TASK("task"),
    ENTRY("entry"), LIST("list"), OP("op"), KEY("key"), LEVEL("level"), BUCKET("bucket"),
    VID("vid"), EXP("exp_ms"), DELAY("delay_ms"), NOW("now_ms"), WHEEL("wheel_ms"),
    KEY_MS("key_ms"), COUNT("count"),
    PRE_LIST("list"), PRE_ENTRY("entry"), PRE_KEY("key_ms"), PRE_COMPLETED("completed"),
    POST_LIST("list"), POST_ENTRY("entry"), POST_COUNTER("counter"), POST_KEY("key_ms");

    static final Column[] ALL = values();

    final String text;

    Column(String text) {
        this.text = text;
    }
}

package wheelproof.jvm;

/**
 * One hooked instruction. Its key is {@code Class.method:INSTRUCTION member#ordinal}; the ordinal
 * counts equal instructions of a method from 0.
 */
public final class Site {
    /** What a hooked instruction does. */
    enum Kind {
        READ, WRITE, LOCK, UNLOCK, TRY_LOCK, READ_LOCK, READ_UNLOCK, WRITE_LOCK, WRITE_UNLOCK,
        CALL, INVOKE, HARNESS,
        /** A call of the JDK that runs code of others in between, and holds no lock meanwhile. */
        CALL_BACK,
        /** A store of a constructor: no step, unless it has a label. */
        INIT;

        /** Whether it gives a lock back, which code does wherever it ends. */
        boolean releases() {
            return this == UNLOCK || this == READ_UNLOCK || this == WRITE_UNLOCK;
        }
    }

    /** No label: the access belongs to the step under way. */
    static final int NONE = -1;
    /** The label of every unlabelled access where each access is a step: a stutter of the model. */
    static final int STUTTER = 0;

    public final String key;
    final int id;
    final Kind kind;
    final int line;
    /** The field that is accessed, or null. */
    final ClassTable.Declared field;
    /** What a call orders. */
    final Order.Call order;
    /** Operands above the one that the instruction works on. */
    private final int above;
    int label = NONE;
    long hits;

    Site(int id, String key, Kind kind, int above, int line, ClassTable.Declared field,
            Order.Call order) {
        this.id = id;
        this.key = key;
        this.kind = kind;
        this.above = above;
        this.line = line;
        this.field = field;
        this.order = order;
    }

    /** The object that the instruction works on; values are the locals, then the operand stack. */
    Object target(Object[] values) {
        boolean hasTarget = kind != Kind.HARNESS && kind != Kind.INVOKE && values.length > above;
        return hasTarget ? values[values.length - 1 - above] : null;
    }
}

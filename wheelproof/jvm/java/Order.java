package wheelproof.jvm;

import java.util.List;

/**
 * What Java's memory model orders: the release of a lock comes before its next acquisition, and a
 * write of a volatile field or an atomic before the reads after it. A concurrent collection counts
 * as one lock, which orders more than its documentation promises.
 */
final class Order {
    private static final List<Key> NONE = List.of();
    /** The part of a read/write lock that its readers release. */
    private static final String READERS = "readers";

    private Order() { }

    /** What is released and acquired: an object, or a part of it; equal where they are the same. */
    record Key(Object object, Object part) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.object == object && key.part == part;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(object) + System.identityHashCode(part);
        }
    }

    /** What an instruction acquires, before it accesses anything. */
    static List<Key> acquired(Site site, Object target) {
        if (target == null) {
            return NONE;
        }
        return switch (site.kind) {
            case LOCK, READ_LOCK -> List.of(new Key(Hooks.lockOf(target), null));
            case WRITE_LOCK -> List.of(new Key(Hooks.lockOf(target), null),
                    new Key(Hooks.lockOf(target), READERS));
            case CALL, CALL_BACK -> site.order.reads ? List.of(new Key(target, null)) : NONE;
            case READ -> site.field.isVolatile() ? List.of(new Key(target, site.field)) : NONE;
            default -> NONE;
        };
    }

    /** What an instruction releases, after its access. */
    static List<Key> released(Site site, Object target) {
        if (target == null) {
            return NONE;
        }
        return switch (site.kind) {
            case UNLOCK, WRITE_UNLOCK -> List.of(new Key(Hooks.lockOf(target), null));
            case READ_UNLOCK -> List.of(new Key(Hooks.lockOf(target), READERS));
            case CALL, CALL_BACK -> site.order.writes ? List.of(new Key(target, null)) : NONE;
            case WRITE -> site.field.isVolatile() ? List.of(new Key(target, site.field)) : NONE;
            default -> NONE;
        };
    }

    /** What a call of a class of java.util.concurrent orders. */
    enum Call {
        NOTHING(false, false), READ(true, false), WRITE(false, true), BOTH(true, true);

        final boolean reads;
        final boolean writes;

        Call(boolean reads, boolean writes) {
            this.reads = reads;
            this.writes = writes;
        }

        static Call of(String owner, String method) {
            if (!Operation.orders(owner)) {
                return NOTHING;
            }
            return switch (method) {
                case "get", "isDone" -> READ;
                case "set", "lazySet" -> WRITE;
                default -> BOTH;
            };
        }
    }
}

package wheelproof.agent;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The kinds of event that the agent writes. Their names are those of the format, in capitals. */
enum Kind {
    THREAD_START, DROP, FAULT,
    RW_ACQUIRE, RW_RELEASE,
    ADD_BEGIN, ADD_END, ADD_REQUEST, ENTRY_NEW, SET_ENTRY, CANCEL, CANCEL_CHECK,
    WHEEL_NEW, BUCKET_NEW, OVERFLOW_CREATE, WHEEL_PLACE, WHEEL_REJECT, CLOCK_ADVANCE,
    LIST_ADD, LIST_REMOVE, LIST_ADD_RETRY, BUCKET_EXPIRY_SET, DQ_OFFER, DQ_POLL,
    FLUSH_BEGIN, FLUSH_END, REINSERT, EXPIRE_SUBMIT, TASK_RUN, TASK_DONE,
    OP_NEW, TRY_BEGIN, TRY_END, FORCE_CAS, ON_COMPLETE_BEGIN, ON_COMPLETE_END, ON_EXPIRE,
    TRY_WATCH_BEGIN, TRY_WATCH_END, WATCH_ADD, WATCH_CANCEL,
    CHECK_BEGIN, CHECK_END, CANCEL_KEY_BEGIN, CANCEL_KEY_END;

    static final Kind[] ALL = values();
    /** Those that are numbered before another thread can see what they do. */
    static final Set<Kind> BEFORE = EnumSet.of(OP_NEW, ENTRY_NEW, WHEEL_NEW, BUCKET_NEW,
        OVERFLOW_CREATE, LIST_REMOVE, DQ_OFFER, FORCE_CAS, WATCH_ADD, WATCH_CANCEL);

    final String text = name().toLowerCase(Locale.ROOT);
    final boolean begins = text.endsWith("_begin");
    final boolean ends = text.endsWith("_end");
}

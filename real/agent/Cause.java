package wheelproof.agent;

import java.util.Locale;

/** Why a step was made; the names are the format's. */
enum Cause {
    EXPIRY, CANCEL, READD, FLUSH, EVENT, FORCED, DUE;

    static final Cause[] ALL = values();

    final String text = name().toLowerCase(Locale.ROOT);
}

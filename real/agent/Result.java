package wheelproof.agent;

import java.util.Locale;

/** What a step returned; the names are the format's. */
enum Result {
    TRUE, FALSE, NONE, RAISED;

    static final Result[] ALL = values();

    final String text = name().toLowerCase(Locale.ROOT);

    static Result of(boolean value) {
        return value ? TRUE : FALSE;
    }
}

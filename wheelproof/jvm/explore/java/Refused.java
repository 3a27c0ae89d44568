package wheelproof.explore;

/** A construct that cannot be stepped: the exploration ends, and names it. */
final class Refused extends RuntimeException {
    Refused(String construct, String place) {
        super(place + " " + construct + ": it cannot be stepped");
    }
}

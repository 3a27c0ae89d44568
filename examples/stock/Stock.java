/** One piece is left. */
class Stock {
    private int count = 1;

    boolean take() {
        if (count == 0) {
            return false;
        }
        count--;
        return true;
    }

    int observe() {
        return count;
    }
}

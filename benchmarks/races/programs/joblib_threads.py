from joblib import Parallel, delayed


def double(number: int) -> int:
    return 2 * number


def program() -> None:
    results = Parallel(n_jobs=2, backend="threading")(delayed(double)(each) for each in range(2))
    assert results == [0, 2]

"""Goods that several threads sell, with a race and without."""

import threading

import wheelproof


class Stock:
    def __init__(self, count):
        self.count = count
        self.lock = threading.Lock()

    def take(self):
        if self.count == 0:
            return False
        with self.lock:
            self.count -= 1
        return True


class SoundStock(Stock):
    def take(self):
        with self.lock:
            if self.count == 0:
                return False
            self.count -= 1
        return True


def sell(stock):
    threads = [threading.Thread(target=stock.take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stock.count == 0


def test_stock():
    with wheelproof.explore():
        sell(Stock(1))


def test_sound_stock():
    with wheelproof.explore():
        sell(SoundStock(1))

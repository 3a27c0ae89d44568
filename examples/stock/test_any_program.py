"""A register of a shop: its operations are called by threads, in programs that are drawn."""

import wheelproof


class Till:
    def __init__(self):
        self.money = 2

    def pay_out(self, amount: int):
        if amount > self.money:
            return False
        self.money = self.money - amount
        return True


@wheelproof.linearizable(observe=lambda till: till.money)
def test_till():
    return Till()

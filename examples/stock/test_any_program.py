import wheelproof


@wheelproof.linearizable(observe=lambda till: till.money)
class Till:
    def __init__(self):
        self.money = 2

    def pay_out(self, amount: int):
        if amount <= self.money:
            self.money = self.money - amount
            return True

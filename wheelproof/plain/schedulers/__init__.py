"""Schedulers: who runs next. Each cites its paper, and says where it departs from it."""

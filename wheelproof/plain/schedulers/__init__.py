"""Schedulers choose the next thread. Each cites its paper, and says where it departs from it."""

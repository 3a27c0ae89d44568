"""Rules of style for an implementation and its harness, without which a comparison shows nothing.

``lint`` applies them: ``suspension``, ``hidden`` with ``standard``, ``reflection``, ``scopes`` and
``definitions``, ``set_order``, ``finalizers``, ``dropped``. ``branches`` notes which outcomes
conditions have, ``arithmetic`` lists the expressions of functions with numbers.
"""

# -*- coding: utf-8 -*-
"""Something to do as soon as the program imports a module."""

from __future__ import absolute_import, division, print_function

import sys


class AfterImport(object):
    """Runs a function on a module as soon as the program imports it (Python 3 only)."""

    def __init__(self, actions):
        self.actions = actions

    def install(self):
        for name in list(self.actions):
            if name in sys.modules:
                self.actions.pop(name)(sys.modules[name])
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name not in self.actions:
            return None
        import importlib.util

        action = self.actions.pop(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            action(module)

        spec.loader.exec_module = exec_module
        return spec

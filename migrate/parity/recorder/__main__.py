"""Start the recorder where ``migrate`` is not installed.

The parity room becomes a package under a name that no program under test uses, so that its files
neither hide the program's (``recorder.py``, ``randomness.py``) nor are hidden by them.
"""

from __future__ import absolute_import, division, print_function

import os
import sys
import types

if __name__ == "__main__":
    HERE = os.path.dirname(os.path.abspath(__file__))
    sys.path.pop(0)  # this folder, which Python puts there
    ROOM = types.ModuleType("_migrate_parity")
    ROOM.__path__ = [os.path.dirname(HERE)]
    sys.modules[ROOM.__name__] = ROOM
    from _migrate_parity.recorder import processes

    processes.main(sys.argv[1:])

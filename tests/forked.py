"""Run programs as children of one process that has imported TensorFlow: its import takes seconds.

    ran = forked.run(python, script)     # what scripts/record_goldens.py's `run` gives

Each child has an interpreter of its own otherwise: its own `__main__`, arguments, folder, output
and end. This file is also the process that forks (`python tests/forked.py`, 3.7 or newer): it reads
a job a line and answers with a status.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from functools import lru_cache
from pathlib import Path


def serve():
    """Fork a child for each line."""
    import tensorflow  # noqa: F401

    for line in iter(sys.stdin.readline, ""):
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os._exit(child(job))
        _, status = os.waitpid(pid, 0)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        print(code, flush=True)


def child(job):
    """Become the program; its status. Taking TensorFlow's modules down would take seconds again."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    signal.alarm(int(job["timeout"]))
    os.chdir(job["folder"])
    sys.argv = [job["script"], *job["arguments"]]
    sys.path[0] = job["folder"]
    status = 0
    try:
        runpy.run_path(job["script"], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # waits for the program's threads, as the interpreter's end does
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


@lru_cache(maxsize=8)
def server(python, variables):
    """The process that forks, for an interpreter."""
    started = subprocess.Popen(
        [python, __file__],
        env={**os.environ, **dict(variables)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        universal_newlines=True,
    )
    atexit.register(started.kill)
    return started


def run(python, script, arguments, variables, timeout):
    """A script's status, the lines that it printed, and the text of its errors."""
    process = server(python, tuple(sorted(variables.items())))
    with tempfile.TemporaryDirectory(prefix="forked-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        job = {
            "script": script.name,
            "folder": str(script.parent),
            "arguments": arguments,
            "timeout": timeout,
            "out": str(out),
            "err": str(err),
        }
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{python} {__file__} ended: {process.wait()}")
        read = [p.read_text("utf-8", "replace") if p.exists() else "" for p in (out, err)]
        return int(answer), read[0].splitlines(), read[1]


if __name__ == "__main__":
    serve()

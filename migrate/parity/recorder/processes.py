# -*- coding: utf-8 -*-
"""The process of a job: its own, or a fork of one that has imported TensorFlow."""

from __future__ import absolute_import, division, print_function

import atexit
import gc
import json
import os
import sys
import traceback

from .jobs import load_job, redirect, run_job
from .written import SCHEMA, dump


def guarded(job):
    """Run a job so that a failure of the recorder itself is told apart from the program's."""
    try:
        return run_job(job)
    except SystemExit:
        raise
    except BaseException:
        text = traceback.format_exc()
        sys.stderr.write(text)
        if job["out"]:
            record = {
                "schema": SCHEMA,
                "exit": {
                    "kind": "recorder",
                    "code": 70,
                    "error": text.strip().splitlines()[-1],
                    "traceback": text[-8000:],
                },
            }
            dump(job["out"], record, {})
        return 70


def leave(code):
    """End the process without Python's finalizers: TensorFlow's can hang after a fork."""
    try:
        run_exit_functions = getattr(atexit, "_run_exitfuncs", None)
        if run_exit_functions is not None:
            run_exit_functions()
        flush_events()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def flush_events():
    """Write what FileWriters still hold: Python's finalizers would have, which are left out."""
    for name in ("tensorflow", "tensorflow_core"):
        module = sys.modules.get(name + ".python.summary.writer.event_file_writer")
        kind = getattr(module, "EventFileWriter", None)
        if kind is not None:
            for writer in [one for one in gc.get_objects() if type(one) is kind]:
                if not writer._closed:
                    writer.flush()


def zygote():
    """Fork a child for each job named on standard input; report its process id and its status."""
    import tensorflow  # noqa: F401

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answers.write(json.dumps({"ready": os.getpid()}) + "\n")
    answers.flush()
    while True:
        line = sys.stdin.readline()
        if not line:
            return
        path = line.strip()
        child = os.fork()
        if not child:
            answers.close()
            os.setsid()
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            job = load_job(path)
            redirect(job)
            leave(guarded(job))
        answers.write(json.dumps({"pid": child}) + "\n")
        answers.flush()
        _, status = os.waitpid(child, 0)
        answers.write(json.dumps({"status": status}) + "\n")
        answers.flush()


def main(arguments):
    if arguments == ["--zygote"]:
        zygote()
        return
    if len(arguments) != 1:
        raise SystemExit("usage: python recorder JOB.json | --zygote")
    job = load_job(arguments[0])
    redirect(job)
    leave(guarded(job))

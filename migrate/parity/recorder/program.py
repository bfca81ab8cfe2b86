# -*- coding: utf-8 -*-
"""Run a program as ``__main__`` and observe it."""

from __future__ import absolute_import, division, print_function

import contextlib
import io
import os
import runpy
import sys
import time
import traceback
import types

from .. import randomness
from .after_import import AfterImport
from .functions import EagerObserver
from .gradients import observe_gradients
from .keras import observe_keras
from .observed import Recorder, StepLimit
from .sessions import GraphObserver
from .written import SCHEMA, dump, tensorflow_version, write


def run_program(job):
    import tensorflow as tf

    recorder = Recorder(job)
    if job["randomness"] == "shape":
        draws = randomness.install(tf)
        redirected = draws.replaced
        redirect_backend(tf, draws)
    else:
        redirected = []
    graphs = GraphObserver(recorder, tf)
    second = int(tensorflow_version(tf).split(".")[0]) >= 2
    eager = EagerObserver(recorder, tf) if second else None
    if job["recording"]:
        graphs.install()
        if eager is not None:
            eager.install()
        observe_gradients(recorder, tf, graphs, eager)
        observe_keras(recorder, eager)
    if job["for_devices"]:
        prepare_for_functions(tf)
    if job["for_xla"]:
        trace_for_xla()
    keeper = devices().capture.capture(job, tf) if job["device_steps"] else None
    seed_all(job, tf, second)

    def leave_records(ending):
        if keeper is not None:
            keeper.finish(ending)
        if job["recording"]:
            sys.stdout.flush()
            finish(recorder, graphs, eager)
            write(recorder, graphs, tf, ending, redirected)
        else:
            dump(
                job["out"],
                {"schema": SCHEMA, "exit": ending, "seconds": time.time() - recorder.start_time},
                {},
            )

    with recorded_exit(leave_records):
        code, ending = execute(job)
    leave_records(ending)
    return code


@contextlib.contextmanager
def recorded_exit(leave_records):
    """Let ``os._exit``, which ends a process at once, wait for the records of this process."""
    end, observed = os._exit, os.getpid()

    def exit_recorded(status):
        if os.getpid() == observed:
            os._exit = end
            leave_records({"kind": "exit", "code": status})
        end(status)

    os._exit = exit_recorded
    try:
        yield
    finally:
        os._exit = end


def devices():
    """The part that needs TensorFlow 2 and a recent Python."""
    from .. import devices as package
    from ..devices import capture, keras_draws, replay  # noqa: F401

    return package


def prepare_for_functions(tf):
    """Resource variables and loops as functions, whatever the program asks for."""
    try:
        from tensorflow.python.ops import resource_variables_toggle as module
    except ImportError:
        from tensorflow.python.ops import variable_scope as module
    module.enable_resource_variables()
    module.disable_resource_variables = lambda: None
    from tensorflow.python.ops import variable_scope

    plain = variable_scope.VariableScope.set_use_resource
    variable_scope.VariableScope.set_use_resource = lambda scope, _: plain(scope, True)
    v1 = getattr(getattr(tf, "compat", None), "v1", tf)
    v1.disable_resource_variables = module.disable_resource_variables
    try:
        from tensorflow.python.ops import control_flow_v2_toggles as toggles
    except ImportError:
        return
    toggles.enable_control_flow_v2()  # XLA takes loops that are functions
    toggles.disable_control_flow_v2 = lambda: None
    v1.disable_control_flow_v2 = toggles.disable_control_flow_v2


def trace_for_xla():
    """Trace functions and graphs as under ``jit_compile=True``, but run them as before.

    TensorFlow then writes gradients of loops and branches with lists of fixed sizes and without
    optional values: XLA has no kernels for the others.
    """
    from tensorflow.python.ops import control_flow_util

    control_flow_util.GraphOrParentsInXlaContext = lambda graph: True


def seed_all(job, tf, second):
    randomness.seed_generators(job["seed"])
    if job["randomness"] == "seed":
        if second:
            tf.random.set_seed(job["seed"])
        else:
            getattr(tf, "set_random_seed", None)(job["seed"])


def redirect_backend(tf, draws):
    """Let JAX or torch under Keras 3 draw what TensorFlow draws."""
    name = os.environ.get("KERAS_BACKEND", "tensorflow")
    if name != "tensorflow":
        AfterImport({
            "keras.src.backend.%s.random" % name: lambda module: devices().keras_draws.redirect(
                module, draws, tf
            ),
            "keras.src.trainers.data_adapters.array_data_adapter": lambda module: (
                devices().keras_draws.redirect_order(module, draws, tf)
            ),
        }).install()  # fmt: skip


KEPT_MODULES = []


def run_as_main(code, path, package=None):
    """Run code as ``__main__``. runpy would clear its globals, and with them the variables."""
    module = types.ModuleType("__main__")
    KEPT_MODULES.extend([module, sys.modules["__main__"]])
    sys.modules["__main__"] = module
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __package__=package)
    exec(code, module.__dict__)


def find_module(name):
    """Name, code and path of what ``python -m name`` would run."""
    if sys.version_info[0] < 3:
        found, _, code, path = runpy._get_module_details(name)
        return found, code, path
    found, spec, code = runpy._get_module_details(name)
    return found, code, spec.origin


def execute(job):
    """Run the program as ``__main__``; returns its exit code and how it ended."""
    if job["cwd"]:
        os.chdir(job["cwd"])
    if job["script"]:
        script = os.path.abspath(job["script"])
        sys.argv = [script] + list(job["args"])
        sys.path.insert(0, os.path.dirname(script))
    else:
        sys.argv = [job["module"]] + list(job["args"])
        sys.path.insert(0, os.getcwd())
    try:
        if job["script"]:
            with io.open(script, "rb") as stream:
                code = compile(stream.read(), script, "exec", 0, True)
            run_as_main(code, script)
        else:
            name, code, origin = find_module(job["module"])
            sys.argv[0] = origin
            run_as_main(code, origin, name.rpartition(".")[0])
    except StepLimit:
        return 0, {"kind": "exit", "code": 0, "stopped": True}
    except SystemExit as error:
        code = error.code
        if code is None:
            code = 0
        if not isinstance(code, int):
            sys.stderr.write("%s\n" % (code,))
            code = 1
        return code, {"kind": "exit", "code": code}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        text = traceback.format_exc()
        sys.stderr.write(text)
        return 1, {
            "kind": "exception",
            "code": 1,
            "error": "%s: %s" % (type(error).__name__, str(error)[:2000]),
            "traceback": text[-8000:],
        }
    return 0, {"kind": "exit", "code": 0}


def finish(recorder, graphs, eager):
    for session in list(graphs.sessions):
        graphs.finish(session)
    if eager is not None:
        eager.finish()

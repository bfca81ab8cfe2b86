"""input_fns as functions that return a `tf.data.Dataset` with the same batches."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.data import (
    batches,
    input_files,
    input_makers,
    input_tensors,
    iterators,
)
from migrate.rewriters.estimators.models import statics
from migrate.rewriters.estimators.program import Binding, Estimator, Program

# contrib.learn's, which shuffle where nothing else is said.
OLDER = "tensorflow.contrib.learn.io."
NUMPY = frozenset(
    {
        "tensorflow.estimator.inputs.numpy_input_fn",
        "tensorflow.compat.v1.estimator.inputs.numpy_input_fn",
        f"{OLDER}numpy_input_fn",
    }
)
PANDAS = frozenset(
    {"tensorflow.estimator.inputs.pandas_input_fn", f"{OLDER}pandas_input_fn"},
)
UNSEEN = "an input_fn that isn't seen"
# Arguments that an Estimator gives its input_fns by their names.
GIVEN = ("mode", "config", "labels", "features", "params")
# What only datasets do: an argument of which this is asked is one.
TRANSFORMED = frozenset(
    {"batch", "padded_batch", "map", "shuffle", "prefetch", "repeat", "interleave", "flat_map"}
)
WORDS = {"train": '"train"', "eval": '"eval"', "predict": '"infer"'}


def dataset(program: Program, node: ast.expr, made: Estimator, mode: str = "train") -> str:
    """The dataset that an input_fn gives, as an expression at the place of its call.

    Raises:
        Blocked: it can't be followed.
    """
    if isinstance(node, ast.Lambda):
        if [a.arg for a in node.args.args] == ["params"] and not node.args.defaults:
            _sized(program, node, made, mode)
        elif node.args.args or node.args.kwonlyargs:
            raise Blocked(node, "an input_fn with arguments")
        return given(program, node.body)
    value = node
    if isinstance(node, ast.Name):
        found = program.scopes.lookup(node)
        if found is None or found.kind == "param":
            return _anyhow(program, node, made, mode)
        if found.kind == "assign" and found.value is not None:
            value = found.value
            if program.called(value) in NUMPY | PANDAS:
                return named(program, node, value)
            if isinstance(value, ast.Lambda):
                return _called(program, node, value)
            if isinstance(value, ast.Name) and _arrays(program, value):
                _alias(program, node, found)
                return dataset(program, value, made, mode)
            if isinstance(value, ast.IfExp):
                return _anyhow(program, node, made, mode)
    if isinstance(value, ast.Call) and program.called(value) in NUMPY | PANDAS:
        return fed(program, value)
    if isinstance(value, ast.Call) and partial(program, value):
        bound = value.args[0]
        function = program.scopes.function(bound) or input_makers.method(program, bound)
        if function is None:
            statics.apart(program, bound, UNSEEN)
            raise Blocked(value, UNSEEN)
        checked(program, function)
        more = [
            f"params={made.given(mode)}" if name == "params" else f"mode={WORDS[mode]}"
            for name in asked(function, value)
        ]
        if isinstance(node, ast.Name):
            return f"{node.id}({', '.join(more)})"
        rest = [program.source(a) for a in value.args[1:]]
        rest += [f"{k.arg}={program.source(k.value)}" for k in value.keywords]
        rest += more
        return f"{program.source(value.args[0])}({', '.join(rest)})"
    if isinstance(value, (ast.Call, ast.IfExp)):
        return _anyhow(program, node, made, mode)
    function = program.scopes.function(value) or input_makers.method(program, value)
    if function is None:
        statics.apart(program, value, UNSEEN)
        raise Blocked(node, UNSEEN)
    checked(program, function)
    names = [a.arg for a in function.args.args]
    names = names[1:] if names[:1] == ["self"] else names
    needed = names[: len(names) - len(function.args.defaults)]
    wanted: list[str] = []
    for name in names:
        if name == "params":
            params = made.given(mode)
            wanted.append(params if name in needed and not wanted else f"params={params}")
        elif name == "mode":
            wanted.append(f"mode={WORDS[mode]}")
        elif name in GIVEN or name in needed:
            raise Blocked(function, f"an input_fn with an argument `{name}`")
    return f"{program.source(node)}({', '.join(wanted)})"


def _arrays(program: Program, node: ast.Name) -> bool:
    """Whether a name is another one's for an input_fn of arrays."""
    value = program.scopes.value(node)
    return isinstance(value, ast.Call) and program.called(value) in NUMPY | PANDAS


def _alias(program: Program, node: ast.Name, found: Binding) -> None:
    """Take the statement away that only gives an input_fn of arrays another name."""
    stmt, name = found.node, node.id
    seen = program.kept.setdefault(("alias", id(stmt)), set())
    assert isinstance(seen, set)
    if not seen:
        assert isinstance(stmt, ast.Assign)
        if len(stmt.targets) > 1:
            raise Blocked(stmt, "an input_fn under several names")
        program.remove(stmt)
        uses = program.scopes.uses(found, name)

        def check() -> None:
            for use in uses:
                if id(use) not in seen:
                    raise Blocked(use, f"`{name}` is used for something else than an Estimator")

        program.finish.append(check)
    seen.add(id(node))


def _sized(program: Program, node: ast.Lambda, made: Estimator, mode: str) -> None:
    """Write the batch size that a TPUEstimator gives for what a lambda reads of its `params`."""
    for use in all_of(node.body, ast.Name):
        if use.id != "params":
            continue
        above = program.scopes.parents[id(use)]
        key = above.slice if isinstance(above, ast.Subscript) else None
        if not isinstance(key, ast.Constant) or key.value != "batch_size" or mode not in made.sizes:
            raise Blocked(use, "what an input_fn reads of its `params`")
        program.edit(above, made.size(mode))


def _called(program: Program, node: ast.Name, made: ast.Lambda) -> str:
    """The call of an input_fn that is a lambda under a name: it gives the dataset itself."""
    lambda_of(program, made)
    return f"{node.id}()"


def _anyhow(program: Program, node: ast.expr, made: Estimator, mode: str) -> str:
    """The call of an input_fn that comes from somewhere else."""
    params = made.given(mode) if input_makers.plain(program, node) else ""
    source = program.source(node)
    if isinstance(node, ast.IfExp):
        source = f"({source})"
    return f"{source}({params})"


def lambda_of(program: Program, made: ast.Lambda) -> None:
    """Make a lambda that is an input_fn give the dataset itself.

    Raises:
        Blocked: it can't be followed.
    """
    if made.args.args or made.args.kwonlyargs or made.args.vararg or made.args.kwarg:
        raise Blocked(made, "an input_fn with arguments")
    key = ("lambda", id(made))
    if key not in program.kept:
        program.kept[key] = True
        new = given(program, made.body)
        if new != program.source(made.body):
            program.edit(made.body, new, "the dataset itself")


def endless(program: Program, node: ast.expr) -> bool:
    """Whether what an input_fn gives is seen to repeat for ever."""
    value = program.scopes.value(node)
    if isinstance(value, ast.Lambda):
        value = value.body
    if isinstance(value, ast.Call) and program.called(value) in NUMPY | PANDAS:
        epochs = program.walker.bound(program.called(value), value).get("num_epochs")
        return isinstance(epochs, ast.Constant) and epochs.value is None
    function = program.scopes.function(value.func if isinstance(value, ast.Call) else value)
    if function is not None and input_tensors.gives(program, function):
        return True
    return function is not None and any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "repeat"
        and not n.args
        and not n.keywords
        and not any(isinstance(a, (ast.If, ast.IfExp)) for a in program.scopes.around(n))
        for n in walk(function)
    )


def given(program: Program, node: ast.expr) -> str:
    """What an expression gives as input: a call of a function that gives a dataset."""
    taken = iterators.element_of(program, node)
    if taken is not None and (is_dataset(program, taken) or iterators.handed(program, taken)):
        return program.source(taken)
    if isinstance(node, ast.Call):
        function = program.scopes.function(node.func) or input_makers.method(program, node.func)
        if function is not None:
            checked(program, function)
            return program.source(node)
    if is_dataset(program, node):
        return program.source(node)
    statics.apart(program, node.func if isinstance(node, ast.Call) else node, UNSEEN)
    raise Blocked(node, UNSEEN)


def named(program: Program, node: ast.Name, call: ast.expr) -> str:
    """An input_fn of arrays under a name: the name becomes a dataset's.

    One that is given anew, as cells of notebooks do, is given anew still.
    """
    assert isinstance(call, ast.Call)
    known = program.kept.get(("dataset", id(call)))
    if known is None:
        word = (
            node.id.removesuffix("_fn").removesuffix("_function").removesuffix("input").strip("_")
        )
        program.edit(call, fed(program, call), "a dataset")
        key = ("datasets", id(program.scopes.scope(call)), node.id)
        if key not in program.kept:
            program.kept[key] = program.free(node, f"{word}_dataset" if word else "dataset")
        known = program.kept[key]
        program.kept["dataset", id(call)] = known
        stmt = program.scopes.parents[id(call)]
        assert isinstance(stmt, ast.Assign)
        program.edits.append(Edit(*program.text.index.span(stmt.targets[0]), str(known)))
        found = program.scopes.lookup(node) or program.scopes.bindings(node.id, node)[0]
        program.kept["readers", id(call)] = program.scopes.uses(found, node.id)
        program.finish.append(lambda: _all_read(program, call, node.id))
    seen = program.kept.setdefault(("read", id(call)), set())
    assert isinstance(seen, set)
    seen.add(id(node))
    return str(known)


def unread(program: Program) -> None:
    """Input_fns of arrays that get a name which nobody reads are datasets, too."""
    said = {n.value for n in program.scopes.walk() if isinstance(n, ast.Constant)}
    for call in program.calls():
        if program.called(call) not in NUMPY | PANDAS or ("dataset", id(call)) in program.kept:
            continue
        stmt = program.scopes.parents[id(call)]
        targets = stmt.targets if isinstance(stmt, ast.Assign) else []
        target = targets[0] if len(targets) == 1 else None
        if not isinstance(target, ast.Name) or target.id in said:
            continue
        found = program.scopes.bindings(target.id, stmt)
        if found and not any(program.scopes.uses(b, target.id) for b in found):
            named(program, target, call)


def _all_read(program: Program, call: ast.Call, name: str) -> None:
    readers, seen = program.kept["readers", id(call)], program.kept["read", id(call)]
    assert isinstance(readers, list)
    assert isinstance(seen, set)
    for use in readers:
        if id(use) in seen:
            continue
        shown = _shown(program, use)
        if shown is None:
            raise Blocked(use, f"`{name}` is used for something else than an Estimator")
        program.edit(shown, str(program.kept["dataset", id(call)]))


def _shown(program: Program, use: ast.expr) -> ast.expr | None:
    """What a notebook only shows: an input_fn, or the tensors that it would make."""
    above = program.scopes.parents[id(use)]
    if isinstance(above, ast.Call) and above.func is use and not (above.args or above.keywords):
        use, above = above, program.scopes.parents[id(above)]
    return use if isinstance(above, ast.Expr) else None


def fed(program: Program, call: ast.Call) -> str:
    """The dataset of arrays that `numpy_input_fn` or `pandas_input_fn` feeds.

    Batches go on over the end of an epoch, and what is shuffled is so in a buffer over all epochs,
    as the queues do.
    """
    endpoint, tf = program.called(call), program.tf
    arguments = program.walker.bound(endpoint, call)
    known = ("x", "y", "batch_size", "num_epochs", "shuffle", "queue_capacity", "num_threads")
    for argument, node in arguments.items():
        # What a data frame of both calls its targets is nowhere to be seen.
        named = argument == "target_column" and isinstance(node, ast.Constant)
        if argument not in known and not named:
            raise Blocked(node, f"`{argument}` of an input_fn of arrays")
    shuffle = arguments.get("shuffle")
    if shuffle is None and endpoint.startswith(OLDER):
        shuffle = ast.Constant(True)
    if shuffle is None or (isinstance(shuffle, ast.Constant) and shuffle.value is None):
        raise Blocked(shuffle or call, "whether an input_fn shuffles isn't seen")
    source = program.source
    x = source(arguments["x"])
    if endpoint in PANDAS:
        x = f"dict({x})"
    y = arguments.get("y")
    if y is not None and not (isinstance(y, ast.Constant) and y.value is None):
        x = f"({x}, {source(y)})"
    out = f"{tf}.data.Dataset.from_tensor_slices({x})"
    epochs = arguments.get("num_epochs")
    written = "1" if epochs is None else source(epochs)
    if written == "None":
        out += ".repeat()"
    elif written != "1":
        out += f".repeat({written})"
    capacity = arguments.get("queue_capacity")
    buffer = "1000" if capacity is None else source(capacity)
    if not isinstance(shuffle, ast.Constant):
        test = source(shuffle)
        test = f"({test})" if isinstance(shuffle, (ast.IfExp, ast.Lambda)) else test
        out += f".shuffle({buffer} if {test} else 1)"  # in order: one at a time
    elif shuffle.value:
        out += f".shuffle({buffer})"
    size = arguments.get("batch_size")
    return f"{out}.batch({'128' if size is None else source(size)})"


def partial(program: Program, call: ast.Call) -> bool:
    """Whether a call binds arguments to a function."""
    name = program.source(call.func)
    return name in ("functools.partial", "partial") and bool(call.args)


def asked(function: ast.FunctionDef, call: ast.Call) -> list[str]:
    """What an Estimator gives a function of which a `functools.partial` binds some arguments.

    Raises:
        Blocked: it is its RunConfig, or arguments are hidden.
    """
    args = function.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    names = names[1:] if names[:1] == ["self"] else names
    hidden = [a for a in call.args if isinstance(a, ast.Starred)]
    if hidden or any(k.arg is None for k in call.keywords) or args.kwarg or args.vararg:
        raise Blocked(call, "arguments are hidden here")
    bound = {k.arg for k in call.keywords}
    names = names[len(call.args) - 1 :] + [a.arg for a in args.kwonlyargs]
    found = [n for n in names if n not in bound and n in GIVEN]
    if wrong := [n for n in found if n not in ("params", "mode")]:
        raise Blocked(function, f"an input_fn with an argument `{wrong[0]}`")
    return found


def checked(program: Program, function: ast.FunctionDef) -> None:
    """See to it that a function returns a dataset; an iterator's next element becomes one.

    Raises:
        Blocked: what it returns isn't seen.
    """
    key = ("input", id(function))
    if key in program.kept:
        return
    program.kept[key] = True
    returns = all_of(function, ast.Return)
    returns = [n for n in returns if program.scopes.scope(n) is function]
    if not returns:
        raise Blocked(function, "an input_fn that returns nothing")
    for stmt in returns:
        if stmt.value is None:
            raise Blocked(stmt, "an input_fn that returns nothing")
        if iterators.taken_back(program, function, stmt, is_dataset):
            continue
        either = stmt.value if isinstance(stmt.value, ast.IfExp) else None
        if either and all(is_dataset(program, v) for v in (either.body, either.orelse)):
            continue
        if is_dataset(program, stmt.value) or batches.returned(program, function, stmt):
            continue
        if not input_tensors.returned(program, function, stmt):
            raise Blocked(stmt.value, "what an input_fn returns isn't a dataset that is seen")


def is_dataset(program: Program, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is a dataset, as far as it is seen."""
    if depth > 30:
        return False
    if isinstance(node, ast.Name):
        values = list[ast.expr]()
        for bound in program.scopes.bindings(node.id, node):
            given = [bound.value] if bound.kind == "assign" else iterators.given(program, bound)
            if not given or any(v is None for v in given):
                return False
            values += [v for v in given if v is not None and not _itself(v, node.id)]
        return bool(values) and all(is_dataset(program, v, depth + 1) for v in values)
    if not isinstance(node, ast.Call):
        return False
    endpoint = program.called(node)
    if endpoint.startswith("tensorflow.data.") or endpoint in input_files.TAKEN:
        return "Iterator" not in endpoint
    function = program.scopes.function(node.func)
    if function is not None:
        checked(program, function)
        return True
    if isinstance(node.func, ast.Attribute) and node.func.attr not in (
        "get_next",
        *iterators.METHODS,
    ):
        owner = node.func.value
        if node.func.attr in TRANSFORMED and iterators.handed(program, owner):
            return True
        return is_dataset(program, owner, depth + 1)
    return False


def _itself(node: ast.expr, name: str) -> bool:
    """Whether an expression is a method's result on a name: `dataset = dataset.map(…)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return isinstance(node, ast.Name) and node.id == name

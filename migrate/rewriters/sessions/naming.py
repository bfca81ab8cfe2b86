"""Names for functions, from the author's own: `compute_cost` from `cost`, `train_step`."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence

from migrate.programs.graph.data.draws import begins
from migrate.programs.graph.data.own_queues import OP as QUEUE
from migrate.programs.graph.model import Fetch, Kind
from migrate.programs.graph.slices import Group, Plan, idle
from migrate.programs.graph.walk import Apply, Gradient

TRAIN = re.compile(
    r"^(?:train|train_?(?:opt?|step)|training_?(?:op|step)|opt|optimi[sz]er?|optim|minimize|step|solver|"
    r"train_?optimi[sz]er|backprop|apply_gradients|train_?model)$",
    re.I,
)
PREDICT = re.compile(
    r"^(?:y_?)?(?:pred(?:s|ict(?:ion|ions|ed|or)?)?|hypothesis|y_?hat|yhat|logits?|y_?conv|y_?pred|"
    r"model|scores?|outputs?|out)(?:_op)?$",
    re.I,
)
VERBS = (
    *(
        "get_",
        "update_",
        "assign_",
        "compute_",
        "add_",
        "set_",
        "reset_",
        "init_",
        "train_",
        "make_",
    ),
    *("increment_", "increase_", "copy_", "sample_", "predict_", "encode_", "decode_", "apply_"),
    *("do_", "draw_", "generate_", "eval_", "evaluate_", "inc_", "clear_", "run_", "restore_"),
)
WORDS = frozenset(
    ["update", "assign", "reset", "increment", "sample", "predict", "encode", "decode", "generate"]
)
# What assignments are called besides.
CHANGES = frozenset(
    (
        *("write", "store", "add", "subtract", "push", "pop", "grow", "shrink", "clear", "copy"),
        *("sync", "replace", "init", "initialize", "load", "set", "increase", "decrease"),
    )
)
LONGEST = 45  # name that is made of two
LATE = re.compile(r"^(\w+?)_(init|update|assign|reset|increment|copy|sync|load)$")


class Namer:
    """Names that a module doesn't have yet."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.moving: set[str] = set()  # names that only moved statements bind
        self.claimed: set[str] = set()  # those of them that a function has got

    def free(self, *wishes: str) -> str:
        """The first wish that is free, or the last one with a number."""
        for wish in wishes:
            if not keyword.iskeyword(wish) and (wish not in self.taken or wish in self.moving):
                self.claim(wish)
                self.taken.add(wish)
                return wish
        number = 2
        while f"{wishes[-1]}_{number}" in self.taken:
            number += 1
        name = f"{wishes[-1]}_{number}"
        self.taken.add(name)
        return name

    def claim(self, name: str) -> None:
        """What a moved statement bound is another thing's name from here on."""
        if name in self.moving:
            self.moving.discard(name)
            self.claimed.add(name)

    def plan(self, plan: Plan) -> str:
        """A function's name, by what it is run for."""
        if any(begins(site) for site in plan.sites):
            return self.free("make_dataset")
        if plan.shown:
            words = [w for f in plan.results if (w := _word(_name(f)))]
            return self.free(f"show_{'_and_'.join(words[:2])}" if words else "show")
        ops = [op for op in plan.ops if not idle(op)] if plan.results else plan.ops
        kinds = ("assign", "assigns")
        trains = [f for f in ops if f.value.data not in kinds and not hasattr(f.value.data, "read")]
        if len(ops) == 1 and ops[0].value.data == "assigns" and not plan.results:
            word = _word(_name(ops[0])) or "assign"
            return self.free(word if word.startswith(VERBS) or word in WORDS else f"run_{word}")
        if trains and all(f.value.data == QUEUE for f in trains):
            return self.free(_queued(trains, plan.results))
        if (
            trains
            and any(s.value is not None and s.value.data == "group" for s in plan.steps)
            and not any(
                isinstance(s.value.data, (Gradient, Apply))
                for s in plan.steps
                if s.value is not None
            )
        ):
            name = _word(_name(trains[0])) or "update"
            return self.free(name if name.startswith(VERBS) or name in WORDS else f"run_{name}")
        if trains:
            return self.free(*_train(trains))
        if ops and all(hasattr(f.value.data, "read") for f in ops) and len(ops) < 3:
            words = [re.sub(r"_?update_?", "", _word(_name(f))) for f in ops]
            if len(plan.results) == len(ops) and all(words):
                return self.free("update_" + "_and_".join(words))
        if ops and len(plan.results) == len(ops) == 1 and _name(ops[0]).isidentifier():
            word = _name(ops[0])
            if word in self.moving and (word in WORDS or word.startswith(VERBS)):
                self.claim(word)
                return word
        # A tensor that waits for what trains, and is named as that.
        named = [f for f in plan.results if TRAIN.match(_name(f))]
        applied = (s.value.data for s in plan.steps if s.value is not None)
        if named and any(isinstance(data, (Gradient, Apply)) for data in applied):
            return self.free(*_train(named))
        names = [_name(f) for f in plan.results if _name(f)]
        if len(names) == len(plan.results) == len(ops) == 1 and ops[0].value.data == "assign":
            word = _word(names[0])
            late = LATE.match(word)
            if word in CHANGES or late is not None:
                return self.free(f"{late[2]}_{late[1]}" if late is not None else word)
        if len(names) == 1 and len(plan.results) == 1:
            return self.free(*_value(names[0]))
        if len(names) == len(plan.results) == 2:
            return self.free(*(_both(names) or ("evaluate", "compute")))
        return self.free("evaluate", "compute")

    def group(self, group: Group) -> str:
        """A helper's name, by what it gives."""
        names = [s.name for s in group.results]
        if len(names) == 1:
            return self.free(*_value(names[0]), f"{_word(names[0])}_of")
        if len(names) == 2:
            return self.free(*(_both(names) or ("forward", "forward_pass")))
        return self.free("forward", "forward_pass")


def _both(names: Sequence[str]) -> list[str]:
    """Of two results, where that isn't too long for a line."""
    name = "compute_" + "_and_".join(map(_word, names))
    return [name] if len(name) <= LONGEST else []


def _queued(ops: Sequence[Fetch], results: Sequence[Fetch]) -> str:
    """Of a run that fills or closes queues, and may give something besides."""
    words = [_word(_name(f)) for f in (*results, *ops) if _name(f)]
    if results:
        return "compute_" + "_and_".join(words[:2])
    word = words[0] if words else "fill"
    known = word in WORDS | CHANGES or word.startswith((*VERBS, "enqueue", "fill", "close"))
    return word if known else f"run_{word}"


def _train(ops: Sequence[Fetch]) -> list[str]:
    if len(ops) > 1:
        return ["train_step"]
    name = _name(ops[0]) or "train"
    if TRAIN.match(name):
        node = ops[0].node
        here = node.id if isinstance(node, ast.Name) else name  # where it is run, if that says more
        return ["train_step", *(_train_named(here) if not TRAIN.match(here) else ())]
    return _train_named(name)


def _train_named(name: str) -> list[str]:
    low = _word(name)
    core = re.sub(
        r"(?:^|_)(?:train|training|opt|optimi[sz]er|optim|op|step|solver|minimize)(?=_|$)", "", low
    )
    core = core.strip("_")
    if low.startswith(("train_", "update_", "apply_")):
        return [low, f"train_{core}_step"] if core.isidentifier() else [low]
    if core.startswith("train"):
        return [f"{core}_step"]
    return (
        [f"train_{core}_step", f"train_{core}"] if core and core.isidentifier() else ["train_step"]
    )


def _value(name: str) -> list[str]:
    word = _word(name)
    if PREDICT.match(name):
        return ["predict", f"compute_{word}"]
    if word in WORDS or word.startswith(VERBS):
        return [word, f"compute_{word}"]
    return [f"compute_{word}"]


def _word(name: str) -> str:
    """A name as a word of a function's name."""
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return re.sub(r"_(?:op|tensor)$", "", word) or word


def _name(fetch: Fetch) -> str:
    node = fetch.node
    if isinstance(node, ast.Name):
        symbol = fetch.value.symbol  # by its first name, where it has several
        return symbol.name if symbol is not None else node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and fetch.value.kind is Kind.TENSOR:
        return fetch.value.symbol.name if fetch.value.symbol is not None else ""
    if isinstance(node, ast.Call):
        func = node.func
        return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return ""

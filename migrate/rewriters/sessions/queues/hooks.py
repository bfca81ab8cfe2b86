"""The hooks of a monitored session: which there are, and what each has a round do."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.arguments import chief, folder, none, zero
from migrate.rewriters.sessions.queues.module import Module
from migrate.rewriters.sessions.queues.own_hooks import OwnHooks
from migrate.rewriters.sessions.queues.rounds import Round, simple

KNOWN = {
    "train.StopAtStepHook": "stop_at_step",
    "train.LoggingTensorHook": "logging_tensor",
    "train.NanTensorHook": "nan_tensor",
    "train.CheckpointSaverHook": "checkpoint_saver",
    "train.SummarySaverHook": "summary_saver",
    "train.StepCounterHook": "step_counter",
}
# What is of no consequence where one process does everything.
QUIET = ("stop_grace_period_secs", "max_wait_secs", "config", "log_step_count_steps")
FILES = ("checkpoint_dir", "summary_dir")
PERIODS = ("save_checkpoint_secs", "save_checkpoint_steps", "save_summaries_steps")
Arguments = dict[str, ast.expr]
Given = list[tuple[str, ast.expr]]  # what a hook is, and where it is made or named


class Hooks:
    """The hooks of a module's monitored sessions."""

    def __init__(
        self,
        module: Module,
        others: str,
        free: Callable[[str], str],
    ) -> None:
        self.module = module
        self.own = OwnHooks(module, free)
        self.free = free
        texts = (module.text.text, others)
        self.elsewhere = ".summary." in others
        self.savers = any("GraphKeys.SAVERS" in text for text in texts)
        self.before: Sequence[ast.stmt] = ()  # what stands before the session at hand
        self.used: dict[int, ast.Assign] = {}  # statements that make hooks and lists of them

    def given(self, value: ast.Call, before: Sequence[ast.stmt]) -> Given:
        """What a session has to do besides, in the order in which it does it.

        Raises:
            Blocked: something isn't followed.
        """
        given = self.module.bound(value)
        self.before = before
        chief(given)
        found: Given = []
        for argument, node in given.items():
            if argument in QUIET or argument in (*FILES, *PERIODS, "save_summaries_secs"):
                continue
            if argument not in ("hooks", "chief_only_hooks", "is_chief", "master"):
                if not none(node):
                    raise Blocked(node, f"`{argument}` of a monitored session")
        files = [f for k in FILES if (f := folder(self.module, given.get(k))) is not None]
        for place in files:
            if not simple(place):
                raise Blocked(place, "a folder that is computed where a session opens")
        if files:
            found.append(("files", value))
        for argument in ("chief_only_hooks", "hooks"):
            hooks = given.get(argument)
            if hooks is not None and not none(hooks):
                found += [self.hook(n) for n in self.listed(hooks)]
        return found

    def listed(self, node: ast.expr) -> list[ast.expr]:
        """The hooks of a list."""
        if isinstance(node, ast.Name):
            node = self.made(node)
        if not isinstance(node, (ast.List, ast.Tuple)):
            raise Blocked(node, "a session with hooks that aren't listed")
        return node.elts

    def made(self, name: ast.Name) -> ast.expr:
        """What a name was given, once, and is read for once."""
        stmts = [
            s
            for s in self.before
            if isinstance(s, ast.Assign)
            and len(s.targets) == 1
            and isinstance(s.targets[0], ast.Name)
            and s.targets[0].id == name.id
        ]
        every = [n for n in all_of(self.module.scope(name), ast.Name) if n.id == name.id]
        if len(stmts) != 1 or len(every) != 2:
            raise Blocked(name, f"`{name.id}`, of a session's hooks, is used in another way")
        self.used[id(stmts[0])] = stmts[0]
        return stmts[0].value

    def hook(self, node: ast.expr) -> tuple[str, ast.expr]:
        """One hook: its kind, and the call that makes it."""
        if isinstance(node, ast.Name):
            if self.own.made(node, self.before) is not None:
                return "", node
            node = self.made(node)
        kind = self.module.endpoint(node)
        if kind in KNOWN:
            return kind, node
        if self.own.of(node) is not None:
            return "", node
        raise Blocked(node, "a hook that isn't followed")

    def rest(self) -> None:
        """The statements that made what is written out now go."""
        for stmt in self.used.values():
            self.module.remove(stmt)

    # -- what they do -----------------------------------------------------------------------

    def write(self, at: Round, found: Given, value: ast.Call) -> list[str]:
        """Have a round do what all hooks do; the lines that restore."""
        starts: list[str] = []
        for kind, node in found:
            if kind == "files":
                starts = self.files(at, value)
            elif not kind:
                self.own.write(at, node, self.before)
            else:
                assert isinstance(node, ast.Call)
                given = self.module.bound(node)
                getattr(self, KNOWN[kind])(at, node, given)
        return starts

    def files(self, at: Round, value: ast.Call) -> list[str]:
        """What a session saves, restores and logs by itself."""
        module, given = self.module, self.module.bound(value)
        tf, unit = module.tf, module.text.unit
        training = module.endpoint(value) == "train.MonitoredTrainingSession"
        kept = folder(module, given.get("checkpoint_dir"))
        logs = folder(module, given.get("summary_dir")) or kept
        if training and logs is not None:
            self._summaries(at, given, logs)
        if kept is None:
            return []
        saver, path = self.saver(at), self.free("checkpoint")
        first, after = "", ""
        if training:
            seconds, steps = given.get("save_checkpoint_secs"), given.get("save_checkpoint_steps")
            period = "600" if seconds is None and steps is None else ""
            if seconds is not None and not none(seconds) and not zero(seconds):
                period = self.period(seconds)
            count = self.period(steps) if steps is not None and not _off(steps) else ""
            if period and count:
                raise Blocked(value, "a session that saves by the clock and by steps")
            if period or count:
                # What was just restored isn't saved again: an optimizer of Keras would look for
                # slots, which it makes in its first step, in a file that hasn't any.
                first, after = at.saves(kept, saver, period, count)
                at.begins.remove(first)
        return [
            *([first] if first else []),
            f"{path} = {tf}.train.latest_checkpoint({module.source(kept)})",
            f"if {path}:",
            f"{unit}{saver}.restore({at.session}, {path})",
            *([f"{unit}{after}"] if after else []),
        ]

    def saver(self, at: Round) -> str:
        """The Saver that a session makes: the program's own isn't asked for.

        Raises:
            Blocked: the program may put one where the session looks for it.
        """
        if at.saver:
            return at.saver
        if self.savers:
            raise Blocked(at.call, "which Saver a session uses isn't seen")
        at.saver = self.free("saver")
        at.ahead.append(f"{at.saver} = {self.module.tf}.train.Saver()")
        return at.saver

    def _summaries(self, at: Round, given: Arguments, logs: ast.expr) -> None:
        summaries = any(".summary." in text for text in self.module.around(at.site))
        seconds, steps = given.get("save_summaries_secs"), given.get("save_summaries_steps")
        if seconds is not None and not _off(seconds):
            if summaries:
                raise Blocked(seconds, "summaries by the clock")
        elif steps is None or not _off(steps):
            period = "100" if steps is None else self.period(steps)
            if steps is None and seconds is not None:
                return
            if summaries or self.elsewhere:  # where none is made, `merge_all` isn't followed
                at.writes(logs, "", "", period)

    def period(self, node: ast.expr) -> str:
        """A number of steps or seconds."""
        if not simple(node):
            raise Blocked(node, "a period that is computed")
        return self.module.source(node)

    def stop_at_step(self, at: Round, node: ast.Call, given: Arguments) -> None:
        last, more = given.get("last_step"), given.get("num_steps")
        if (last is None or none(last)) == (more is None or none(more)):
            raise Blocked(node, "a hook that stops at both a step and after some")
        if last is not None and not none(last):
            at.stops_at(self.period(last), "")
        elif more is not None:
            at.stops_at("", self.period(more))

    def nan_tensor(self, at: Round, node: ast.Call, given: Arguments) -> None:
        fails = given.get("fail_on_nan_loss", ast.Constant(True))
        if not isinstance(fails, ast.Constant):
            raise Blocked(fails, "whether a loss that isn't a number is an error is computed")
        at.ends_at_nan(given["loss_tensor"], bool(fails.value))

    def step_counter(self, at: Round, node: ast.Call, given: Arguments) -> None:
        """Its events tell the speed, which is no result."""

    def checkpoint_saver(self, at: Round, node: ast.Call, given: Arguments) -> None:
        known = ("checkpoint_dir", "save_secs", "save_steps", "saver")
        for argument, value in given.items():
            if argument not in known and not none(value):
                raise Blocked(value, f"`{argument}` of a hook that saves")
        own, kept = given.get("saver"), folder(self.module, given["checkpoint_dir"])
        if kept is None or not simple(kept):
            raise Blocked(node, "a folder that is computed where a hook is made")
        saver = self.saver(at) if own is None or none(own) else self.period(own)
        seconds, steps = (
            "" if given.get(k) is None or none(given[k]) else self.period(given[k])
            for k in ("save_secs", "save_steps")
        )
        at.saves(kept, saver, seconds, steps)

    def summary_saver(self, at: Round, node: ast.Call, given: Arguments) -> None:
        op, steps = given.get("summary_op"), given.get("save_steps")
        if op is None or steps is None or none(steps):
            raise Blocked(node, "a hook that writes summaries by the clock, or of a Scaffold")
        writer, kept = given.get("summary_writer"), folder(self.module, given.get("output_dir"))
        name = "" if writer is None or none(writer) else self.period(writer)
        if not name and (kept is None or not simple(kept)):
            raise Blocked(node, "a hook that writes summaries nowhere")
        if not isinstance(op, ast.Name):
            raise Blocked(op, "summaries of a hook that have no name")
        at.writes(kept, name, op.id, self.period(steps))

    def logging_tensor(self, at: Round, node: ast.Call, given: Arguments) -> None:
        tensors, form = given["tensors"], given.get("formatter")
        runs, seconds = given.get("every_n_iter"), given.get("every_n_secs")
        if "at_end" in given and not _off(given["at_end"]):
            raise Blocked(given["at_end"], "a hook that logs at the end")
        if not isinstance(tensors, ast.Dict) or not all(_text(k) for k in tensors.keys):
            raise Blocked(tensors, "a hook that logs tensors under names that the graph gives")
        tags = [str(k.value) for k in tensors.keys if isinstance(k, ast.Constant)]
        pairs = sorted(zip(tags, tensors.values, strict=True), key=lambda pair: pair[0])
        values = [at.value(v) for _, v in pairs]
        if form is not None and not none(form):
            shown = ", ".join(f"{k!r}: {v}" for (k, _), v in zip(pairs, values, strict=True))
            text, values = f"({self.module.source(form)})({{{shown}}})", []
            if simple(form):
                text = f"{self.module.source(form)}({{{shown}}})"
        else:
            text = repr(", ".join(f"{k} = %s" for k, _ in pairs)).replace('"', '\\"')
        at.logs(
            text,
            values,
            "" if runs is None or none(runs) else self.period(runs),
            "" if seconds is None or none(seconds) else self.period(seconds),
        )


def _off(node: ast.expr) -> bool:
    """Whether an argument says never."""
    return isinstance(node, ast.Constant) and not node.value


def _text(node: ast.expr | None) -> bool:
    """Whether a dict's key is a text that is printed as it is."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "%" not in node.value

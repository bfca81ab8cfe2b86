"""Supervisors and monitored sessions as sessions that are initialised and restored by themselves.

What they do by the clock in threads of their own, checkpoints and summaries every so many seconds,
isn't followed; nor are hooks.
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.module import Module, blocks

SUPERVISOR = "train.Supervisor"
MONITORED = frozenset(
    ["train.MonitoredTrainingSession", "train.MonitoredSession", "train.SingularMonitoredSession"]
)
# What is of no consequence where one process does everything.
QUIET = frozenset(
    [
        *("graph", "recovery_wait_secs", "stop_grace_secs", "stop_grace_period_secs", "master"),
        *("config", "max_wait_secs", "start_standard_services", "wait_for_checkpoint", "name"),
    ]
)
BASENAME = "model.ckpt"


class Supervisors:
    """The supervisors and monitored sessions of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.savers: dict[str, str] = {}  # a supervisor's Saver, by the supervisor's name
        self.given: dict[str, dict[str, ast.expr]] = {}
        self.opened: set[int] = set()

    def run(self) -> None:
        """Write sessions for them.

        Raises:
            Blocked: one does more than a session does.
        """
        tree, module = self.module.tree, self.module
        for _, body in blocks(tree):
            for place, stmt in enumerate(body):
                value = getattr(stmt, "value", None)
                if isinstance(stmt, ast.Assign) and module.endpoint(value) == SUPERVISOR:
                    self.supervisor(stmt, body[place - 1] if place else None)
        for _, body in blocks(tree):
            for stmt in body:
                if isinstance(stmt, ast.With):
                    self.block(stmt)
                elif isinstance(stmt, ast.Assign) and self._opens(stmt.value):
                    self.session(stmt)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.attribute(node, node.value.id)
            name = module.endpoint(node)
            if name in (SUPERVISOR, *MONITORED) and id(node) not in self.opened:
                raise Blocked(node, f"tf.{name} that isn't kept under a name")

    def supervisor(self, stmt: ast.Assign, before: ast.stmt | None) -> None:
        """``sv = tf.train.Supervisor(…)``: its Saver, where it has work to do."""
        module, value = self.module, stmt.value
        assert isinstance(value, ast.Call)
        target = stmt.targets[0]
        given = module.bound(value)
        if not isinstance(target, ast.Name) or target.id in self.given:
            raise Blocked(stmt, "a Supervisor that isn't kept under a name of its own")
        self.opened.add(id(value))
        known = QUIET | {"logdir", "global_step", "saver", "init_op", "is_chief", "summary_op"}
        known |= {"save_model_secs", "save_summaries_secs", "summary_writer"}
        for argument, node in given.items():
            if argument not in known:
                raise Blocked(node, f"`{argument}` of a Supervisor")
        self._chief(given)
        if not _none(given.get("logdir")):
            if not _zero(given.get("save_model_secs")):
                raise Blocked(value, "a Supervisor that saves by the clock")
            summaries = not (_none(given.get("summary_op"), False))
            summaries = summaries and not _zero(given.get("save_summaries_secs"))
            if summaries and self._summaries():
                raise Blocked(value, "a Supervisor that writes summaries by the clock")
        name = target.id
        self.given[name] = given
        module.coords.add(name)
        wanted = not _none(given.get("logdir")) or any(
            isinstance(n, ast.Attribute) and n.attr == "saver" and ast.unparse(n.value) == name
            for n in ast.walk(module.tree)
        )
        own = given.get("saver")
        floor = (before.end_lineno or 0) if before is not None else 0
        if own is not None and not _none(own):
            self.savers[name] = module.source(own)
        elif wanted and own is None:
            self.savers[name] = self._free("saver")
            module.replace(stmt, f"{self.savers[name]} = {module.tf}.train.Saver()")
            module.quiet |= {id(n) for n in ast.walk(stmt)}
            return
        module.remove(stmt, floor)
        module.quiet |= {id(n) for n in ast.walk(stmt)}

    def block(self, stmt: ast.With) -> None:
        """A block that opens a session of either kind."""
        module = self.module
        for item in stmt.items:
            value = item.context_expr
            if not self._opens(value):
                continue
            assert isinstance(value, ast.Call)
            if not isinstance(item.optional_vars, ast.Name) or len(stmt.items) > 1:
                raise Blocked(stmt, "a session that has no name, or isn't opened alone")
            if self._data():
                raise Blocked(value, "a session that the end of the data closes quietly")
            name = item.optional_vars.id
            first = stmt.body[0]
            indent = module.indent(first)
            lines = self.starts(value, name)
            start = module.text.start(module.text.piece(first, stmt.lineno).first)
            text = "".join(f"{indent}{line}{module.text.newline}" for line in lines)
            module.changes.append(Edit(start, start, text))
            self.open(value)
            module.stoppable.add(name)

    def session(self, stmt: ast.Assign) -> None:
        """``sess = sv.prepare_or_wait_for_session(…)``: the end of the data is an error here."""
        module, target = self.module, stmt.targets[0]
        if not isinstance(target, ast.Name):
            raise Blocked(stmt, "a session that has no name")
        assert isinstance(stmt.value, ast.Call)
        module.stoppable.add(target.id)
        end = module.text.start((stmt.end_lineno or stmt.lineno) + 1)
        indent = module.indent(stmt)
        lines = self.starts(stmt.value, target.id)
        text = "".join(f"{indent}{line}{module.text.newline}" for line in lines)
        module.changes.append(Edit(end, end, text))
        self.open(stmt.value)

    def starts(self, value: ast.Call, session: str) -> list[str]:
        """What is run first: the initializers, and what a checkpoint has."""
        module = self.module
        supervisor = self._managed(value)
        init = f"{session}.run({module.tf}.global_variables_initializer())"
        if not supervisor:
            self.monitored(value)
            return [init]
        given = self.given[supervisor]
        if not _none(given.get("init_op")):
            init = f"{session}.run({module.source(given['init_op'])})"
        saver, logdir = self.savers.get(supervisor), given.get("logdir")
        if saver is None or logdir is None or _none(logdir):
            return [init]
        name = self._free("checkpoint")
        return [
            init,
            f"{name} = {module.tf}.train.latest_checkpoint({module.source(logdir)})",
            f"if {name}:",
            f"{module.text.unit}{saver}.restore({session}, {name})",
        ]

    def monitored(self, value: ast.Call) -> None:
        """A monitored session without files and hooks.

        Raises:
            Blocked: it has some.
        """
        given = self.module.bound(value)
        self._chief(given)
        for argument, node in given.items():
            if argument in ("hooks", "chief_only_hooks"):
                if isinstance(node, (ast.List, ast.Tuple)) and not node.elts:
                    continue
                if not _none(node):
                    raise Blocked(node, "a session with hooks")
            elif argument in ("checkpoint_dir", "summary_dir"):
                if not _none(node):
                    raise Blocked(node, "a session that saves and logs by itself")
            elif argument in ("session_creator", "scaffold") and not _none(node):
                raise Blocked(node, f"`{argument}` of a monitored session")

    def open(self, value: ast.Call) -> None:
        """The call that opens a session of its own."""
        module = self.module
        self.opened.add(id(value))
        config = [module.source(k.value) for k in value.keywords if k.arg == "config"]
        module.replace(value, f"{module.tf}.Session({', '.join(f'config={c}' for c in config)})")
        module.quiet |= {id(n) for n in ast.walk(value)}

    def attribute(self, node: ast.Attribute, owner: str) -> None:
        """``sv.saver`` and ``sv.save_path``."""
        given = self.given.get(owner)
        if given is None or id(node) in self.module.quiet:
            return
        if node.attr == "saver" and owner in self.savers:
            self.module.replace(node, self.savers[owner])
        elif node.attr == "save_path" and not _none(given.get("logdir")):
            logdir = given["logdir"]
            if isinstance(logdir, ast.Constant):
                path = repr(f"{str(logdir.value).rstrip('/')}/{BASENAME}")
            else:
                path = f'os.path.join({self.module.source(logdir)}, "{BASENAME}")'
                if not any(
                    isinstance(s, ast.Import) and any(a.name == "os" for a in s.names)
                    for s in self.module.tree.body
                ):
                    raise Blocked(node, "a path that needs `os`, which isn't imported")
            self.module.replace(node, path)
        else:
            return
        self.module.quiet |= {id(n) for n in ast.walk(node)}

    # -- what is there ----------------------------------------------------------------------

    def _opens(self, value: ast.AST) -> bool:
        """Whether a call opens a session."""
        return bool(self._managed(value)) or self.module.endpoint(value) in MONITORED

    def _managed(self, value: ast.AST) -> str:
        """The supervisor whose session a call opens."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            owner = value.func.value
            if value.func.attr in ("managed_session", "prepare_or_wait_for_session"):
                if isinstance(owner, ast.Name) and owner.id in self.given:
                    return owner.id
        return ""

    @staticmethod
    def _chief(given: dict[str, ast.expr]) -> None:
        chief, master = given.get("is_chief"), given.get("master")
        if chief is not None and not (isinstance(chief, ast.Constant) and chief.value is True):
            raise Blocked(chief, "whether this process is the chief is computed")
        if master is not None and not (isinstance(master, ast.Constant) and not master.value):
            raise Blocked(master, "a session on a server")

    def _summaries(self) -> bool:
        names = self.module.endpoints.values()
        return any(name.startswith(meaning.T + "summary.") for name in names)

    def _data(self) -> bool:
        names = set(self.module.endpoints.values())
        queued = any("input_producer" in n or "Queue" in n for n in names)
        return queued or ".get_next()" in self.module.text.text

    def _free(self, wish: str) -> str:
        taken = {n.id for n in ast.walk(self.module.tree) if isinstance(n, ast.Name)}
        taken |= set(self.savers.values())
        return next(n for n in (wish, *(f"{wish}_{i}" for i in range(2, 99))) if n not in taken)


def _none(node: ast.expr | None, default: bool = True) -> bool:
    """Whether an argument is None, or left out where that means the same."""
    return default if node is None else isinstance(node, ast.Constant) and node.value is None


def _zero(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False

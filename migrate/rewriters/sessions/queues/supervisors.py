"""Supervisors as sessions that are initialised and restored by themselves.

A checkpoint that a thread writes every so many seconds is one that a loop's round begins with; so
are summaries that a thread computes.
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues.arguments import (
    UNTOLD,
    chief,
    folder,
    none,
    object_step,
    step_name,
    zero,
)
from migrate.rewriters.sessions.queues.module import Module, blocks
from migrate.rewriters.sessions.queues.quiet import SUPERVISOR
from migrate.rewriters.sessions.queues.rounds import BASENAME, joined, simple

# What is of no consequence where one process does everything.
QUIET = frozenset(
    [
        *("graph", "recovery_wait_secs", "stop_grace_secs", "stop_grace_period_secs", "master"),
        *("config", "max_wait_secs", "start_standard_services", "wait_for_checkpoint", "name"),
    ]
)
PERIOD = "save_model_secs"
OTHER_LOOPS = "a Supervisor that saves by the clock, in no one loop"


class Supervisors:
    """The supervisors of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.savers: dict[str, str] = {}  # a supervisor's Saver, by the supervisor's name
        self.writers: dict[str, str] = {}  # its summary writer, where the program asks for it
        self.given: dict[str, dict[str, ast.expr]] = {}
        self.unsure: dict[str, str] = {}  # what says whether there is a folder, where that's open
        self.summaries: dict[str, str] = {}  # what its thread computes summaries of
        self.ops: dict[str, str] = {}  # its op of all summaries, where the program asks for it
        self.opened: set[int] = set()
        self.found = ""  # the name of the checkpoint that is restored

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
                elif isinstance(stmt, ast.Assign) and self._managed(stmt.value):
                    self.session(stmt)
        for node in walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = ast.unparse(node.func.value)
                if node.func.attr == "summary_computed" and owner in self.writers:
                    self.computed(node, owner)
        for node in walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.attribute(node, node.value.id)
            if module.endpoint(node) == SUPERVISOR and id(node) not in self.opened:
                raise Blocked(node, f"tf.{SUPERVISOR} that isn't kept under a name")

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
        known |= {"save_model_secs", "save_summaries_secs", "summary_writer", "init_fn"}
        for argument, node in given.items():
            if argument not in known:
                raise Blocked(node, f"`{argument}` of a Supervisor")
        chief(given)
        name = target.id
        try:
            somewhere = folder(module, given.get("logdir")) is not None
        except Blocked:  # it may be None
            if not simple(given["logdir"]):
                raise
            somewhere, self.unsure[name] = True, module.source(given["logdir"])
        summaries = somewhere and not none(given.get("summary_op"), False)
        if summaries and not zero(given.get("save_summaries_secs")) and self._summaries():
            if name in self.unsure or given.get("summary_writer") is not None:
                raise Blocked(value, "a Supervisor that writes summaries by the clock")
            self.summaries[name] = ""
        self.given[name] = given
        module.coords.add(name)
        wanted = not none(given.get("logdir")) or any(
            isinstance(n, ast.Attribute) and n.attr == "saver" and ast.unparse(n.value) == name
            for n in walk(module.tree)
        )
        own = given.get("saver")
        above = self.writer(name, stmt)
        above += self.merged(name)
        floor = (before.end_lineno or 0) if before is not None else 0
        if isinstance(own, ast.Call):
            self.savers[name] = self._free("saver")
            above.append(f"{self.savers[name]} = {module.source(own)}")
        elif own is not None and not none(own):
            self.savers[name] = module.source(own)
        elif wanted and own is None:
            self.savers[name] = self._free("saver")
            above.append(f"{self.savers[name]} = {module.tf}.train.Saver()")
        if above:
            module.replace(stmt, f"{module.text.newline}{module.indent(stmt)}".join(above))
        else:
            module.remove(stmt, floor)
        module.quiet |= {id(n) for n in walk(stmt)}

    def writer(self, name: str, stmt: ast.Assign) -> list[str]:
        """The line that makes a supervisor's summary writer, where the program asks for it."""
        module, given = self.module, self.given[name]
        asked = [
            n
            for n in all_of(module.tree, ast.Attribute)
            if n.attr in ("summary_computed", "summary_writer") and ast.unparse(n.value) == name
        ]
        if not asked and name not in self.summaries:
            return []
        if asked and name in self.unsure:
            raise Blocked(asked[0], UNTOLD)
        logdir, own = given.get("logdir"), given.get("summary_writer")
        if own is not None or logdir is None or none(logdir):
            raise Blocked(asked[0], "the summary writer of a Supervisor that has none of its own")
        self.writers[name] = self._free("summary_writer")
        source = module.source(logdir)
        lines = [f"{self.writers[name]} = {module.tf}.summary.FileWriter({source})"]
        if name in self.summaries:
            op = given.get("summary_op")
            self.summaries[name] = self._free("summary_op") if op is None else module.source(op)
            if op is None:
                lines.append(f"{self.summaries[name]} = {module.tf}.summary.merge_all()")
        return lines

    def merged(self, name: str) -> list[str]:
        """The line that merges all summaries, where the program asks a supervisor for that."""
        asked = (n for n in all_of(self.module.tree, ast.Attribute))
        if not any(n.attr == "summary_op" and ast.unparse(n.value) == name for n in asked):
            return []
        op = self.given[name].get("summary_op")
        if op is not None and not none(op):
            self.ops[name] = self.module.source(op)
        elif op is None and self.summaries.get(name):
            self.ops[name] = self.summaries[name]
        elif op is None:
            self.ops[name] = self._free("summary_op")
            return [f"{self.ops[name]} = {self.module.tf}.summary.merge_all()"]
        return []

    def computed(self, node: ast.Call, owner: str) -> None:
        """``sv.summary_computed(sess, summary)``: written under the global step."""
        module, given = self.module, [*node.args]
        named = {k.arg: k.value for k in node.keywords}
        if len(given) < 2 or set(named) - {"global_step"} or len(given) > 3:
            raise Blocked(node, "summaries of a Supervisor whose arguments are hidden")
        step = given[2] if len(given) == 3 else named.get("global_step")
        shown = "" if step is None or none(step) else module.source(step)
        if not shown and (known := self.step(owner)):
            shown = f"{module.source(given[0])}.run({known})"
        inner = ", ".join(n for n in (module.source(given[1]), shown) if n)
        module.replace(node, f"{self.writers[owner]}.add_summary({inner})")
        module.quiet |= {id(n) for n in walk(node)}

    def step(self, owner: str) -> str:
        """The global step's variable; empty where there is none.

        Raises:
            Blocked: there is one without a name.
        """
        given = self.given[owner].get("global_step")
        if given is not None:
            return "" if none(given) else self.module.source(given)
        at = self.given[owner].get("logdir") or self.module.tree.body[0]
        found = step_name(self.module, at) or object_step(self.module)
        if not found and "global_step" in self.module.text.text:
            raise Blocked(at, "a Supervisor that counts steps, which have no one name")
        return found

    def clock(self, stmt: ast.With, owner: str, session: str) -> list[tuple[int, list[str]]]:
        """The lines that save every so many seconds, with the lines before which they come.

        Raises:
            Blocked: which loop they belong to isn't seen.
        """
        module, given = self.module, self.given[owner]
        saver, logdir, period = self.savers.get(owner), given.get("logdir"), given.get(PERIOD)
        saves = saver is not None and logdir is not None and not none(logdir) and not zero(period)
        summary = self.summaries.get(owner)
        if not saves and summary is None:
            return []
        loop = self.loop(stmt, session)
        module.needs("time")
        step, unit = self.step(owner), module.text.unit
        first, begin = loop.body[0], stmt.body[0]
        starts, lines = [], []
        if summary is not None:
            after = given.get("save_summaries_secs")
            seconds, due = (
                "120" if after is None else module.source(after),
                self._free("next_summary"),
            )
            shown = f", {session}.run({step})" if step else ""
            starts.append(f"{due} = 0")
            lines += [
                f"if time.time() >= {due}:",
                f"{unit}{self.writers[owner]}.add_summary({session}.run({summary}){shown})",
                f"{unit}{due} = time.time() + {seconds}",
            ]
        if saves:
            shown = f", global_step={step}" if step else ""
            seconds, due = (
                "600" if period is None else module.source(period),
                self._free("next_save"),
            )
            there = f"{self.unsure[owner]} and " if owner in self.unsure else ""
            lines += [
                f"if {there}time.time() >= {due}:",
                f"{unit}{saver}.save({session}, {self.path(owner)}{shown})",
                f"{unit}{due} = time.time() + {seconds}",
            ]
            # What was just restored isn't saved again: an optimizer of Keras would look for slots,
            # which it makes in its first step, in a file that hasn't any.
            starts.append(f"{due} = time.time() + {seconds} if {self.found} else 0")
        return [
            (
                module.text.piece(begin, stmt.lineno).first,
                [f"{module.indent(begin)}{line}" for line in starts],
            ),
            (
                module.text.piece(first, loop.lineno).first,
                [f"{module.indent(first)}{line}" for line in lines],
            ),
        ]

    def loop(self, stmt: ast.With, session: str) -> ast.For | ast.While:
        """The one loop in a block whose rounds run a session.

        Raises:
            Blocked: there are others.
        """
        loops = [n for n in walk(stmt) if isinstance(n, (ast.For, ast.While))]
        inner = [n for n in loops if not any(o is not n and o in loops for o in walk(n))]
        inner = [n for n in inner if any(_named(m, session) for m in walk(n))]
        handed = any(
            isinstance(n, ast.Call)
            and any(isinstance(a, ast.Name) and a.id == session for a in n.args)
            and ast.unparse(n.func).rpartition(".")[2]
            not in ("restore", "save", "summary_computed")
            for n in walk(stmt)
        )
        if len(inner) == 1 and not handed:
            return inner[0]
        raise Blocked(stmt, OTHER_LOOPS)

    def block(self, stmt: ast.With) -> None:
        """A block that opens a session."""
        module = self.module
        for item in stmt.items:
            value = item.context_expr
            if not self._managed(value):
                continue
            assert isinstance(value, ast.Call)
            if not isinstance(item.optional_vars, ast.Name) or len(stmt.items) > 1:
                raise Blocked(stmt, "a session that has no name, or isn't opened alone")
            name = item.optional_vars.id
            first = stmt.body[0]
            indent = module.indent(first)
            lines = self.starts(value, name)
            start = module.text.start(module.text.piece(first, stmt.lineno).first)
            text = "".join(f"{indent}{line}{module.text.newline}" for line in lines)
            module.changes.append(Edit(start, start, text))
            for line, new in self.clock(stmt, self._managed(value), name):
                start = module.text.start(line)
                text = "".join(f"{n}{module.text.newline}" for n in new)
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
        owner = self._managed(stmt.value)
        saves = owner in self.savers and not none(self.given[owner].get("logdir"))
        if saves and not zero(self.given[owner].get(PERIOD)):
            raise Blocked(stmt, OTHER_LOOPS)
        if owner in self.summaries:
            raise Blocked(stmt, "a Supervisor that writes summaries by the clock")
        lines = self.starts(stmt.value, target.id)
        text = "".join(f"{indent}{line}{module.text.newline}" for line in lines)
        module.changes.append(Edit(end, end, text))
        self.open(stmt.value)

    def starts(self, value: ast.Call, session: str) -> list[str]:
        """What is run first: the initializers, and what a checkpoint has."""
        module = self.module
        supervisor = self._managed(value)
        init = f"{session}.run({module.tf}.global_variables_initializer())"
        given = self.given[supervisor]
        if not none(given.get("init_op")):
            init = f"{session}.run({module.source(given['init_op'])})"
        saver, logdir = self.savers.get(supervisor), given.get("logdir")
        begins = self.first(given.get("init_fn"), session)
        if saver is None or logdir is None or none(logdir):
            return [init, *([begins] if begins else [])]
        name, unit = self._free("checkpoint"), module.text.unit
        self.found = name
        latest = f"{module.tf}.train.latest_checkpoint({module.source(logdir)})"
        if supervisor in self.unsure:
            latest += f" if {self.unsure[supervisor]} else None"
        return [
            init,
            f"{name} = {latest}",
            f"if {name}:",
            f"{unit}{saver}.restore({session}, {name})",
            *(["else:", f"{unit}{begins}"] if begins else []),
        ]

    def first(self, begin: ast.expr | None, session: str) -> str:
        """What an `init_fn` does: its call, or its one statement where nobody else calls it.

        Raises:
            Blocked: which function it is isn't seen.
        """
        if begin is None or none(begin):
            return ""
        if not isinstance(begin, ast.Name):
            raise Blocked(begin, "`init_fn` of a Supervisor")
        module = self.module
        scope = module.scope(begin)
        for _, body in blocks(scope):
            for place, stmt in enumerate(body):
                if not isinstance(stmt, ast.FunctionDef) or stmt.name != begin.id:
                    continue
                reads = [n for n in walk(module.tree) if _named(n, begin.id)]
                lines = stmt.body[1:] if ast.get_docstring(stmt) is not None else stmt.body
                value = getattr(lines[0], "value", None)
                if not isinstance(value, ast.Call) or stmt.decorator_list:
                    continue
                names = [n for n in walk(value) if _named(n, stmt.args.args[0].arg)]
                if not len(lines) == len(stmt.args.args) == len(reads) == len(names) == 1:
                    continue
                start, end = module.text.index.span(names[0])
                lo = module.text.index.span(value)[0]
                source = module.text.source(value)
                module.remove(stmt, (body[place - 1].end_lineno or 0) if place else 0)
                module.quiet |= {id(n) for n in walk(stmt)}
                return source[: start - lo] + session + source[end - lo :]
        return f"{begin.id}({session})"

    def open(self, value: ast.Call) -> None:
        """The call that opens a session of its own."""
        module = self.module
        self.opened.add(id(value))
        config = [module.source(k.value) for k in value.keywords if k.arg == "config"]
        module.replace(value, f"{module.tf}.Session({', '.join(f'config={c}' for c in config)})")
        module.quiet |= {id(n) for n in walk(value)}

    def attribute(self, node: ast.Attribute, owner: str) -> None:
        """``sv.saver``, ``sv.save_path`` and their kin."""
        given = self.given.get(owner)
        if given is None or id(node) in self.module.quiet:
            return
        if node.attr == "saver" and owner in self.savers:
            self.module.replace(node, self.savers[owner])
        elif node.attr == "save_path" and not none(given.get("logdir")):
            path = self.path(owner)
            self.module.replace(node, path)
        elif node.attr == "summary_op" and owner in self.ops:
            self.module.replace(node, self.ops[owner])
        elif node.attr == "global_step" and (step := self.step(owner)):
            self.module.replace(node, step)
        elif node.attr == "summary_writer" and owner in self.writers:
            self.module.replace(node, self.writers[owner])
        else:
            return
        self.module.quiet |= {id(n) for n in walk(node)}

    def path(self, owner: str) -> str:
        """The path that a supervisor saves under."""
        logdir = self.given[owner]["logdir"]
        if not isinstance(logdir, ast.Constant):
            self.module.needs("os")
        return joined(self.module, logdir, BASENAME)

    # -- what is there ----------------------------------------------------------------------

    def _managed(self, value: ast.AST) -> str:
        """The supervisor whose session a call opens."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            owner = value.func.value
            if value.func.attr in ("managed_session", "prepare_or_wait_for_session"):
                if isinstance(owner, ast.Name) and owner.id in self.given:
                    return owner.id
        return ""

    def _summaries(self) -> bool:
        names = self.module.endpoints.values()
        return any(name.startswith(meaning.T + "summary.") for name in names)

    def _free(self, wish: str) -> str:
        taken = {n.id for n in all_of(self.module.tree, ast.Name)}
        taken |= set(self.savers.values())
        return next(n for n in (wish, *(f"{wish}_{i}" for i in range(2, 99))) if n not in taken)


def _named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name

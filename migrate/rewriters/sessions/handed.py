"""Functions that go where the parts of a graph went: arguments of helpers, results of builders."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.model import Blocked, Fetch, Kind, Region, Step, Symbol
from migrate.programs.graph.objects import bases
from migrate.programs.graph.slices import Plan

if TYPE_CHECKING:
    from migrate.rewriters.sessions.state import Base


class Handed:
    """Which functions a module's own functions are given, and which a builder returns."""

    def __init__(self, module: Base) -> None:
        self.module = module
        self.needs: dict[int, dict[str, None]] = {}  # by function: what it is given, by name
        self.around: dict[int, ast.FunctionDef | None] = {}  # the function around each node

    def prepare(self) -> None:
        """See who needs what.

        Raises:
            Blocked: it can't be given.
        """
        self._place(self.module.walker.tree, None)
        plans: dict[int, dict[Plan, None]] = {}
        for site in self.module.sites:
            plan = self.module.of.get(id(site.node))
            at = self.around.get(id(site.node))
            if plan is not None and at is not None and not self._sees(at, plan):
                plans.setdefault(id(at), {})[plan] = None
            elif plan is not None and at is None and not self._sees(None, plan):
                raise Blocked(site.node, "the graph of another function is run here")
        self._spread(plans)
        self.needs = {key: {p.name: None for p in found} for key, found in plans.items()}
        self._absorbed()

    def _place(self, node: ast.AST, around: ast.FunctionDef | None) -> None:
        for child in children(node):
            self.around[id(child)] = around
            self._place(child, child if isinstance(child, ast.FunctionDef) else around)

    def _sees(self, at: ast.FunctionDef | None, plan: Plan) -> bool:
        """Whether a plan's function has its name in a function, or in the module."""
        region = plan.region
        if isinstance(region.node, ast.ClassDef):
            return True
        if isinstance(region.node, ast.Module):
            page = self.module.page_of
            return at is None or page(at) is page(region.node)
        assert isinstance(region.node, ast.FunctionDef)
        home = self.around[id(region.built)] if region.built is not None else region.node
        start = at
        while at is not None and at is not home:
            at = self.around[id(at)]
        if at is home is None and start is not None and region.built is not None:
            return self.module.page_of(start) is self.module.page_of(region.built)
        return at is home

    def sees(self, region: Region, plan: Plan) -> bool:
        """Whether a region has the name of another one's function."""
        self._place(self.module.document.tree, None)
        at = region.node if isinstance(region.node, ast.FunctionDef) else None
        return self._sees(at, plan)

    def only(self, fetch: Fetch) -> bool:
        """Whether all names in a fetch are other names for parts of a graph."""
        return all(id(n) in self.module.walker.aliases for n in all_of(fetch.node, ast.Name))

    def _spread(self, plans: dict[int, dict[Plan, None]]) -> None:
        """Who calls a function that is given something must have it."""
        calls = self.module.walker.calls
        for _ in range(len(calls) + 1):
            changed = False
            for call, target in calls:
                for plan in list(plans.get(id(target), {})):
                    at = self.around.get(id(call))
                    if self._sees(at, plan):
                        continue
                    if at is None:
                        raise Blocked(call, "the graph of another function is run here")
                    if plan not in plans.setdefault(id(at), {}):
                        plans[id(at)][plan] = None
                        changed = True
            if not changed:
                break
        called = {id(target) for _, target in calls}
        for site in self.module.sites:
            at = self.around.get(id(site.node))
            if at is not None and id(at) in plans and id(at) not in called:
                raise Blocked(site.node, "the graph of another function is run here")

    @cached_property
    def gone(self) -> set[int]:
        """Nodes of which nothing stays: fetches, feeds' keys, arguments that were parts."""
        walker = self.module.walker
        nodes: list[ast.AST] = [key for key, _ in walker.feed_keys.values()]
        for site in self.module.sites:
            nodes += [*site.node.args[:1], *(k.value for k in site.node.keywords)]
            if isinstance(site.node.func, ast.Attribute):
                nodes.append(site.node.func.value)
        for call, target in walker.calls:
            params = walker.session_params.get(id(target), set())
            names = bases.taken(walker, call, target)
            nodes += [a for n, a in zip(names, call.args, strict=False) if n in params]
            nodes += [k.value for k in call.keywords if k.arg in params]
        return walker.absorbed | {id(n) for node in nodes for n in walk(node)}

    def reads(self, node: ast.AST, symbol: Symbol) -> bool:
        """Whether a statement that stays reads a name."""
        return any(
            id(n) not in self.gone
            for n in walk(node)
            if (isinstance(n, ast.Name) and n.id == symbol.name)
            or (isinstance(n, ast.Attribute) and n.attr == symbol.name)
        )

    def _absorbed(self) -> None:
        """Names that mean no more what they meant must not be read any more.

        Raises:
            Blocked: one is.
        """
        moved = {id(n) for step in self.module.moving for n in walk(step.node)}
        for at, (node, symbol) in self.module.walker.aliases.items():
            if symbol.value.kind is not Kind.VARIABLE and at not in self.gone | moved:
                raise Blocked(node, f"`{ast.unparse(node)}` is used outside of a run")

    def results(self, region: Region) -> list[str]:
        """What a builder returns: functions, and variables that are read elsewhere."""
        found: dict[str, None] = {}
        for site in self.module.sites:
            plan = self.module.of.get(id(site.node))
            if plan is not None and plan.region is region:
                found[plan.name] = None
        for _, symbol in self._variables(region):
            found[symbol.name] = None
        for plans in self.module.plans.values():
            for plan in plans:
                lent = [c.plan for c in plan.borrowed if c.plan.region is region]
                specs = [s for s in plan.params if s.step.region is region]
                if plan.region is not region:
                    found.update({p.name: None for p in lent})
                    found.update({s.name: None for s in specs})
        if not found:
            raise Blocked(region.node, f"nothing that `{region.name}` builds is run")
        return list(found)

    def _variables(self, region: Region) -> list[tuple[ast.expr, Symbol]]:
        return [
            (node, symbol)
            for node, symbol in self.module.walker.aliases.values()
            if symbol.value.kind is Kind.VARIABLE
            and symbol.step.region is region
            and region.built is not None
        ]

    def called(self, step: Step, region: Region, indent: str) -> str:
        """The statement that calls a builder."""
        assert isinstance(step.node, ast.Assign)
        names = self.results(region)
        home = self.around[id(region.built)]
        taken = {
            n.id
            for n in all_of(home or self.module.document.tree, ast.Name)
            if isinstance(n.ctx, ast.Store)
        }
        mine = {n.id for n in all_of(step.node, ast.Name)}
        if set(names) & (taken - mine):
            raise Blocked(step.node, "a name of what is built means something else here")
        source = self.module.here(step.node.value)
        return f"{indent}{', '.join(names)} = {source}{self.module.text.newline}"

    def read(self, node: ast.AST) -> str | None:
        """A variable of a builder, where it is read under another name."""
        known = self.module.walker.aliases.get(id(node))
        if known is None or known[1].value.kind is not Kind.VARIABLE:
            return None
        region = known[1].step.region
        if region is None or region.built is None:
            return None
        if self.around[id(node)] is not self.around[id(region.built)]:
            raise Blocked(node, f"`{known[1].name}` is read in another function")
        return known[1].name


def arguments(kept: list[str], first: int, names: list[str], keywords: bool) -> list[str]:
    """Arguments with functions where the first part of a graph was."""
    new = [f"{n}={n}" for n in names] if keywords else names
    return [*kept[:first], *new, *kept[first:]]


__all__ = ["Handed", "arguments"]

"""The walk that collects what a module binds and where it uses the names of interest."""

from __future__ import annotations

import ast

from migrate.engine.names import (
    COMPREHENSIONS,
    IMPORT_GUARDS,
    Binding,
    MethodUse,
    Names,
    Scope,
    dotted,
    import_target,
)
from migrate.engine.names_lines import Lines, star_import


class Walker:
    """Collects bindings and uses of the names of interest."""

    def __init__(
        self,
        names: Names,
        interest: set[str],
        methods: frozenset[str],
        roots: frozenset[str],
        lines: Lines,
    ) -> None:
        self.names = names
        self.interest = interest
        self.methods = methods
        self.roots = roots
        self.lines = lines
        # With each: its first name, the attributes, scope, statement, parent, call, under hasattr
        self.uses: list[
            tuple[ast.expr, ast.Name, list[str], Scope, ast.stmt, ast.AST, ast.Call | None, bool]
        ] = []
        self.literals: list[tuple[ast.Call, Scope, ast.stmt, ast.AST, ast.Call | None, bool]] = []
        self.guards: list[tuple[ast.Try, bool]] = []
        self.in_hasattr = False
        self.stmt: ast.stmt = ast.Pass()

    # -- statements ------------------------------------------------------------------

    def body(self, body: list[ast.stmt], scope: Scope) -> None:
        touches = self.lines.touches
        for stmt in body:
            first = stmt.lineno
            decorators = getattr(stmt, "decorator_list", None)
            if decorators:
                first = min(first, decorators[0].lineno)
            if touches(first, stmt.end_lineno or first):
                self.statement(stmt, scope)
            elif isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._bind(stmt.name, Binding("other", stmt, stmt), scope)

    def statement(self, stmt: ast.stmt, scope: Scope) -> None:
        outer, self.stmt = self.stmt, stmt
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            self._import(stmt, scope)
        elif isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._function(stmt, scope)
        elif isinstance(stmt, ast.ClassDef):
            self._class(stmt, scope)
        elif isinstance(stmt, ast.Global):
            scope.outer.update(stmt.names)
        elif isinstance(stmt, ast.Nonlocal):
            scope.free.update(stmt.names)
        elif isinstance(stmt, ast.Assign):
            self._assign(stmt, scope)
        elif isinstance(stmt, ast.Try) or type(stmt).__name__ == "TryStar":
            self._try(stmt, scope)  # type: ignore[arg-type]
        else:
            self._fields(stmt, scope)
        self.stmt = outer

    def _fields(self, node: ast.AST, scope: Scope) -> None:
        """Visit a node's fields: statement lists pruned, expressions whole."""
        for name in node._fields:
            value = getattr(node, name, None)
            if value is None:
                continue
            if type(value) is list:
                if value and isinstance(value[0], ast.stmt):
                    self.body(value, scope)
                else:
                    for item in value:
                        if isinstance(item, ast.AST):
                            self.expression(item, scope, node)
            elif isinstance(value, ast.AST):
                self.expression(value, scope, node)
            elif isinstance(value, str) and value in self.interest:
                # except E as name, match captures
                if not isinstance(node, (ast.keyword, ast.alias, ast.Attribute)):
                    self._bind(value, Binding("other", node, self.stmt), scope)

    def _try(self, stmt: ast.Try, scope: Scope) -> None:
        guards = any(_catches_import(h) for h in stmt.handlers)
        if guards:
            self.guards.append((stmt, False))
        self.body(stmt.body, scope)
        if guards:
            self.guards[-1] = (stmt, True)
        for handler in stmt.handlers:
            if handler.type is not None:
                self.expression(handler.type, scope, handler)
            if handler.name in self.interest:
                self._bind(str(handler.name), Binding("other", handler, stmt), scope)
            self.body(handler.body, scope)
        self.body(stmt.orelse, scope)
        if guards:
            self.guards.pop()
        self.body(stmt.finalbody, scope)

    def _import(self, stmt: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        guard, handler = self.guards[-1] if self.guards else (None, False)
        ours = False
        if isinstance(stmt, ast.Import):
            for alias in stmt.names:
                top = alias.name.partition(".")[0]
                bound = alias.asname or top
                if top in self.roots:
                    ours = True
                    target = alias.name if alias.asname else top
                    binding = Binding("import", alias, stmt, target, guard, handler)
                    self._bind(bound, binding, scope)
                elif bound in self.interest:
                    self._bind(bound, Binding("other", alias, stmt, "", guard, handler), scope)
        else:
            target = import_target(stmt) or ""
            top = target.partition(".")[0]
            star_import(stmt, self.names, self.roots)
            for alias in stmt.names:
                bound = alias.asname or alias.name
                if top in self.roots and alias.name != "*":
                    ours = True
                    binding = Binding(
                        "import", alias, stmt, f"{target}.{alias.name}", guard, handler
                    )
                    self._bind(bound, binding, scope)
                elif bound in self.interest:
                    self._bind(bound, Binding("other", alias, stmt, "", guard, handler), scope)
        if ours:
            self.names.imports.append((stmt, scope, None))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self._bind(node.name, Binding("other", node, node), scope)
        for item in node.decorator_list:
            self.expression(item, scope, node)
        if node.returns is not None:
            self.expression(node.returns, scope, node)
        inner = self._arguments(node, node.args, scope)
        self.body(node.body, inner)

    def _arguments(self, node: ast.AST, args: ast.arguments, scope: Scope) -> Scope:
        for default in (*args.defaults, *args.kw_defaults):
            if default is not None:
                self.expression(default, scope, node)
        inner = Scope("function", scope, node)
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every.extend(a for a in (args.vararg, args.kwarg) if a is not None)
        for arg in every:
            if arg.annotation is not None:
                self.expression(arg.annotation, scope, node)
            self._bind(arg.arg, Binding("other", arg, self.stmt), inner)
        return inner

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._bind(node.name, Binding("other", node, node), scope)
        for item in (*node.decorator_list, *node.bases, *node.keywords):
            self.expression(item, scope, node)
        self.body(node.body, Scope("class", scope, node))

    def _assign(self, stmt: ast.Assign, scope: Scope) -> None:
        alias = dotted(stmt.value)
        plain = alias is not None and alias[0].id in self.interest
        for target in stmt.targets:
            if plain and isinstance(target, ast.Name):
                guard, handler = self.guards[-1] if self.guards else (None, False)
                self._bind(target.id, Binding("alias", stmt.value, stmt, "", guard, handler), scope)
            else:
                self.expression(target, scope, stmt)
        self.expression(stmt.value, scope, stmt)

    # -- expressions -----------------------------------------------------------------

    def expression(self, node: ast.AST, scope: Scope, parent: ast.AST) -> None:
        if isinstance(node, ast.Name):
            if node.id in self.interest:
                self._name(node, scope, parent)
            return
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.Attribute):
            self._attribute(node, scope, parent, None)
        elif isinstance(node, ast.Call):
            self._call(node, scope, parent)
        elif isinstance(node, ast.Lambda):
            inner = self._arguments(node, node.args, scope)
            self.expression(node.body, inner, node)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node, scope)
        elif isinstance(node, ast.NamedExpr):
            self._walrus(node, scope)
        else:
            self._fields(node, scope)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        target = scope
        while target.kind == "comprehension" and target.parent is not None:
            target = target.parent
        self._bind(node.target.id, Binding("other", node, self.stmt), target)
        self.expression(node.value, scope, node)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope
    ) -> None:
        inner = Scope("comprehension", scope, node)
        for index, generator in enumerate(node.generators):
            self.expression(generator.iter, scope if index == 0 else inner, generator)
            self.expression(generator.target, inner, generator)
            for test in generator.ifs:
                self.expression(test, inner, generator)
        for name in ("elt", "key", "value"):
            value = getattr(node, name, None)
            if value is not None:
                self.expression(value, inner, node)

    def _name(self, node: ast.Name, scope: Scope, parent: ast.AST) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.append((node, node, [], scope, self.stmt, parent, None, self.in_hasattr))
        else:
            guard, handler = self.guards[-1] if self.guards else (None, False)
            self._bind(node.id, Binding("other", node, self.stmt, "", guard, handler), scope)

    def _attribute(
        self, node: ast.Attribute, scope: Scope, parent: ast.AST, call: ast.Call | None
    ) -> None:
        chain = dotted(node)
        if chain is not None and chain[0].id in self.interest:
            self.uses.append(
                (node, chain[0], chain[1], scope, self.stmt, parent, call, self.in_hasattr)
            )
        if node.attr in self.methods:
            self.names.methods.append(MethodUse(node, call, self.stmt, scope))
        if chain is None or chain[0].id not in self.interest:
            value = node.value
            if isinstance(value, ast.Attribute):
                self._attribute(value, scope, node, None)
            else:
                self.expression(value, scope, node)

    def _call(self, node: ast.Call, scope: Scope, parent: ast.AST) -> None:
        func = node.func
        if isinstance(func, ast.Attribute):
            self._attribute(func, scope, node, node)
        elif isinstance(func, ast.Name):
            if func.id in self.interest:
                self.uses.append((func, func, [], scope, self.stmt, node, node, self.in_hasattr))
            elif func.id in ("getattr", "hasattr", "setattr", "delattr") and node.args:
                self._dynamic(node, func.id, scope, parent)
                return
        else:
            self.expression(func, scope, node)
        for arg in node.args:
            self.expression(arg, scope, node)
        for keyword in node.keywords:
            self.expression(keyword.value, scope, keyword)

    def _dynamic(self, node: ast.Call, func: str, scope: Scope, parent: ast.AST) -> None:
        chain = dotted(node.args[0])
        if chain is None or chain[0].id not in self.interest:
            for item in (*node.args, *node.keywords):
                self.expression(item, scope, node)
            return
        if func == "getattr":
            call = parent if isinstance(parent, ast.Call) and parent.func is node else None
            self.literals.append((node, scope, self.stmt, parent, call, self.in_hasattr))
            for item in (*node.args[1:], *node.keywords):
                self.expression(item, scope, node)
            return
        # `setattr(tf.contrib.rnn.GRUCell, "__deepcopy__", …)` needs the class, as any use does.
        patched = func != "hasattr" and bool(chain[1])
        before, self.in_hasattr = self.in_hasattr, self.in_hasattr or not patched
        for item in (*node.args, *node.keywords):
            self.expression(item, scope, node)
        self.in_hasattr = before

    # -- binding and resolving -------------------------------------------------------

    def _bind(self, name: str, binding: Binding, scope: Scope) -> None:
        if name not in self.interest:
            return
        if name in scope.outer:
            scope = self.names.module
        elif name in scope.free:
            outer = scope.parent
            while outer is not None and outer.kind != "function":
                outer = outer.parent
            scope = outer or scope
        scope.bindings.setdefault(name, []).append(binding)


def _catches_import(handler: ast.ExceptHandler) -> bool:
    node = handler.type
    if node is None:
        return True
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(i, ast.Name) and i.id in IMPORT_GUARDS for i in items)

"""TFM201 changed-arguments: the call has to change for its values to stay.

TF 2 renamed arguments (`keep_dims`, `reduction_indices`, `dimension`), dropped some, moved others
and changed defaults. The call is bound to the TF 1.15.5 signature first; then arguments are
renamed, dropped where dropping can't change a value, named where their place moved, and spelled
out where TF 2 has another default. A `*args` or `**kwargs` that may hide one of them is reported.
"""

from __future__ import annotations

import ast

from migrate import symbols
from migrate.engine.calls import BoundCall, Unbound
from migrate.engine.findings import Level
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import walk
from migrate.rewriters.kept import keep
from migrate.rewriters.keras_arguments import keras_call
from migrate.symbols.outcomes import ALWAYS, Arguments

ARGUMENTS = Rule(
    "TFM201",
    "changed-arguments",
    "a call whose arguments TF 2 names, orders or defaults differently",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/upgrade",
)
HIDDEN = Rule(
    "TFM202",
    "hidden-arguments",
    "a changed call whose arguments can't be seen",
    module=__name__,
    doc=__doc__,
)
REMOVED = Rule(
    "TFM203",
    "removed-argument",
    "an argument that TF 2 no longer takes and whose value matters",
    module=__name__,
    doc=__doc__,
)


@ARGUMENTS.outcome(Arguments, Level.NATIVE)
def change(site: Site) -> Result | None:
    """Change the call's arguments, and its name where that changed too."""
    assert site.record is not None
    assert isinstance(site.record.outcome, Arguments)
    keras = site.endpoint.startswith("tensorflow.keras.")
    result = keras_call(site) if keras else None
    result = result or change_to(site, site.record.outcome, site.record.outcome.target)
    if result is not None and keras:
        result.blocks = False  # Keras is Keras 3 at both levels
    return result


def change_to(site: Site, outcome: Arguments, target: str) -> Result | None:
    """Bring a call to an outcome's arguments under the name ``target``."""
    if site.call is None:
        if target == site.endpoint and _positional(site, outcome):
            return None
        if target != site.endpoint or site.file.tf1:
            why = f"is passed on as a value; TF 2 takes other arguments ({_summary(outcome)})"
            return _kept(site, outcome, HIDDEN, why)
        return None
    try:
        call = site.bind()
    except Unbound as error:
        if not site.file.tf1 or _new_keyword(site):
            return None  # TF 2 arguments in TF 2 code
        return _kept(site, outcome, HIDDEN, f"{error}; TF 2: {_summary(outcome)}")
    changed = {n for n in (*outcome.renamed, *outcome.removed) if n not in call.args}
    if call.hidden and site.file.tf1 and (changed or outcome.defaults):
        may = ", ".join(sorted(changed or outcome.defaults))
        return _kept(site, outcome, HIDDEN, f"`**` may hold {may}; TF 2: {_summary(outcome)}")
    done: list[str] = []
    lost = _remove(site, call, outcome, done) or _twice(site, call, outcome, done)
    if lost is not None:
        return lost
    _rename(call, outcome, done)
    imports: list[Import] = []
    if site.file.tf1:
        for name, source in outcome.defaults.items():
            if name not in call.args:
                text, needs = _default(site, source)
                call.append(f"{outcome.renamed.get(name, name)}={text}")
                imports.extend(needs)
                done.append(f"`{name}` was {source}")
    first = outcome.keyword_from
    limit = first if first is not None and site.file.tf1 else len(call.params) + 1
    edits = call.finish(lambda place, _: place < limit, outcome.renamed)
    renames, needs, drops = site.rename(target)
    if not edits and target == site.endpoint:
        return None
    new = "tf" + target.removeprefix("tensorflow")
    what = ", ".join(done) or "the order of the arguments changed"
    if new == site.shown:
        message = f"{site.shown}: {what}"
    else:
        message = f"{site.shown} is {new} in TF 2" + (f": {what}" if edits else "")
    return site.result(
        ARGUMENTS,
        message,
        fix=new,
        edits=[*renames, *edits],
        imports=[*imports, *needs],
        drops=drops,
    )


def _positional(site: Site, outcome: Arguments) -> bool:
    """Whether only keywords differ, and none of them stands anywhere in the file."""
    first = outcome.keyword_from
    if outcome.removed or outcome.defaults or (first is not None and first < 2):
        return False
    if "keywords" not in site.file.memo:
        nodes = list(walk(site.file.tree))
        said = {k.arg for n in nodes if isinstance(n, ast.Call) for k in n.keywords}
        said |= {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        site.file.memo["keywords"] = said
    return not {n for n, new in outcome.renamed.items() if n != new} & site.file.memo["keywords"]


def _new_keyword(site: Site) -> bool:
    """Whether a call has an argument that only TF 2 takes: it is TF 2's already."""
    old = symbols.signature(site.endpoint)
    return old is not None and any(
        k.arg is not None and not old.takes(k.arg) and symbols.resolves(site.endpoint, k.arg)
        for k in (site.call.keywords if site.call is not None else ())
    )


def _remove(site: Site, call: BoundCall, outcome: Arguments, done: list[str]) -> Result | None:
    for name, (reason, safe) in outcome.removed.items():
        arg = call.get(name)
        if arg is None or (arg.keyword is None and not site.file.tf1):
            continue  # what stands at a place may be TF 2's argument there
        if safe == ALWAYS or (safe is not None and _equal(arg.value, safe)):
            call.remove(name)
            done.append(f"`{name}` is gone")
        else:
            why = f"`{name}={call.source(name)}` has no counterpart in TF 2: {reason}"
            return _kept(site, outcome, REMOVED, why)
    return None


def _kept(site: Site, outcome: Arguments, rule: Rule, why: str) -> Result:
    """TF 1's function, where compat.v1 still takes its calls; blocked elsewhere."""
    record = site.record
    table = record is not None and record.outcome is outcome and record.compat == "ok"
    if table and site.level is Level.NATIVE and site.file.tf1:
        return keep(site, rule, why)
    return site.result(rule, f"{site.shown}: {why}", blocks=True)


def _twice(site: Site, call: BoundCall, outcome: Arguments, done: list[str]) -> Result | None:
    """Of an argument that is given under both of its names the one that is None goes."""
    for name, new in outcome.renamed.items():
        if name == new or name not in call.args or new not in call.args:
            continue
        empty = [n for n in (name, new) if _equal(call.args[n].value, "None")]
        if not empty:
            why = f"`{name}` and `{new}` are given, of which one has to be None"
            return _kept(site, outcome, HIDDEN, why)
        call.remove(empty[0])
        done.append(f"`{name}` is `{new}`")
    return None


def _rename(call: BoundCall, outcome: Arguments, done: list[str]) -> None:
    for name, new in outcome.renamed.items():
        arg = call.get(name)
        if arg is not None and arg.keyword is not None and new != name:
            call.rename(name, new)
            done.append(f"`{name}` is `{new}`")


def _equal(value: ast.expr, source: str) -> bool:
    """Whether an argument's value is, as written, the given one."""
    try:
        return ast.dump(value) == ast.dump(ast.parse(source, mode="eval").body)
    except SyntaxError:
        return False


def _default(site: Site, source: str) -> tuple[str, list[Import]]:
    """A default's text; ``tf.int32`` with the name that TensorFlow has here."""
    if source.startswith("tf."):
        return site.spell("tensorflow" + source.removeprefix("tf"))
    return source, []


def _summary(outcome: Arguments) -> str:
    parts = [f"`{old}` is `{new}`" for old, new in outcome.renamed.items() if old != new]
    parts += [f"`{name}` is gone" for name in outcome.removed]
    if outcome.keyword_from is not None:
        parts.append("the order of arguments changed")
    parts += [f"`{name}` was {source}" for name, source in outcome.defaults.items()]
    return ", ".join(parts) or "arguments changed"

"""TFM226 keras-optimizer-argument: `lr`, `decay` or a whole number as the rate of an optimizer.

Keras 3 refuses `lr`, which is `learning_rate`, and a rate that is a whole number (`SGD(1)`). It
ignores `decay` with a warning: the same program would train with other numbers. The rate that
falls as `lr / (1 + decay * iterations)` is `InverseTimeDecay(lr, 1, decay)`. Where a program sets
the rate itself while it trains, which a schedule doesn't allow, and where the numbers aren't seen,
as literals or as options of the command line that are numbers (`args.learning_rate`), this is
reported.

https://keras.io/api/optimizers/learning_rate_schedules/inverse_time_decay/
"""

from __future__ import annotations

import ast
import re

from migrate import symbols
from migrate.engine.calls import BoundCall, Unbound, bind
from migrate.engine.findings import Edit, Level
from migrate.engine.rule import Result, Rule, handler_of
from migrate.engine.site import Site

OPTIMIZER = Rule(
    "TFM226",
    "keras-optimizer-argument",
    "`lr` or `decay` of a Keras optimizer",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/optimizers/",
    everywhere=True,
)
# Each class and its rate where none is given (TF 1.15.5; the same in TF 2.21).
RATES = {"SGD": "0.01"} | dict.fromkeys(
    ("Adadelta", "Adagrad", "Adam", "Adamax", "Nadam", "RMSprop"), "0.001"
)
NAMES = tuple(f"tensorflow.keras.optimizers.{name}" for name in RATES)
# What sets a rate while a program trains.
SETS = re.compile(r"ReduceLROnPlateau|LearningRateScheduler|\.lr\b|\.learning_rate\b")


@OPTIMIZER.endpoint(*NAMES)
@OPTIMIZER.compat(*NAMES)
def optimizer(site: Site) -> Result | None:
    """Write `learning_rate`, and a schedule for a rate that decays."""
    given = {k.arg for k in site.call.keywords} if site.call is not None else set()
    if site.call is None or not given & {"lr", "decay"}:
        return _whole(site) or _usual(site)
    own, file = _own(site), site.file
    try:
        call = bind(file.text, file.index, site.call, (*own, "lr", "decay"), varkw=True)
        if call.hidden:
            raise Unbound("`**` hides arguments")
    except Unbound as error:
        return site.result(OPTIMIZER, f"{site.shown} of Keras 3 has no `lr` and `decay`; {error}")
    decay = call.get("decay")
    message = f"{site.shown} of Keras 3 has no `{'lr' if decay is None else 'decay'}`"
    if decay is None or _number(decay.value) == 0:
        if decay is not None:
            call.remove("decay")
        _float(call, "lr" if "lr" in given else "learning_rate")
        if "lr" in given:
            call.rename("lr", "learning_rate")
        return _fixed(site, message, "learning_rate", call.finish())
    return _decayed(site, call, message)


def _own(site: Site) -> tuple[str, ...]:
    """The parameters of the class in TF 1.15.5."""
    known = symbols.signature(site.endpoint)
    names = [p.name for p in known.params if p.name != "self"] if known is not None else []
    return tuple(n for n in names if n not in ("args", "kwargs"))


def _whole(site: Site) -> Result | None:
    """``SGD(1)``: Keras 3 wants a float."""
    file = site.file
    if site.call is None:  # what a class is based on
        return None
    try:
        call = bind(file.text, file.index, site.call, _own(site), varkw=True)
    except Unbound:
        return None
    if call.hidden or not _float(call, "learning_rate"):
        return None
    message = f"the rate of {site.shown} in Keras 3 is no whole number"
    return _fixed(site, message, "a float", call.finish())


def _float(call: BoundCall, name: str) -> bool:
    """Whether an argument was a whole number, and is a float now."""
    given = call.get(name)
    number = _number(given.value) if given is not None else None
    if not isinstance(number, int) or isinstance(number, bool):
        return False
    call.replace_value(name, repr(float(number)))
    return True


def _decayed(site: Site, call: BoundCall, message: str) -> Result:
    """A rate that falls with each step."""
    instead = "learning_rate=tf.keras.optimizers.schedules.InverseTimeDecay(rate, 1, decay)"
    name = "lr" if call.get("lr") is not None else "learning_rate"
    rate = call.get(name)
    tf = site.file.module_name(site.ref.scope, site.file.root, line=site.node.lineno)
    tf = tf or site.file.module_name(site.ref.scope, line=site.node.lineno)
    decay = call.args["decay"]
    given = [decay.value] if rate is None else [decay.value, rate.value]
    text = site.file.text
    seen = all(_number(each) is not None or _option(each, text) for each in given)
    for each in given:  # an option's name isn't the rate of an optimizer
        text = text.replace(ast.unparse(each), "") if _option(each, text) else text
    if not seen or tf is None or SETS.search(text):
        return site.result(OPTIMIZER, f"{message} and would ignore it; instead: {instead}")
    source = RATES[site.endpoint.rpartition(".")[2]] if rate is None else call.source(name)
    schedule = f"{tf}.keras.optimizers.schedules.InverseTimeDecay({source}, 1, "
    schedule += f"{call.source('decay')})"
    call.remove("decay")
    if rate is None:
        call.append(f"learning_rate={schedule}")
    else:
        call.replace_value(name, schedule)
        if name == "lr":
            call.rename("lr", "learning_rate")
    return _fixed(site, message, instead, call.finish())


def _fixed(site: Site, message: str, fix: str, edits: list[Edit]) -> Result:
    result = site.result(OPTIMIZER, message, fix=fix, edits=edits)
    result.switch = site.level is Level.COMPAT
    return result


def _usual(site: Site) -> Result | None:
    """What becomes of the endpoint anyway."""
    if site.record is None or not site.file.tf1:
        return None
    found = handler_of(site.record.outcome, site.level)
    return found[1](site) if found is not None else None


def _option(node: ast.expr, text: str) -> bool:
    """Whether an expression is an option of the command line that is a number."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    name = node.attr.replace("_", "[-_]")
    parsed = rf"""add_argument\([^()]*["']--{name}["'][^()]*\btype=(?:float|int)\b"""
    return (
        re.search(rf"""{parsed}|DEFINE_(?:float|integer)\(\s*["']{node.attr}["']""", text)
        is not None
    )


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, (int, float)) else None

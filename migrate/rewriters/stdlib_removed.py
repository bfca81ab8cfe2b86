"""TFM805 removed-stdlib: a name that Python's standard library has lost since 3.7.

TensorFlow 1.15 ran on Python 3.7 at most, TensorFlow 2.21 on 3.10 and later. On the way went
`time.clock`, `collections.Iterable`, `fractions.gcd`, `inspect.getargspec` and `cgi.escape`. Each
gets what Python's documentation names as its successor; modules that went as a whole (`imp`,
`distutils`) are reported. `json.load` has lost `encoding=`, which it passed over, `random.sample`
takes no set any more and `random.seed` no time, `open` no mode `U`, and elements of ElementTree
have no `getchildren()`. `time.clock` measured the processor's time on Unix and becomes
`time.perf_counter`, which measures what programs print as elapsed.

https://docs.python.org/3/whatsnew/3.12.html#removed
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.engine.calls import layout
from migrate.engine.findings import Edit
from migrate.engine.names import Binding
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import FileContext, MethodSite, Site
from migrate.engine.trees import all_of, walk

STDLIB = Rule(
    "TFM805",
    "removed-stdlib",
    "a name that Python's library lost since 3.7",
    module=__name__,
    doc=__doc__,
    url="https://docs.python.org/3/whatsnew/3.12.html#removed",
)
ABSTRACT = [
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "Callable",
    "Collection",
    "Container",
    "Coroutine",
    "Generator",
    "Hashable",
    "ItemsView",
    "Iterable",
    "Iterator",
    "KeysView",
    "Mapping",
    "MappingView",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Reversible",
    "Sequence",
    "Set",
    "Sized",
    "ValuesView",
]
# The old name -> the new one and the module to import for it.
MOVED = {
    **{f"collections.{name}": f"collections.abc.{name}" for name in ABSTRACT},
    "base64.decodestring": "base64.decodebytes",
    "base64.encodestring": "base64.encodebytes",
    "fractions.gcd": "math.gcd",
    "time.clock": "time.perf_counter",
}
REPORTED = {
    "inspect.formatargspec": "str(inspect.signature(f))",
    "platform.dist": "the package `distro`",
    "platform.linux_distribution": "the package `distro`",
    "sys.setcheckinterval": "sys.setswitchinterval",
}
WORDS = {
    "base64": ["decodestring", "encodestring"],
    "cgi": ["cgi"],
    "collections": ["collections import", *(f"collections.{name}" for name in ABSTRACT)],
    "fractions": ["fractions"],
    "inspect": ["getargspec", "formatargspec"],
    "os": ["os.errno"],
    "platform": ["platform.dist", "platform.linux_distribution"],
    "sys": ["setcheckinterval"],
    "time": ["time.clock", "time import"],
}
MODULES = {
    "asyncore": "asyncio",
    "distutils": "setuptools, sysconfig, shutil or packaging.version",
    "imp": "importlib",
}
MARKS = ("cElementTree", "asyncore", "distutils", "import imp", "from imp ")
TIMES = ("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today")
SETS = ("set", "frozenset")
WORDS["datetime"] = ["random.seed"]  # for what `seed` is given
WORDS["json"] = ["encoding"]
WORDS["random"] = ["random.sample", "random.seed", "random import"]
for package, words in WORDS.items():
    STDLIB.root(package, words)


def _imported(site: Site) -> bool:
    """Whether it is imported by itself, so that the import can name the new one."""
    binding: Binding = site.ref.binding
    return binding.kind == "import" and binding.target == site.endpoint


def _written(site: Site) -> bool:
    binding = site.ref.binding
    package = site.endpoint.partition(".")[0]
    return site.ref.literal is None and binding.kind == "import" and binding.target == package


@STDLIB.endpoint(*MOVED)
def moved(site: Site) -> Result | None:
    """Write the new name."""
    new = MOVED[site.endpoint]
    message = f"{site.endpoint} is gone from Python"
    if _imported(site):
        site.file.renamed[site.ref.binding] = new
        return site.result(STDLIB, message, fix=new)
    if not _written(site):
        return site.result(STDLIB, f"{message}; instead: {new}")
    package, _, rest = new.partition(".")
    root = site.ref.root.id
    same = package == site.endpoint.partition(".")[0]
    text = f"{root}.{rest}" if same else new
    imports = [Import(package, package)] if not same else []
    if "." in rest:
        imports.append(Import(new.rpartition(".")[0], new.rpartition(".")[0]))
    edits = [Edit(*site.file.index.span(site.node), text)]
    return site.result(STDLIB, message, fix=new, edits=edits, imports=imports, drops=not same)


@STDLIB.endpoint("inspect.getargspec")
def getargspec(site: Site) -> Result | None:
    """The full specification has the same four at the same places, one by another name."""
    message = "inspect.getargspec is gone from Python"
    call = site.call
    behind = "" if call is None else site.file.text[site.file.index.span(call)[1] :][:12]
    if not re.match(r"\.(?:args|varargs|defaults)\b|\[[0-3]\]", behind) or not _written(site):
        return site.result(STDLIB, f"{message}; instead: inspect.getfullargspec")
    span = site.file.index.span(site.node)
    edits = [Edit(*span, f"{site.ref.root.id}.getfullargspec")]
    return site.result(STDLIB, message, fix="inspect.getfullargspec", edits=edits)


@STDLIB.endpoint("cgi.escape")
def escape(site: Site) -> Result | None:
    """`html.escape`, which quotes unless told otherwise."""
    message, call = "cgi.escape is gone from Python", site.call
    if call is None or not _written(site) or any(k.arg is None for k in call.keywords):
        return site.result(STDLIB, f"{message}; instead: html.escape(s, quote=False)")
    if len(call.args) + len(call.keywords) > 2 or any(
        isinstance(a, ast.Starred) for a in call.args
    ):
        return site.result(STDLIB, f"{message}; instead: html.escape(s, quote=False)")
    edits = [Edit(*site.file.index.span(site.node), "html.escape")]
    if len(call.args) + len(call.keywords) == 1:
        end = layout(site.file.text, site.file.index, call).pieces[-1].end
        edits.append(Edit(end, end, ", quote=False"))
    needed = [Import("html", "html")]
    return site.result(STDLIB, message, fix="html.escape", edits=edits, imports=needed, drops=True)


@STDLIB.endpoint("os.errno", "os.errno.*")
def errno(site: Site) -> Result | None:
    """The module itself, which `os` let through by accident."""
    if not _written(site) or not isinstance(site.ref.node, ast.Attribute):
        return site.result(STDLIB, "os.errno is gone from Python; instead: errno")
    start = site.file.index.span(site.ref.root)[0]
    end = site.file.text.index("errno", start) + len("errno")
    return site.result(
        STDLIB,
        "os.errno is gone from Python",
        fix="errno",
        edits=[Edit(start, end, "errno")],
        imports=[Import("errno", "errno")],
        drops=True,
    )


@STDLIB.endpoint("json.load", "json.loads")
def json_encoding(site: Site) -> Result | None:
    """Python 3 passed over what 3.9 doesn't take."""
    call = site.call
    given = next((k for k in call.keywords if k.arg == "encoding"), None) if call else None
    if call is None or given is None:
        return None
    message = f"{site.endpoint} has no argument `encoding`, which said nothing"
    text, index = site.file.text, site.file.index
    place = layout(text, index, call)
    at = len(call.args) + call.keywords.index(given)
    pieces = place.pieces
    if (
        not isinstance(given.value, (ast.Constant, ast.Name))
        or "#" in text[place.start : place.close]
    ):
        return site.result(STDLIB, message)
    if at:
        span = pieces[at - 1].end, pieces[at].end
    else:
        span = pieces[0].start, pieces[1].start if len(pieces) > 1 else pieces[0].end
    return site.result(STDLIB, message, fix="no encoding", edits=[Edit(*span, "")])


@STDLIB.endpoint("random.sample")
def sample(site: Site) -> Result | None:
    """A set was made a tuple first."""
    call = site.call
    if call is None or not call.args:
        return None
    given = call.args[0]
    of_set = isinstance(given, (ast.Set, ast.SetComp)) or (
        isinstance(given, ast.Call)
        and (
            (isinstance(given.func, ast.Name) and given.func.id in SETS)
            or (
                isinstance(given.func, ast.Attribute)
                and given.func.attr in ("keys", "items")
                and not given.args
            )
        )
    )
    if not of_set:
        return None
    start, end = site.file.index.span(given)
    edits = [Edit(start, start, "tuple("), Edit(end, end, ")")]
    message = "random.sample takes no set any more"
    return site.result(STDLIB, message, fix="tuple(...)", edits=edits)


@STDLIB.endpoint("random.seed")
def seed(site: Site) -> Result | None:
    """A time was as good as its hash."""
    call = site.call
    if call is None or len(call.args) != 1 or not isinstance(call.args[0], ast.Call):
        return None
    given = call.args[0]
    refs = [r for r in site.file.names.references if r.node is given.func]
    if not refs or refs[0].name not in TIMES:
        return None
    end = site.file.index.span(given)[1]
    edits = [Edit(end, end, ".timestamp()")]
    return site.result(STDLIB, "random.seed takes no time", fix=".timestamp()", edits=edits)


@STDLIB.endpoint(*REPORTED)
def reported(site: Site) -> Result | None:
    """Report what a person has to choose."""
    return site.result(
        STDLIB, f"{site.endpoint} is gone from Python; instead: {REPORTED[site.endpoint]}"
    )


@STDLIB.file
def modules(file: FileContext) -> Iterator[Result]:
    """Modules that went, at their imports."""
    if not any(word in file.text for word in MARKS):
        return
    guarded = {id(inner) for node in all_of(file.tree, ast.Try) for inner in walk(node)}
    for node in walk(file.tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or id(node) in guarded:
            continue
        names = (
            [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        )
        for name in names:
            instead = MODULES.get(name.partition(".")[0])
            if instead is not None and not getattr(node, "level", 0):
                message = f"the module {name} is gone from Python 3.12; instead: {instead}"
                yield STDLIB.report(node, message, blocks=False)
        start, end = file.index.span(node)
        at = file.text.find("cElementTree", start, end)
        if at >= 0 and "xml.etree" in file.text[start:end]:
            edit = Edit(at, at + 1, "")
            bound = [a.asname for a in node.names]
            if None in bound:  # its uses would name what is gone
                yield STDLIB.report(node, "cElementTree is gone; instead: ElementTree")
            else:
                yield STDLIB.fixed(node, "cElementTree is gone", "ElementTree", [edit])


@STDLIB.file
def opened(file: FileContext) -> Iterator[Result]:
    """``open(path, "rU")``: all files are read so since Python 3, and 3.11 takes no `U`."""
    if not re.search(r"[\"'](?:[rb]*U[rb]*)[\"']", file.text):
        return
    for call in all_of(file.tree, ast.Call):
        if ast.unparse(call.func) not in ("open", "io.open") or len(call.args) > 2:
            continue
        given = [k.value for k in call.keywords if k.arg == "mode"] or call.args[1:]
        mode = given[0].value if given and isinstance(given[0], ast.Constant) else None
        if not isinstance(mode, str) or "U" not in mode:
            continue
        start, end = file.index.span(given[0])
        new = mode.replace("U", "") if "r" in mode else mode.replace("U", "r")
        text = file.text[start:end].replace(mode, new)
        message = "open() takes no mode `U` any more, which says nothing since Python 3"
        yield STDLIB.fixed(call, message, repr(new), [Edit(start, end, text)])


@STDLIB.method("getchildren")
def children(site: MethodSite) -> Result | None:
    """An element of ElementTree, whose children are its items."""
    node, call = site.use.node, site.use.call
    if call is None or call.args or call.keywords or "xml.etree" not in site.file.text:
        return None
    if "lxml" in site.file.text or f"def {node.attr}" in site.file.text:
        return None
    start, close = site.file.index.span(call)
    end = site.file.index.span(node.value)[1]
    edits = [Edit(start, start, "list("), Edit(end, close, ")")]
    return STDLIB.fixed(node, ".getchildren() is gone from ElementTree", "list(...)", edits)

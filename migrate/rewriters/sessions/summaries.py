"""`tf.summary` ops as values by tag, and `FileWriter` as `tf.summary.create_file_writer`.

https://www.tensorflow.org/tensorboard/migrate
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.summarizing import object_summaries
from migrate.programs.graph.summarizing.summaries import Summary
from migrate.programs.graph.summarizing.summary_lists import Gathered
from migrate.programs.graph.summarizing.summary_protos import Entry, Which

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.state import Base

WRITE = "write_summaries"
# The ops that TF 1's summaries are made of: they need no TensorBoard, which TF 2 doesn't bring.
HEAD = '''def write_summaries(writer, {given}, step):
    """Write values under their tags; unlike `tf.summary.scalar`, without TensorBoard installed."""
    with writer.as_default(step=step):
'''
PARTS = {
    "scalar": ("tf.raw_ops.ScalarSummary(tags=tag, values=value)", "scalars"),
    "histogram": ("tf.raw_ops.HistogramSummary(tag=tag, values=value)", "histograms"),
    "image": ("image_summary(tf.constant(tag), value)", "images"),
}
IMAGES = "image_summary"
PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
# Called eagerly, the op can't be given its default color of what isn't a number.
IMAGE = """\
@tf.function
def image_summary(tag, value):
    return tf.raw_ops.ImageSummary(tag=tag, tensor=value, max_images={most})
"""
# Where the module has a function of that name, it is made at each call.
INNER_IMAGE = """\
    image_summary = tf.function(
        lambda tag, value: tf.raw_ops.ImageSummary(tag=tag, tensor=value, max_images={most}))
"""


class Summaries:
    """Writes a module's summaries."""

    def __init__(self, module: Base) -> None:
        self.module = module

    @property
    def kinds(self) -> list[str]:
        """The kinds of summaries that the module has."""
        used = self.module.walker.summaries
        return [kind for kind in PARTS if kind in used and kind != "scalar"]

    @property
    def plain(self) -> bool:
        """Whether the module has scalars only."""
        return not self.kinds

    def need(self) -> None:
        """The function that writes."""
        tf = self.module.tf
        head = HEAD.format(given="scalars" if self.plain else "summaries")
        source, block = head[: head.index("    with ")], head[head.index("    with ") :]
        if "image" in self.kinds:
            most = self.module.walker.summaries["image"]
            if IMAGES in self.module.bound:
                source += INNER_IMAGE.format(most=most).replace("tf.", f"{tf}.")
            else:
                self.module.need(IMAGES, IMAGE.format(most=most).replace("tf.", f"{tf}."))
        source += block
        for kind in ("scalar", *self.kinds):
            op, key = PARTS[kind]
            values = "scalars.items()" if self.plain else f'summaries.get("{key}", {{}}).items()'
            op = op.replace("tf.", f"{tf}.", 1)
            source += f"        for tag, value in {values}:\n"
            source += f"            summary = {op}\n"
            source += f"            {tf}.summary.experimental.write_raw_pb(summary)\n"
        self.module.need(WRITE, source)

    def values(self, node: ast.Call, items: list[Summary | Gathered], writer: Functions) -> str:
        """The values of some summaries, by tag."""
        line = self.module.text.lines[node.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        single = [s for s in items if isinstance(s, Summary)]
        lists = [s for s in items if isinstance(s, Gathered)]
        for gathered in lists:
            region = gathered.frame.region
            if region is not None and object_summaries.shared(self.module.walker, region):
                raise Blocked(node, object_summaries.NUMBERED)
        if len(items) == len(lists) == 1 and (self.plain or len(lists[0].kinds) > 1):
            return lists[0].name
        if self.plain:
            parts = [self._item(s, writer) for s in single]
            return self._dict([*parts, *(f"**{g.name}" for g in lists)], indent)
        used = {k for s in items for k in ([s.kind] if isinstance(s, Summary) else s.kinds)}
        deeper = indent + self.module.text.unit * (len(used) > 1)
        kinds = []
        quote = self.module.text.source(single[0].own)[-1] if single else '"'
        quote = quote if quote in "'\"" else '"'
        for kind in PARTS:
            own = [self._item(s, writer) for s in single if s.kind == kind]
            more = [f"{g.name}{_key(g, kind)}" for g in lists if kind in g.kinds]
            if len(more) == 1 and not own:
                kinds.append(f"{quote}{kind}s{quote}: {more[0]}")
            elif own or more:
                own += [f"**{name}" for name in more]
                inner = self._dict(own, deeper)
                kinds.append(f"{quote}{kind}s{quote}: {inner}")
        return self._dict(kinds, indent) if len(kinds) > 1 else f"{{{kinds[0]}}}"

    def _dict(self, items: list[str], indent: str) -> str:
        text = self.module.text
        if len(items) == 1 and "\n" not in items[0]:
            return f"{{{items[0]}}}"
        inner = f"{text.newline}{indent}{text.unit}"
        return "{" + "".join(f"{inner}{item}," for item in items) + f"{text.newline}{indent}}}"

    def _item(self, summary: Summary, writer: Functions) -> str:
        tag = own = self.module.text.source(summary.own)
        if summary.tag is not None:
            quote = next((c for c in own if c in "'\""), '"')
            tag = f"{quote}{summary.tag}{quote}"
        if summary.region is not None:
            walker, region = self.module.walker, summary.region
            each = object_summaries.tag(walker, region, summary.scope, summary.tag, summary.call)
            tag = each or tag
        if summary.source is not None:
            source = summary.source(writer)
        else:
            source = " ".join(writer.source(summary.data).split())
        value = self._value(source, summary.value, writer)
        if summary.most < self.module.walker.summaries.get("image", 0) and summary.kind == "image":
            whole = isinstance(ast.parse(value, mode="eval").body, PRIMARY)
            value = f"{value if whole else f'({value})'}[:{summary.most}]"
        return f"{tag}: {value}"

    def _value(self, source: str, value: Value, writer: Functions) -> str:
        """A value as it is written: a variable's is the one before a run's updates."""
        if value.kind is Kind.VARIABLE:
            return source if value.symbol in writer.given else writer.value_of(value, source)
        if value.kind in (Kind.HOST, Kind.CONST):
            return f"{writer.tf}.convert_to_tensor({source})"
        return source

    def begun(self, gathered: Gathered) -> str:
        """What a list of summaries begins as: a dict, or one for each kind."""
        if len(gathered.kinds) == 1:
            return "{}"
        return "{" + ", ".join(f'"{kind}s": {{}}' for kind in PARTS if kind in gathered.kinds) + "}"

    def put_into(
        self,
        gathered: Gathered,
        kind: str,
        tag: str,
        data: ast.expr,
        value: Value,
        writer: Functions,
    ) -> str:
        """What stands for a summary that is appended to a list."""
        source = " ".join(writer.source(data).split())
        if isinstance(data, ast.Name) and value.kind is Kind.TENSOR and any(writer.sparse.values()):
            source = f"{writer.tf}.convert_to_tensor({source})"  # rows of a gradient
        value_source = self._value(source, value, writer)
        return f"{gathered.name}{_key(gathered, kind)}[{tag}] = {value_source}"

    # -- what the program does outside of functions --------------------------------------

    def writer(self, given: dict[str, ast.expr]) -> str:
        """What stands for a ``FileWriter``."""
        parts = []
        for name, node in given.items():
            source = self.module.here(node)
            if name == "flush_secs":
                simple = isinstance(node, (ast.Constant, ast.Name, ast.Attribute))
                parts.append(f"flush_millis={source if simple else f'({source})'} * 1000")
            else:
                parts.append(source if name == "logdir" else f"{name}={source}")
        return f"{self.module.tf}.summary.create_file_writer({', '.join(parts)})"

    def add(
        self, node: ast.Call, summary: ast.expr, step: ast.expr | None, *, whole: bool = True
    ) -> str:
        """What stands for ``writer.add_summary``; ``whole``: its step is a whole number."""
        self.need()
        assert isinstance(node.func, ast.Attribute)
        owner = self.module.text.source(node.func.value)
        nothing = step is None or (isinstance(step, ast.Constant) and step.value is None)
        at = "0" if step is None or nothing else self.module.here(step)
        at = at if whole else f"int({at})"
        return f"{WRITE}({owner}, {self.module.here(summary)}, {at})"

    def literal(self, entries: list[Entry]) -> str:
        """What stands for a ``tf.Summary``: its values by tag."""
        here = self.module.here
        inner = ", ".join(f"{here(entry.tag)}: {here(entry.value)}" for entry in entries)
        which = entries[0].which if entries else "scalars"
        return f"{{{inner}}}" if self.plain else f"{{{self._which(which)}: {{{inner}}}}}"

    def _which(self, which: Which) -> str:
        """The kind of a value, or what tells it."""
        if isinstance(which, str):
            return f'"{which}"'
        test, first, second = which
        return f"{self._which(first)} if {self.module.here(test)} else {self._which(second)}"

    def put(self, owner: ast.expr, entry: Entry) -> str:
        """What stands for ``summary.value.add``."""
        here = self.module.here
        inner = "" if self.plain else '["scalars"]'
        return f"{self.module.text.source(owner)}{inner}[{here(entry.tag)}] = {here(entry.value)}"


def _key(gathered: Gathered, kind: str) -> str:
    """Where a list has the values of a kind."""
    return "" if len(gathered.kinds) == 1 else f'["{kind}s"]'

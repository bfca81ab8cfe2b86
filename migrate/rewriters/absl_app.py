"""TFM123 tf-flags: `tf.app.run` and `tf.app.flags`, which are wrappers around absl's.

`tf.app.run` is absl's `app.run` with two differences, and `tf.flags.FLAGS` is absl's `FLAGS` with
one: `tf.app.run` looks for `main` in the module `__main__` and tolerates flags that nobody defined;
`tf.flags.FLAGS` parses the command line when a flag is first read, absl only in `app.run`. So a
file moves to absl where it calls `app.run` itself and reads its flags only in functions that
can't run before. Where something else reads the command line, too (`argparse`, `from configure
import args`), or `argv` is given, absl's `app.run` is given TF 1's parser, which tolerates what
nobody defined: `flags_parser=lambda argv: flags.FLAGS(argv, known_only=True)`. A script without
`app.run` that reads its flags below their definitions parses them there, `FLAGS(sys.argv)`, as TF 1
did. Everywhere else
`tf.compat.v1.flags` and `tf.compat.v1.app` are kept: they work in TF 2, and share their flags with
absl. `FLAGS._parse_flags()`, which TF 1.5 dropped, becomes `FLAGS(sys.argv, known_only=True)`.

https://abseil.io/docs/python/quickstart
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Layout, Unbound, layout
from migrate.engine.findings import Edit
from migrate.engine.imports import remove_line
from migrate.engine.names import Binding
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import V1, MethodSite, Site
from migrate.engine.switch import newline_of
from migrate.programs.flags import FUNCTIONS, MODULES, PARSE, Facts, Parsed, alias_of, facts

FLAGS = Rule(
    "TFM123",
    "tf-flags",
    "tf.app and tf.flags, TensorFlow's wrappers around absl",
    module=__name__,
    doc=__doc__,
    url="https://abseil.io/docs/python/quickstart",
)
WIDTH = 88
# What the wrappers of these functions still take.
OLD_ARGUMENTS = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _through(binding: Binding) -> bool:
    """Whether a name of the file's own stands for the module or for a part of it."""
    return binding.kind == "alias" or (binding.kind == "import" and binding.target.count(".") > 0)


def _kept(site: Site, reason: str) -> Result | None:
    if site.ref.binding.kind == "alias":
        return None  # the assignment says what it means
    target = V1 + site.endpoint.removeprefix("tensorflow")
    return site.renamed_result(FLAGS, target, f"{site.shown} is only in tf.compat.v1: {reason}")


@FLAGS.endpoint(*MODULES, *(f"{module}.*" for module in MODULES))
def flags(site: Site) -> Result | None:
    """Take absl's flags where they mean the same."""
    found = facts(site.file)
    reason = found.flags or ("" if site.ref.literal is None else "getattr() takes it")
    binding, name = site.ref.binding, found.flags_name
    leaf = site.endpoint.rpartition(".")[2] if site.endpoint not in MODULES else ""
    if not reason and not _through(binding) and not site.file.visible(name, site.ref.scope):
        reason = f"`{name}` is something else here"
    keywords = [] if reason else _keywords(site)
    if reason or keywords is None:
        return _kept(site, reason or "`**` may hold old names of its arguments")
    message = f"{site.shown} is absl's `flags{'.' * bool(leaf)}{leaf}`"
    needed = [Import(name, "absl", "flags")]
    parses = []
    if found.parsed is not None and found.parsed.told is site.node:
        parses.append(_parsed(site, found.parsed))
        needed.append(Import("sys", "sys"))
    alias = alias_of(site.ref, site.file.tree) if not leaf else None
    if alias == name:
        assert isinstance(site.ref.parent, ast.Assign)
        edits = [remove_line(site.file, site.ref.parent), *parses]
        return site.result(
            FLAGS, message, fix="from absl import flags", edits=edits, imports=needed, drops=True
        )
    if binding.kind == "import" and binding.target in (*MODULES, site.endpoint):
        moved = "absl.flags" if binding.target in MODULES else f"absl.flags.{leaf}"
        site.file.renamed[binding] = moved
        keywords += parses
        imports = needed[1:]
        return site.result(
            FLAGS, message, fix="from absl import flags", edits=keywords, imports=imports
        )
    if binding.kind == "alias":
        return site.result(FLAGS, message, fix=leaf, edits=keywords) if keywords else None
    start, end = site.file.index.span(site.node)
    text = f"{name}.{leaf}" if leaf else name
    edits = [Edit(start, end, text), *keywords, *parses]
    return site.result(FLAGS, message, fix=text, edits=edits, imports=needed, drops=True)


def _parsed(site: Site, found: Parsed) -> Edit:
    """The line that parses the flags, where TF 1 did so as the first one was read."""
    text, newline = site.file.text, newline_of(site.file)
    end = site.file.index.span(found.stmt)[1]
    at = text.find(newline, end)
    at = at if at >= 0 else len(text)
    return Edit(at, at, f"{newline}{found.values}(sys.argv)")


def _keywords(site: Site) -> list[Edit] | None:
    """The edits that give a definition's keywords their new names."""
    if site.call is None or not site.endpoint.rpartition(".")[2].startswith("DEFINE"):
        return []
    edits = []
    for piece in layout(site.file.text, site.file.index, site.call).pieces:
        if piece.star == "**":
            return None
        if piece.keyword in OLD_ARGUMENTS:
            end = piece.start + len(piece.keyword)
            edits.append(Edit(piece.start, end, OLD_ARGUMENTS[piece.keyword]))
    return edits


@FLAGS.method("_parse_flags")
def parse(site: MethodSite) -> Result | None:
    """TF 1.4's way of parsing the command line, at both levels."""
    use = site.use
    names = [r.name for r in site.file.names.references if r.node is use.node]
    if not names or names[0].replace(V1, "tensorflow") not in PARSE:
        return None
    message = "FLAGS._parse_flags went in TF 1.5"
    if use.call is None or use.call.args or use.call.keywords:
        return FLAGS.report(use.node, message)
    start = site.file.index.span(use.node.value)[1]
    edit = Edit(start, site.file.index.span(use.call)[1], "(sys.argv, known_only=True)")
    result = FLAGS.fixed(use.node, message, "FLAGS(sys.argv, known_only=True)", [edit])
    result.imports.append(Import("sys", "sys"))
    return result


@FLAGS.endpoint("tensorflow.app.run")
def run(site: Site) -> Result | None:
    """Call absl's `app.run` with the main function."""
    found = facts(site.file)
    reason = "" if found.tolerant else found.run
    main = any(isinstance(s, FUNCTIONS) and s.name == "main" for s in site.file.tree.body)
    edits: list[Edit] = []
    tolerant = found.tolerant
    try:
        call = site.bind()
        if call.hidden:
            reason = reason or "it is given more than is seen"
        elif "main" not in call.args:
            reason = reason or ("" if main else "no function `main` stands in this file")
            at = call.layout.open + 1
            edits.append(Edit(at, at, "main, " if call.args else "main"))
        if "argv" in call.args:
            tolerant = True
            reason = reason or ("" if found.parser_name else "`flags` is taken")
        if tolerant:
            edits.append(_parser(site, found, call.layout))
    except Unbound as error:
        reason = str(error)
    if _through(site.ref.binding) or site.ref.literal is not None:
        reason = reason or "it goes by a name of its own"
    if reason:
        return _kept(site, reason)
    start, end = site.file.index.span(site.node)
    imports = [Import(found.app_name, "absl", "app")]
    message = "tf.app.run is absl's app.run, which stops at a flag that nobody defined"
    if tolerant:
        imports.append(Import(found.parser_name, "absl", "flags"))
        message = "tf.app.run is absl's app.run, with a parser that tolerates undefined flags"
    return site.result(
        FLAGS,
        message,
        fix=f"{found.app_name}.run",
        edits=[Edit(start, end, f"{found.app_name}.run"), *edits],
        imports=imports,
        drops=True,
    )


def _parser(site: Site, found: Facts, layout: Layout) -> Edit:
    """TF 1's parser of the command line, as the last argument; on a line of its own if need be.

    https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/platform/app.py
    """
    text = site.file.text
    parser = f"flags_parser=lambda argv: {found.parser_name}.FLAGS(argv, known_only=True)"
    at = layout.close
    while text[at - 1].isspace():
        at -= 1
    first = text.rfind("\n", 0, layout.start) + 1
    line = text[first : text.find("\n", first)]
    indent = line[: len(line) - len(line.lstrip())]
    comma = "" if text[at - 1] == "," else ","
    shorter = layout.func_end - layout.start - len(f"{found.app_name}.run")
    several = "\n" in text[layout.open : at] or len(line) - shorter + len(parser) + 2 > WIDTH
    between = f"{newline_of(site.file)}{indent}    " if several else " "
    return Edit(at, layout.close, f"{comma}{between}{parser}")

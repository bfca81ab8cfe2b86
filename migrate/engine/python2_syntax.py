"""Python 2's syntax in Python 3's: tabs, statements, literals, keywords and lambdas."""

from __future__ import annotations

import re
from typing import Any

from migrate.engine.python2_fixers import WHAT, fixers, kind_of, line_of
from migrate.engine.source import SourceError, parse

_STRING = (
    r"""#[^\n]*|\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[(\[{]|[)\]}]"""
)


def converted_syntax(text: str) -> tuple[str, list[tuple[int, str]], list[int]]:
    """The text in Python 3's syntax as far as that goes, what was changed on which lines, and
    for each line which one it is now.
    """
    expanded, tabs = _expand_tabs(text)
    if tabs and not isinstance(parse(expanded), str):
        return expanded, tabs, list(range(1, text.count("\n") + 2))
    new, marks, places = _convert(text)
    if tabs and isinstance(parse(new), str):
        new, _ = _expand_tabs(new)
        marks = [*marks, *tabs]
    return new, marks, places


def _expand_tabs(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Tabs in the indentation as the spaces that Python 2 took them for."""
    inside: set[int] = set()  # lines that begin in a string
    for found in re.finditer(_STRING, text, re.DOTALL):
        if "\n" in found[0] and found[0][0] != "#":
            first = text.count("\n", 0, found.start()) + 1
            inside.update(range(first + 1, first + 1 + found[0].count("\n")))
    lines = text.split("\n")
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        body = line.lstrip(" \t")
        indent = line[: len(line) - len(body)]
        if "\t" in indent and number not in inside:
            lines[number - 1] = indent.expandtabs(8) + body
            if body:
                numbers.append(number)
    what = f"tabs became spaces, as Python 2 took them, on {len(numbers)} lines"
    return "\n".join(lines), [(number, what) for number in numbers[:1]]


def _convert(text: str) -> tuple[str, list[tuple[int, str]], list[int]]:
    """What fissix makes of a text, and where."""
    tool = fixers()
    ended = text if text.endswith("\n") else text + "\n"
    tree = tool.parse(ended)
    if str(tree) != ended:
        raise SourceError("the source cannot be taken apart without loss")
    tool.marks.clear()
    try:
        if "async" in text or "await" in text:
            _rename_keywords(tree, tool.marks)
        _convert_literals(tree, tool.marks, "unicode_literals" in text)
        _parenthesize(tree, tool.marks)
        if "lambda" in text:
            _unpack_lambdas(tree, tool.marks)
        tree.future_features = frozenset()
        tool.refactor_tree(tree, "")
    except SourceError:
        raise
    except Exception as error:  # fissix on odd code
        raise SourceError(f"the conversion failed: {error}") from error
    new = str(tree)
    if ended != text:
        new = new.removesuffix("\n")
    places = _places(tree, text.count("\n") + 1)
    count = new.count("\n") + 1
    return new, sorted(tool.marks), [place if place <= count else 0 for place in places]


def _places(tree: Any, count: int) -> list[int]:
    """For each of the source's lines its line in the tree, as far as its leaves tell."""
    known = [0] * (count + 1)
    line = 1
    for leaf in tree.leaves():
        line += leaf.prefix.count("\n")
        indent = not leaf.value.strip(" \t")
        if not indent and 0 < leaf.lineno <= count and not known[leaf.lineno]:
            known[leaf.lineno] = line
        line += leaf.value.count("\n")
    last = 0
    for number in range(1, count + 1):
        if known[number] <= last:  # a comment, or a line that was made anew
            following = next((place for place in known[number + 1 :] if place > last), line + 1)
            known[number] = last + 1 if last + 1 < following or last + 1 == number else 0
        last = known[number] or last
    return known[1:]


def _convert_literals(tree: Any, marks: list[tuple[int, str]], wide: bool) -> None:
    """Numbers and texts that Python 3 spells differently, or not at all.

    ``ur'…'`` becomes a raw text with the characters that it wrote as ``\\uXXXX``, or a plain one
    where a raw one can't show them; in a text of bytes (unless literals are ``wide``) ``\\u`` was a
    backslash and a letter, and stays that.
    """
    for leaf in list(tree.leaves()):
        value = leaf.value
        if value[:1].isdigit():
            new = _number(value)
            what = "number literal"
        elif re.match(r"[uU][rR][\"']", value):
            new = _raw(value[2:])
            what = "ur'' literal"
        elif value[:1] in ("'", '"') and "\\" in value and not wide:
            new = re.sub(r"(?<!\\)((?:\\\\)*)(\\[uUN])", r"\1\\\2", value)
            what = "backslash that was no escape in Python 2"
        else:
            continue
        if new != value:
            marks.append((leaf.lineno, what))
            leaf.value = new
            leaf.changed()


def _number(value: str) -> str:
    """``0777`` and ``10L`` as Python 3 writes them."""
    value = value.rstrip("lL")
    if re.fullmatch(r"0+[1-7][0-7]*", value):
        return f"0o{value.lstrip('0')}"
    return value


def _parenthesize(tree: Any, marks: list[tuple[int, str]]) -> None:
    """``[x for x in 1, 2]``: the tuple needs parentheses, wherever the clause stands."""
    from fissix.pgen2 import token
    from fissix.pytree import Leaf

    for node in list(tree.post_order()):
        if len(node.children) < 2 or kind_of(node) not in ("testlist_safe", "testlist"):
            continue
        if kind_of(node.parent) in ("comp_for", "old_comp_for", "list_for", "gen_for"):
            opening = Leaf(token.LPAR, "(", prefix=node.prefix)
            node.prefix = ""
            node.insert_child(0, opening)
            node.append_child(Leaf(token.RPAR, ")"))
            marks.append((line_of(node), "missing parentheses"))


def _raw(text: str) -> str:
    """A text that was raw but for its ``\\uXXXX``; an even number of slashes is none."""
    shown = []

    def character(found: re.Match[str]) -> str:
        slashes, new = found[1], chr(int(found[2], 16))
        if len(slashes) % 2 == 0:
            return found[0]
        shown.append(new.isprintable() and new not in "\"'\\")
        return slashes[:-1] + new

    new = re.sub(r"(\\+)u([0-9a-fA-F]{4})", character, text)
    return "r" + new if all(shown) else _plain(text)


def _plain(text: str) -> str:
    """The same with every slash but those of ``\\uXXXX`` written as two."""
    quote = text[:3] if text[:3] in ('"""', "'''") else text[0]
    inside = text[len(quote) : -len(quote)]
    if len(quote) == 1 and "\n" in inside:
        raise SourceError("a raw text of several lines has no other spelling in Python 3")

    def doubled(found: re.Match[str]) -> str:
        slashes, rest = found[1], found[2]
        odd = len(slashes) % 2
        if rest.startswith("u"):
            return "\\" * (2 * (len(slashes) - odd) + odd) + rest
        return "\\" * (2 * len(slashes) + (odd if rest else 0)) + rest

    return quote + re.sub(r"(\\+)(u[0-9a-fA-F]{4}|[\"']?)", doubled, inside) + quote


def _rename_keywords(tree: Any, marks: list[tuple[int, str]]) -> None:
    """``async`` and ``await`` were names: parameters and variables get an underscore."""
    from fissix.pgen2 import token
    from fissix.pytree import Leaf

    leaves = [leaf for leaf in tree.leaves() if leaf.value in ("async", "await")]
    leaves = [leaf for leaf in leaves if leaf.type == token.NAME]
    if not leaves:
        return
    own = _functions_with_keywords(leaves)
    for leaf in leaves:
        before, after = leaf.prev_sibling, leaf.next_sibling
        parent = leaf.parent
        kind = kind_of(parent)
        if before is not None and str(before).strip() == ".":
            raise SourceError(f"an attribute named {leaf.value} (line {leaf.lineno})")
        if kind in ("import_as_name", "import_from", "dotted_name", "import_name"):
            raise SourceError(f"an import of the name {leaf.value} (line {leaf.lineno})")
        marks.append((leaf.lineno, f"{leaf.value} is a keyword"))
        keyword = kind == "argument" and after is not None and str(after).strip() == "="
        if keyword and _called(parent) not in own:
            leaf.value = f"**{{'{leaf.value}':"
            after.value = after.prefix = ""
            parent.children[2].prefix = " "
            parent.append_child(Leaf(token.RBRACE, "}"))
            continue
        leaf.value += "_"
        leaf.changed()


def _unpack_lambdas(tree: Any, marks: list[tuple[int, str]]) -> None:
    """``lambda (x, y), z: …``: fissix knows a tuple as the only parameter."""
    from fissix.fixer_util import Name
    from fissix.fixes import fix_tuple_params
    from fissix.pgen2 import token
    from fissix.pytree import Node

    for node in list(tree.post_order()):
        if kind_of(node) not in ("lambdef", "old_lambdef") or len(node.children) != 4:
            continue
        if kind_of(node.children[1]) != "varargslist":
            continue
        used = {leaf.value for leaf in node.leaves()}
        for parameter in list(node.children[1].children):
            if kind_of(parameter) != "vfpdef":
                continue
            marks.append((parameter.get_lineno(), WHAT["FixTupleParams"]))
            names = fix_tuple_params.find_params(parameter)
            if isinstance(names, str):
                parameter.replace(Name(names, prefix=parameter.prefix))
                continue
            name = fix_tuple_params.tuple_name(names)
            while name in used:
                name += "_"
            places = fix_tuple_params.map_to_index(names)
            parameter.replace(Name(name, prefix=parameter.prefix))
            for leaf in list(node.children[3].leaves()):
                if leaf.type != token.NAME or leaf.value not in places or _is_label(leaf):
                    continue
                parts = [place.clone() for place in places[leaf.value]]
                leaf.replace(Node(_number_of("power"), [Name(name), *parts], prefix=leaf.prefix))


def _is_label(leaf: Any) -> bool:
    """Whether a name is an attribute's or a keyword argument's."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    if before is not None and str(before).strip() == ".":
        return True
    keyword = kind_of(leaf.parent) == "argument"
    return keyword and after is not None and str(after).strip() == "="


def _number_of(symbol: str) -> int:
    from fissix.pygram import python_symbols

    return int(getattr(python_symbols, symbol))


def _functions_with_keywords(leaves: list[Any]) -> set[str]:
    """The functions of the file that have a parameter of such a name."""
    names: set[str] = set()
    for leaf in leaves:
        node = leaf.parent
        while node is not None and kind_of(node) in ("typedargslist", "parameters", "tname"):
            node = node.parent
        if kind_of(node) == "funcdef" and leaf is not node.children[1]:
            names.add(node.children[1].value)
    return names


def _called(argument: Any) -> str:
    """The name of the function that a keyword argument is for."""
    node = argument.parent
    while node is not None and kind_of(node) != "trailer":
        node = node.parent
    before = node.prev_sibling if node is not None else None
    if before is None:
        return ""
    return str(before.children[-1] if before.children else before).strip()

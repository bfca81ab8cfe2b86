from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.engine.findings import Edit
from migrate.engine.notebook import parse_notebook
from migrate.engine.source import EditConflict, SourceError, apply

quick = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def document(cells: list[Any], **extra: Any) -> dict[str, Any]:
    return {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 3,
                "metadata": {"scrolled": True},
                "outputs": [{"data": {"text/plain": ['tf.a "é" \\n'], "x": float("nan")}}],
                "source": source,
            }
            if not isinstance(source, dict)
            else source
            for source in cells
        ],
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 2,
        **extra,
    }


def dump(cells: list[Any], ensure_ascii: bool = False, indent: int | None = 1) -> bytes:
    text = json.dumps(document(cells), indent=indent, ensure_ascii=ensure_ascii)
    return (text + "\n").encode()


def lines(text: str) -> list[str]:
    return text.splitlines(True)


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


def replace(data: bytes, old: str, new: str) -> bytes:
    notebook = parse_notebook(data, "a.ipynb")
    at = notebook.text.index(old)
    return notebook.encode([Edit(at, at + len(old), new)])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("%matplotlib inline", "pass              "),
        ("!ls", "0  "),
        ("if x:\n  !ls -l", "if x:\n  pass  "),
        ("x = !ls", "x = 0  "),
        ("x = !cat 'it", "x = None    "),
        ("x = %time f()", "x =       f()"),
        ("x = %timeit -o f()", "x = 0 and      f()"),
        ("x = %env HOME", "x = None     "),
        ("%time f()", "pass; f()"),
        ("%time", "pass "),
        ("%time for x in y: pass", "pass                  "),
        ("%timeit -n 10 -r3 f(x)", "pass;             f(x)"),
        ("%timeit -n 3", "pass        "),
        ("%prun -s cumulative f(x)", "pass;               f(x)"),
        ("?f", "0 "),
        ("f.x??", "pass "),
        ("%time?", "pass  "),
        ("f? # why", "0  # why"),
        ("?", "0"),
        (",f a b", "pass  "),
        (";f a b", "pass  "),
        ("/f a b", "pass  "),
        ("%cd a \\\n  b\ny", "pass   \n   \ny"),
        ("%cd a \\\r\n  b\r\ny", "pass   \r\n   \r\ny"),
        ("pip install x\ny", "pass         \ny"),
        ("cd ../x\ny", "pass   \ny"),
        ("time = 3\nls - 2", "time = 3\nls - 2"),
        ("x = (3\n% 4)", "x = (3\n% 4)"),
        ("x = 3 \\\n % 4", "x = 3 \\\n % 4"),
        ("'''\n%a\n!b\n'''", "'''\n%a\n!b\n'''"),
        ('"\\"\\\n!b"', '"\\"\\\n!b"'),
        ("# (\n!lsb", "# (\npass"),
        ("x == 1 # = %a\n{'a': '= !b'}", "x == 1 # = %a\n{'a': '= !b'}"),
        ("f(a= 3)\nif x: y = !lsl", "f(a= 3)\nif x: y = None"),
        ("%%bash\nls '", "      \n    "),
        ("# a title\n\n%%html\n<b>", "         \n\n      \n   "),
        ("%%time\nf()", "pass  \nf()"),
        ("%%time -x\r\nf()\n!ls -l", "pass     \r\nf()\npass  "),
        ("%%timeit x = 1\nf()", "pass          \nf()"),
        ("%%capture\n", "pass     \n"),
        ("%%time?", "pass   "),
        ("%%", "  "),
    ],
)
def test_masks(source: str, text: str) -> None:
    notebook = parse_notebook(dump([lines(source)]), "a.ipynb")
    assert notebook.text.removesuffix("\n") == text.removesuffix("\n")
    ast.parse(notebook.text)
    assert len(notebook.raw) == len(notebook.text)
    assert notebook.raw.removesuffix("\n") == source.removesuffix("\n")


def test_cells_are_one_module() -> None:
    markdown = {"cell_type": "markdown", "source": ["# é"]}
    data = dump([markdown, lines("import a\nb"), [], {"cell_type": "raw"}, "c\n", "d"])
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.text == "import a\nb\n\nc\nd\n"
    assert [notebook.locate(line) for line in range(1, 6)] == [
        (2, 1),
        (2, 2),
        (3, 1),
        (5, 1),
        (6, 1),
    ]
    assert notebook.lines.line_count == 5
    assert notebook.with_newlines("a\n") == "a\n"
    assert list(notebook.magics()) == []
    assert notebook.encode([]) == data


def test_magics_are_listed() -> None:
    notebook = parse_notebook(dump(["%tensorflow_version 1.x\nx = !ls"]), "a.ipynb")
    assert list(notebook.magics()) == [(0, "%tensorflow_version 1.x"), (28, "!ls")]


def test_no_code() -> None:
    notebook = parse_notebook(dump([]), "a.ipynb")
    assert (notebook.text, notebook.locate(1)) == ("", (1, 1))
    with pytest.raises(EditConflict):
        notebook.encode([Edit(0, 0, "x\n")])


@pytest.mark.parametrize("ensure_ascii", [False, True])
@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("as_list", [False, True])
def test_minimal_diff(ensure_ascii: bool, indent: int | None, as_list: bool) -> None:
    source = "é = '\\\\'\nx = tf.a(\"/\")\n\ty = '𝒳'  # €"
    data = dump([lines(source) if as_list else source], ensure_ascii, indent)
    changed = replace(data, "tf.a", 'tf.b"ü')
    quoted = '\\"\\u00fc' if ensure_ascii else '\\"ü'
    assert changed == data.replace(b"x = tf.a", f"x = tf.b{quoted}".encode())
    assert replace(data, "  # €", "") == data.replace(
        json.dumps("  # €", ensure_ascii=ensure_ascii)[1:-1].encode(), b"", 1
    )


def test_lines_come_and_go() -> None:
    data = dump([lines("a\nb\nc"), lines("d")])
    assert replace(data, "b\n", "") == data.replace(b'    "b\\n",\n', b"")
    assert replace(data, "b\n", "x\ny\n") == data.replace(
        b'    "b\\n",\n', b'    "x\\n",\n    "y\\n",\n'
    )
    assert replace(data, "c\n", "") == data.replace(b'"b\\n",\n    "c"', b'"b"')
    assert replace(data, "c\n", "x\ny\n") == data.replace(b'    "c"\n', b'    "x\\n",\n    "y"\n')
    assert replace(data, "c", "x\ny") == data.replace(b'    "c"\n', b'    "x\\n",\n    "y"\n')
    assert replace(data, "d", "x\ny") == data.replace(b'    "d"\n', b'    "x\\n",\n    "y"\n')
    assert replace(data, "d\n", "") == data.replace(b'[\n    "d"\n   ]', b"[]")
    assert replace(data, "a\nb\nc\n", "") == data.replace(
        b'[\n    "a\\n",\n    "b\\n",\n    "c"\n   ]', b"[]"
    )
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.encode([Edit(0, 2, ""), Edit(4, 4, "x\n")]) == data.replace(
        b'    "a\\n",\n    "b\\n",\n', b'    "b\\n",\n    "x\\n",\n'
    )
    assert notebook.encode([Edit(8, 8, "x\n"), Edit(8, 8, "y\n")]) == data.replace(
        b'"d"', b'"d\\n",\n    "x\\n",\n    "y"'
    )


@pytest.mark.parametrize("as_list", [False, True])
def test_equal_lines_that_come_beside_a_replacement_all_come(as_list: bool) -> None:
    data = dump([lines("a\nb\n") if as_list else "a\nb\n"])
    new = Edit(0, 0, "# n\n")
    changed = parse_notebook(data, "a.ipynb").encode([new, new, Edit(2, 3, "c"), Edit(2, 3, "c")])
    assert sources(changed) == ["# n\n# n\na\nc\n"]


def test_an_empty_cell_is_filled() -> None:
    data = dump([lines("a"), []])
    assert parse_notebook(data, "a.ipynb").encode([Edit(2, 2, "x\ny\n")]) == data.replace(
        b"[]\n  }\n", b'[\n    "x\\n",\n    "y\\n"\n   ]\n  }\n'
    )
    data = dump([[]], indent=None)
    assert sources(parse_notebook(data, "a.ipynb").encode([Edit(0, 0, "x\ny")])) == ["x\ny"]
    data = dump([""])
    assert sources(parse_notebook(data, "a.ipynb").encode([Edit(1, 1, "x\n")])) == ["x\n"]


def test_a_list_that_is_not_of_lines_keeps_its_parts() -> None:
    data = dump([["a", " = tf.x\nb", "", " = 3\n"]])
    assert replace(data, "tf.x", "y\nz") == data.replace(b"tf.x", b"y\\nz")
    assert replace(data, "x\nb = 3", "y") == data.replace(b"x\\nb", b"y").replace(b" = 3", b"")
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.encode([Edit(0, 0, "c")]) == data.replace(b'"a"', b'"ca"')
    end = len(notebook.text)
    assert notebook.encode([Edit(end, end, "c\n")]) == data.replace(b"3\\n", b"3\\nc\\n")


def test_form_feeds_split_lines_where_the_writer_did() -> None:
    data = dump([["a\x0c", "b\n", "c"]])  # str.splitlines, as nbformat does
    assert replace(data, "b", "d") == data.replace(b'"b\\n"', b'"d\\n"')
    data = dump([["a\x0cb\n", "c"]])
    assert replace(data, "b", "d") == data.replace(b"fb\\n", b"fd\\n")


@pytest.mark.parametrize(
    ("cells", "at", "expected"),
    [
        (["a", "%%time\nb"], 2, ["a", "%%time\nx\nb"]),
        (["a", "%%time"], 2, ["a", "%%time\nx"]),
        (["a", "%%bash\nb"], 2, ["a\nx", "%%bash\nb"]),
        (["a\n", "%%bash\n", "%%html"], 9, ["a\nx\n", "%%bash\n", "%%html"]),
        (["%lsmagic\na"], 0, ["x\n%lsmagic\na"]),
        (["%%bash\na", "%%html", "b"], 0, ["%%bash\na", "%%html", "x\nb"]),
        (["%%bash\na", "%%time\nb"], 0, ["%%bash\na", "%%time\nx\nb"]),
        (["a", "b"], 2, ["a", "x\nb"]),
        (["a", "b"], 4, ["a", "b\nx"]),
    ],
)
def test_where_lines_are_inserted(cells: list[str], at: int, expected: list[str]) -> None:
    data = dump([lines(cell) for cell in cells])
    assert sources(parse_notebook(data, "a.ipynb").encode([Edit(at, at, "x\n")])) == expected


def test_what_stands_above_all_python_stays_above_it() -> None:
    data = dump([lines("%%bash\na"), lines("b")])
    edits = [Edit(0, 0, "x\n"), Edit(9, 9, "y\n")]
    assert sources(parse_notebook(data, "a.ipynb").encode(edits)) == ["%%bash\na", "x\ny\nb"]


@pytest.mark.parametrize(
    ("cells", "edit"),
    [
        (["%lsmagic"], Edit(0, 1, "x")),
        (["%lsmagic"], Edit(1, 1, "x\n")),
        (["%lsmagic"], Edit(0, 0, "x")),
        (["%lsmagic"], Edit(8, 8, "x")),
        (["x = !ls"], Edit(4, 4, "f(")),
        (["%time f(a)"], Edit(8, 8, "\n")),
        (["%time f(a)"], Edit(6, 7, "\n")),
        (["%time f(a)"], Edit(10, 10, ",\n")),
        (["%%bash\na"], Edit(0, 0, "x\n")),
        (["%%bash\na"], Edit(7, 8, "x")),
        (["%%bash\na", "b"], Edit(9, 9, "y")),
        (["b", "%%bash\na"], Edit(11, 11, "y")),
        (["a", "b"], Edit(0, 3, "x")),
        (["a\n", "b"], Edit(0, 3, "x")),
        (["a", "b"], Edit(0, 2, "x")),
        (["ab", "b"], Edit(1, 3, "")),
        (["a", "b"], Edit(0, 9, "x")),
    ],
)
def test_refused_edits(cells: list[str], edit: Edit) -> None:
    notebook = parse_notebook(dump([lines(cell) for cell in cells]), "a.ipynb")
    if edit == Edit(9, 9, "y"):  # the start of a plain cell: allowed
        assert sources(notebook.encode([edit]))[1] == "yb"
        return
    with pytest.raises(EditConflict):
        notebook.encode([edit])


def test_python_in_magics_is_edited() -> None:
    data = dump(["x = %time tf.a()\n%timeit -n 3 tf.b()"])
    assert sources(replace(data, "tf.a", "g"))[0].startswith("x = %time g()\n")
    assert sources(replace(data, "tf.b()", "h(3)"))[0].endswith("\n%timeit -n 3 h(3)")
    assert sources(replace(data, "tf.a()\n", "g()\n"))[0].startswith("x = %time g()\n%")


def test_broken_cells_are_masked() -> None:
    data = dump([lines("x = 1"), lines("print 'a'\nb"), lines("y = 2")])
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.broken == []
    whole = notebook.without_broken()
    assert whole.text == "x = 1\n         \n \ny = 2\n"
    [(number, reason)] = whole.broken
    assert number == 2
    assert "print" in reason
    edited = whole.edited([Edit(0, 1, "z")])
    assert edited.text == "z = 1\n         \n \ny = 2\n"
    assert edited.broken == whole.broken
    assert sources(whole.encode([Edit(6, 6, "w\n")])) == ["x = 1\nw", "print 'a'\nb", "y = 2"]


def test_other_languages_in_cells_are_masked() -> None:
    cell = {
        "cell_type": "code",
        "metadata": {"vscode": {"languageId": "sql"}},
        "source": ["select"],
    }
    assert parse_notebook(dump([cell]), "a.ipynb").text == "      \n"


def test_nbformat_3() -> None:
    data = json.dumps(
        {
            "metadata": {"name": ""},
            "nbformat": 3,
            "nbformat_minor": 0,
            "worksheets": [
                {
                    "cells": [
                        {"cell_type": "heading", "source": ["x"]},
                        {"cell_type": "code", "input": ["a\n", "b"], "language": "python"},
                        {"cell_type": "code", "input": "ruby", "language": "ruby"},
                    ]
                },
                {"cells": [{"cell_type": "code", "input": "c"}]},
            ],
        }
    ).encode()
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.text == "a\nb\n    \nc\n"
    assert notebook.locate(4) == (4, 1)
    assert notebook.encode([Edit(2, 3, "d"), Edit(9, 10, "e")]) == data.replace(
        b'"b"', b'"d"'
    ).replace(b'"c"', b'"e"')


def test_bom_and_duplicate_keys_and_newlines() -> None:
    data = (
        b'\xef\xbb\xbf{"cells":[],\r\n"cells":[{"cell_type":"code","source":"x",\r\n"source":"y"}],'
        b'"nbformat":4}'
    )
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.text == "y\n"
    assert notebook.encode([Edit(0, 1, "z")]) == data.replace(b'"y"', b'"z"')


def test_lone_surrogates_stay() -> None:
    data = b'{"cells":[{"cell_type":"code","source":"x = \'\\ud800\'; y"}],"nbformat":4}'
    notebook = parse_notebook(data, "a.ipynb")
    assert notebook.text == "x = '\ufffd'; y\n"
    assert notebook.encode([Edit(9, 10, "é")]) == data.replace(b"; y", b"; \\u00e9")
    with pytest.raises(SourceError, match="UTF-8"):
        parse_notebook(data.replace(b"; y", "; ü".encode()), "").encode([Edit(9, 10, "\ud800")])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not valid JSON"),
        (b"\xff", "not valid utf-8"),
        (b"[]", "not a notebook"),
        (b'{"nbformat": 4}', "not a notebook"),
        (b'{"nbformat": 3}', "not a notebook"),
        (b'{"nbformat": 4, "cells": [3]}', "not a notebook"),
        (b'{"nbformat": 7, "cells": []}', "unknown format: 7"),
        (b'{"nbformat":4,"cells":[{"cell_type":"code","source":[3]}]}', "cell 1 is not text"),
        (b"[" * 100_000, "nested too deeply"),
        (json.dumps(document([], metadata={"language_info": {"name": "R"}})).encode(), "in R,"),
        (json.dumps(document([], metadata={"kernelspec": {"name": "ir"}})).encode(), "in ir,"),
    ],
)
def test_refused(data: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        parse_notebook(data, "a.ipynb")


@pytest.mark.parametrize("metadata", [3, {}, {"kernelspec": {"name": "tf1"}}, {"kernelspec": 3}])
def test_accepted_metadata(metadata: object) -> None:
    data = json.dumps(document(["a"], metadata=metadata)).encode()
    assert parse_notebook(data, "a.ipynb").text == "a\n"


LINES = ["x = 1", "é = tf.a('𝒳\\u00e9')", "", "%time f()", "!ls -l", "y = '\"\\\\'", "\tz"]
SOURCES = st.lists(st.sampled_from(LINES), max_size=4).map("\n".join)
TEXTS = st.sampled_from(["", "a", 'é"', "b\n", "\nc", "d\ne"])


@quick
@given(
    st.lists(st.tuples(SOURCES, st.booleans(), st.booleans()), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from([None, 1, 2]),
    st.data(),
)
def test_edits_change_what_they_say(
    cells: list[tuple[str, bool, bool]], ensure_ascii: bool, indent: int | None, data: Any
) -> None:
    """Any edits within cells: the new sources are as edited text; all else has its bytes."""
    contents = [text + "\n" * final for text, _, final in cells]
    raw = dump(
        [
            lines(text) if as_list else text
            for text, (_, as_list, _) in zip(contents, cells, strict=True)
        ],
        ensure_ascii,
        indent,
    )
    notebook = parse_notebook(raw, "a.ipynb")
    assert len(notebook.text) == len(notebook.raw)
    edits: list[Edit] = []
    expected: list[str] = []
    for cell in notebook.cells:
        size = len(cell.raw)
        cuts = sorted(data.draw(st.sets(st.integers(0, size), max_size=4)))
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
        local = [Edit(start, end, data.draw(TEXTS)) for start, end in pairs]
        if cell.start == 0:
            local.append(Edit(0, 0, "first\n"))
        edits += [Edit(e.start + cell.start, e.end + cell.start, e.new) for e in local]
        expected.append(apply(cell.raw, local))
    try:
        changed = notebook.encode(data.draw(st.permutations(edits)))
    except EditConflict as error:
        assert "would change" in error.reason  # noqa: PT017
        return
    assert sources(changed) == expected
    assert changed.endswith(b"\n")
    reference = dump(
        [
            lines(text) if as_list else text
            for text, (_, as_list, _) in zip(expected, cells, strict=True)
        ],
        ensure_ascii,
        indent,
    )
    if ensure_ascii or not raw.isascii():
        # The style of escapes shows: then the result is what the writer of the file would give.
        empty = indent is not None and any(
            as_list and not old and new
            for old, new, (_, as_list, _) in zip(contents, expected, cells, strict=True)
        )
        if not (ensure_ascii and b"\\u00e9" not in raw) and not empty:
            assert changed == reference


def test_the_last_two_lines_of_a_cell_can_go() -> None:
    raw = json.dumps(
        {
            "cells": [
                {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                 "source": ["a\n", "bb\n", "cc"]},
            ],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 2,
        }
    ).encode()  # fmt: skip
    notebook = parse_notebook(raw, "a.ipynb")
    new = json.loads(notebook.encode([Edit(2, 5, ""), Edit(5, 8, "")]))
    assert new["cells"][0]["source"] == ["a"]


def test_lines_take_the_place_of_a_cells_last_line() -> None:
    raw = json.dumps(
        {
            "cells": [
                {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                 "source": ["a\n", "bb\n", "cc"]},
            ],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 2,
        }
    ).encode()  # fmt: skip
    notebook = parse_notebook(raw, "a.ipynb")
    edits = [Edit(5, 8, ""), Edit(5, 5, "x\n"), Edit(5, 5, "y\n")]
    new = json.loads(notebook.encode(edits))
    assert new["cells"][0]["source"] == ["a\n", "bb\n", "x\n", "y"]

from __future__ import annotations

import ast
import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.engine.findings import Edit
from migrate.engine.notebook import parse_notebook
from migrate.engine.options import Options
from migrate.engine.python2 import Modernized, leftovers, modernize, modernize_notebook
from migrate.engine.runner import texts
from migrate.engine.source import LineIndex, apply, parse

quick = settings(derandomize=True, deadline=None, max_examples=40, database=None)


def modern(text: str, **options: Any) -> Modernized:
    """Modernize, and check what holds for every result."""
    result = modernize(text, **options)
    assert result is not None
    assert result.text is not None, result.reason
    assert apply(text, result.edits) == result.text
    tree = parse(result.text)
    assert isinstance(tree, ast.Module)
    assert modernize(result.text) is None
    assert not [left for left in leftovers(tree, result.text) if left.edits]
    count = len(LineIndex(text).starts)
    assert all(0 < change.line <= count for change in result.changes)
    assert all(0 < note.line <= count for note in result.notes)
    return result


def after(text: str, **options: Any) -> str:
    """What a text becomes; a line of syntax that Python 3 lacks is added and taken off."""
    result = modern(text + "print 'end'\n", **options).text
    assert result is not None
    assert result.endswith("print('end')\n")
    return result.removesuffix("print('end')\n")


def test_python_3_is_left_alone() -> None:
    assert modernize("print('x')\nxrange(3)\n") is None


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("print\n", "print()\n"),
        ("print 'a', b  # c\n", "print('a', b)  # c\n"),
        ("print 'a',\n", "print('a', end=' ')\n"),
        ("print 'a\\n',\n", "print('a\\n', end='')\n"),
        ("print '%d\\t' % x,\n", "print('%d\\t' % x, end='')\n"),
        ("print '%d\\n' % x, y,\n", "print('%d\\n' % x, y, end=' ')\n"),
        ("print >>f, 'a\\n',\n", "print('a\\n', end='', file=f)\n"),
        ("print >> f\n", "print(file=f)\n"),
        ("print ('a' + b)\n", "print ('a' + b)\n"),
        ("print('a', b)\n", "print(('a', b))\n"),
        ("print ('a'), b\n", "print(('a'), b)\n"),
        ("print (a for a in b)\n", "print((a for a in b))\n"),
        ("try: x\nexcept E, e: y  # c\n", "try: x\nexcept E as e: y  # c\n"),
        ("raise E, 'x'\n", "raise E('x')\n"),
        ("raise E, 'x', tb\n", "raise E('x').with_traceback(tb)\n"),
        ("exec 'x' in a, b\n", "exec('x', a, b)\n"),
        ("x = a <> b\n", "x = a != b\n"),
        ("x = `a, b`\n", "x = repr((a, b))\n"),
        ("x = 0777 + 10L + 0xFFl + 00\n", "x = 0o777 + 10 + 0xFF + 00\n"),
        ("x = ur'\\d\\u00e9\\\\u1'\n", "x = r'\\dé\\\\u1'\n"),
        ("x = ur'[\\u2E00-\\uFFFF]'\n", "x = '[\\u2E00-\\uFFFF]'\n"),
        ("x = ur'a\\d\\\\u0022\\'\\u0022'\n", "x = 'a\\\\d\\\\\\\\u0022\\\\\\'\\u0022'\n"),
        ("x = ur\"\"\"\\d\\u0022\n\"\"\"\n", "x = \"\"\"\\\\d\\u0022\n\"\"\"\n"),
        ("x = [y for y in 1, 2]\n", "x = [y for y in (1, 2)]\n"),
        ("x = [y for y in a for z in b, c if d]\n", "x = [y for y in a for z in (b, c) if d]\n"),
        ("x = 0777L + 0o7 + 0.5 + 1e3 + 0x0L + 0L + 007\n",
         "x = 0o777 + 0o7 + 0.5 + 1e3 + 0x0 + 0 + 0o7\n"),
        ("x = '\\d\\u1', '\\\\u1', u'\\u0031', r'\\u', b'\\u', '''\\N'''\n",
         "x = '\\d\\\\u1', '\\\\u1', u'\\u0031', r'\\u', b'\\u', '''\\\\N'''\n"),
        ("def f(a, (b, c)): pass\n", "def f(a, packed): (b, c) = packed; pass\n"),
        ("def f((a, b)):\n    return a\n", "def f(packed):\n    (a, b) = packed\n    return a\n"),
        (
            "def f((a, b)):\n    'Doc.'\n    # pad\n    return a\n",
            "def f(packed):\n    'Doc.'\n    (a, b) = packed\n    # pad\n    return a\n",
        ),
        ("f(lambda (x, y): x + y)\n", "f(lambda x_y: x_y[0] + x_y[1])\n"),
        ("f(lambda (x, (y, z)), w: f(x=x, y=w.y, z=z))\n",
         "f(lambda x_y_z, w: f(x=x_y_z[0], y=w.y, z=x_y_z[1][1]))\n"),
        ("f(lambda a, (x): x)\n", "f(lambda a, x: x)\n"),
        ("f(async=True, b=1)\n", "f(**{'async': True}, b=1)\n"),
        ("def g(async=1): return async\ng(async=2)\n",
         "def g(async_=1): return async_\ng(async_=2)\n"),
    ],
)  # fmt: skip
def test_syntax(before: str, expected: str) -> None:
    result = modern(before + "print 'end'\n")
    assert result.text == expected + "print('end')\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        # Lists that became iterators.
        ("x = d.keys()\n", "x = list(d.keys())\n"),
        ("x = d.keys()[0]\n", "x = list(d.keys())[0]\n"),
        ("x = sorted(d.keys()), len(d.values())\n", None),
        ("for k in d.keys(): f(d[k], k in d)\n", None),
        ("for k in d.keys(): del d[k]\n", "for k in list(d.keys()): del d[k]\n"),
        ("for k in d.keys(): f(d)\n", "for k in list(d.keys()): f(d)\n"),
        ("for k in s.d.keys(): s.f(k)\n", "for k in list(s.d.keys()): s.f(k)\n"),
        ("for k, v in d.iteritems(): pass\n", "for k, v in d.items(): pass\n"),
        ("x = d.itervalues()\n", "x = iter(d.values())\n"),
        ("x = d.iteritems().next()\n", "x = next(iter(d.items()))\n"),
        ("x = map(f, y) + filter(g, z)\n", "x = list(map(f, y)) + list(filter(g, z))\n"),
        ("map(f, x)\n", "list(map(f, x))\n"),
        ("for x in map(f, y): pass\n", None),
        ("x = dict(zip(a, b)), ','.join(map(str, y))\n", None),
        ("a, b = zip(*c)\n", None),
        ("f(*map(g, x))\n", None),
        ("x = 3 in range(3)\n", None),
        ("x = range(9)[1:]\n", "x = list(range(9))[1:]\n"),
        ("x = range(9)\n", "x = list(range(9))\n"),
        ("x = xrange(9)\n", "x = range(9)\n"),
        ("def map(f, x): pass\nx = map(f, x)\n", None),
        # Names.
        ("x = unicode(y), unichr(3), raw_input()\n", "x = str(y), chr(3), input()\n"),
        ("x = isinstance(y, (int, long))\n", "x = isinstance(y, int)\n"),
        ("x = isinstance(y, (str, unicode, A))\n", "x = isinstance(y, (str, A))\n"),
        ("x = isinstance(y, basestring)\n", "x = isinstance(y, str)\n"),
        ("x = reduce(f, y)\n", "from functools import reduce\nx = reduce(f, y)\n"),
        ('"""Doc."""\n# c\nx = reduce(f, y)\n',
         '"""Doc."""\nfrom functools import reduce\n# c\nx = reduce(f, y)\n'),
        ("x = d.has_key(k)\n", "x = k in d\n"),
        ("if not d.has_key(k): pass\n", "if k not in d: pass\n"),
        ("x = d.has_key(k) == y\n", "x = (k in d) == y\n"),
        ("x = d.has_key(a or b)\n", "x = (a or b) in d\n"),
        ("x = d.has_key(e.has_key(1))\n", "x = (1 in e) in d\n"),
        ("x = sys.maxint\nimport sys\n", "x = sys.maxsize\nimport sys\n"),
        ("import string\nx = string.join(y, ''), string.letters\n",
         "import string\nx = ''.join(y), string.ascii_letters\n"),
        ("import string\nx = string.atoi(y), string.split(a + b)\n",
         "import string\nx = int(y), (a + b).split()\n"),
        ("import sys\nreload(sys)\nsys.setdefaultencoding('utf8')\nx\n", "import sys\nx\n"),
        ("import sys\nif y:\n    reload(sys)\n", "import sys\nif y:\n    pass\n"),
        ("reload(m)\n", "import importlib\nimportlib.reload(m)\n"),
        ("x = g.next()\n", "x = next(g)\n"),
        ("x = self.next()\n", None),
        ("x = file('y')\n", "x = open('y')\n"),
        # Modules.
        ("import cPickle\nx = cPickle.load(f)\n", "import pickle\nx = pickle.load(f)\n"),
        ("import cPickle as pickle\n", "import pickle\n"),
        ("import cPickle as p\n", "import pickle as p\n"),
        ("import cPickle, pickle\ncPickle.x\n", "import pickle, pickle\npickle.x\n"),
        ("queue = 3\nimport Queue\nQueue.Queue()\n",
         "queue = 3\nimport queue as Queue\nQueue.Queue()\n"),
        ("from cPickle import load\n", "from pickle import load\n"),
        ("import urlparse\nurlparse.x\n", "import urllib.parse as urlparse\nurlparse.x\n"),
        ("import urllib2\nurllib2.urlopen(a)\n", "import urllib.request\nurllib.request.urlopen(a)\n"),
        ("import urllib, urllib2\nurllib.quote(urllib2.HTTPError)\n",
         "import urllib.parse, urllib.error\nurllib.parse.quote(urllib.error.HTTPError)\n"),
        ("from urllib2 import urlopen, URLError as E\n",
         "from urllib.request import urlopen\nfrom urllib.error import URLError as E\n"),
        ("import itertools\nx = itertools.izip(a, b)\n", "import itertools\nx = zip(a, b)\n"),
        ("from itertools import izip, chain\nizip(a)\n", "from itertools import chain\nzip(a)\n"),
        ("from itertools import izip\nx = izip(a)\n", "x = zip(a)\n"),
        ("from itertools import imap as map\nx = map(f, a)\n", "x = map(f, a)\n"),
        ("from itertools import izip_longest\nizip_longest(a)\n",
         "from itertools import zip_longest\nzip_longest(a)\n"),
        ("import types\nx = types.ListType\n", "import types\nx = list\n"),
        # What the author saw to.
        ("try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n", None),
        ("try:\n    unicode\nexcept NameError:\n    unicode = str\nunicode(x)\n", None),
        ("if six.PY2:\n    x = d.iteritems()\nelse:\n    x = d.items()\n", None),
        ("x = unicode(y) if sys.version_info[0] < 3 else str(y)\n", None),
        ("from six.moves import xrange, map\nx = xrange(3), map(f, y)\n", None),
        ("from six.moves import *\nx = xrange(3), map(f, y)\n", None),
        ("def f(xrange):\n    return xrange(3)\n", None),
        # Classes.
        ("class A:\n    def __nonzero__(self): pass\n", "class A:\n    def __bool__(self): pass\n"),
        ("class A(B):\n    __metaclass__ = M\n    x = 1\n    y = 2\n",
         "class A(B, metaclass=M):\n    x = 1\n    y = 2\n"),
        ("class A:\n    __metaclass__ = M\n", "class A(metaclass=M):\n    pass\n"),
        ("class A():\n    __metaclass__ = M\n", "class A(metaclass=M):\n    pass\n"),
        ("class A:\n    def next(self):\n        return 1\n",
         "class A:\n    def next(self):\n        return 1\n\n    __next__ = next\n"),
        # Division.
        ("x = len(y) / 2\n", "x = len(y) // 2\n"),
        ("n = 3\nfor i in range(n): x = i/n  # a/b\n", "n = 3\nfor i in range(n): x = i//n  # a/b\n"),
        ("n = 3\nn = 1.0\nx = len(n) / n\n", None),
        ("def f(n):\n    return n / 2.0 + float(n) / n\n", None),
        ("x = y.shape[0] / 2\nb, h = y.get_shape().as_list()\nz = h / b\n",
         "x = y.shape[0] // 2\nb, h = y.get_shape().as_list()\nz = h // b\n"),
        ("x = 7\nx /= 2\n", "x = 7\nx //= 2\n"),
        ("from __future__ import division\nx = 1 / 2\n", None),
        ("x = (1 # /\n / 2)\n", "x = (1 # /\n // 2)\n"),
    ],
)  # fmt: skip
def test_names_and_meanings(before: str, expected: str | None) -> None:
    """``None``: nothing may change."""
    assert after(before) == (before if expected is None else expected)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("import utils\n", "from . import utils\n"),
        ("import utils as u\n", "from . import utils as u\n"),
        ("from utils import x\n", "from .utils import x\n"),
        ("from utils.a import x\n", "from .utils.a import x\n"),
        ("import utils.a as a\n", "from .utils import a\n"),
        ("import cPickle\nfrom Queue import Queue\n", "import pickle\nfrom .Queue import Queue\n"),
        ("from __future__ import absolute_import\nimport utils\n", None),
        ("from . import utils\nimport other\n", None),
    ],
)
def test_siblings(before: str, expected: str | None) -> None:
    result = after(before, siblings=frozenset({"utils", "Queue"}))
    assert result == (before if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("import utils, os\n", "relative in Python 3: utils"),
        ("from utils import x\nif __name__ == '__main__': pass\n", "beside this file"),
        ("x = a / b; y = c / d\n", "cut off the fraction"),
        ("x = map(None, a, b)\n", "map(None"),
        ("x.sort(cmp=f)\n", "cmp_to_key"),
        ("x = cmp(a, b)\n", "no cmp()"),
        ("import StringIO\n", "io.BytesIO"),
        ("import sets\n", "no module sets"),
        ("from itertools import izip\nzip = 3\nizip()\n", "is zip in Python 3"),
        ("input = 3\nraw_input()\n", "input is something else"),
        ("import urllib2\nf(urllib2)\n", "urllib.request, .error"),
        ("from urllib2 import odd\n", "no known place"),
        ("x = Reader()\nx.next()\n", "next("),
        ("import string\nf(string.join)\n", "method of str"),
        ("x = d.keys().sort()\n", "sorted()"),
    ],
)
def test_notes(text: str, note: str) -> None:
    notes = modern(text + "print 'end'\n", siblings=frozenset({"utils"})).notes
    assert any(note in item.message for item in notes), notes
    if "fraction" in note:
        assert len(notes) == 1


def test_changes_name_their_lines() -> None:
    text = (
        "import os\n\ndef f(a, (b, c)):\n    '''Doc.\n\n    '''\n    # first\n    print a\n\n"
        "    print b; x = reduce(f, a)\n    return xrange(3)\n"
    )
    changes = modern(text).changes
    assert [(change.line, change.message) for change in changes] == [
        (1, "from functools import reduce"),
        (3, "tuple parameters: `def f(a, (b, c)):` became `def f(a, packed):`"),
        (8, "print statement: `print a` became `print(a)`"),
        (10, "print statement: `print b; x = reduce(f, a)` became `print(b); x = reduce(f, a)`"),
        (10, "reduce is in functools: `print b; x = reduce(f, a)` became "
             "`print(b); x = reduce(f, a)`"),
        (11, "xrange became range: `return xrange(3)` became `return range(3)`"),
    ]  # fmt: skip
    change = modern("import sys\nreload(sys)\nprint 1\n").changes[0]
    assert change.message == "reload(sys) was for sys.setdefaultencoding: `reload(sys)` went"


def test_texts_that_are_unicode_keep_their_escapes() -> None:
    text = "from __future__ import unicode_literals\nprint '\\u00e9'\n"
    assert modern(text).text == text.replace("print '\\u00e9'", "print('\\u00e9')")


def test_tabs() -> None:
    text = "if x:\n        a = '''\n\tb'''\n\tc\n\tif y:\n            d\n"
    result = modern(text)
    assert result.text == (
        "if x:\n        a = '''\n\tb'''\n        c\n        if y:\n            d\n"
    )
    assert [(change.line, change.what) for change in result.changes] == [
        (4, "tabs became spaces, as Python 2 took them, on 2 lines")
    ]
    text = "if x:\n        print 1\n\tprint 2\n"
    assert modern(text).text == "if x:\n        print(1)\n        print(2)\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("print 'a\n", "line 1"),
        ("def f(:\n  pass\n", "line 1"),
        ("x.async = 1\n", "an attribute named async"),
        ("from x import async\n", "the name async"),
        ("x = ur'\\u0022\\\nb'\n", "several lines"),
        ("class class: pass\n", "line 1"),
        ("f(**a, *b)\nprint 1\n", "line 1"),
    ],
)
def test_reasons(text: str, reason: str) -> None:
    result = modernize(text)
    assert result is not None
    assert result.text is None
    assert reason in result.reason


LINES = [
    "print 'é', x",
    "x = 1  # ü",
    "",
    "  # only a comment",
    "\x0c",
    "def f((a, b)): print a",
    "if x <> y:\n    print `x`\n\n    z = d.keys()",
    "import urllib2",
    "d.has_key(xrange(3))",
    "'''a\nb''' % (\n  x / y,\n  3 / 2)",
    "exec 'x'",
]


@quick
@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_layout_stays(lines: list[str], newline: str, final: bool) -> None:
    """Lines without anything of Python 2 stay, to the byte, wherever they are."""
    text = newline.join("\n".join(lines).split("\n")) + newline * final
    if modernize(text) is None:
        return
    result = modern(text)
    assert result.text is not None
    assert result.text.endswith(newline) == (final or (lines[-1] == "" and len(lines) > 1))
    if newline != "\n":
        assert "\n" not in result.text.replace(newline, "")
    for line in ("x = 1  # ü", "  # only a comment", "\x0c"):
        assert result.text.count(line) == text.count(line)


# --- notebooks ---------------------------------------------------------------------------------


def dump(cells: list[str]) -> bytes:
    listed = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell.splitlines(True)}
        for cell in cells
    ]
    return json.dumps({"cells": listed, "nbformat": 4, "metadata": {}}, indent=1).encode()


def test_notebooks() -> None:
    cells = [
        "%matplotlib inline\nprint 'a'\nn = len(x)\n!ls",
        "def f((a, b)):\n    print a,\n%time f(xrange(3))",
        "%%bash\nprint 1",
        "print(\n",
        "x = n / 2\nprint x  # é",
    ]
    data = dump(cells)
    notebook = parse_notebook(data, "a.ipynb")
    converted = modernize_notebook(notebook)
    assert converted is not None
    new, result = converted
    assert ["".join(cell["source"]) for cell in json.loads(new.data)["cells"]] == [
        "%matplotlib inline\nprint('a')\nn = len(x)\n!ls",
        "def f(packed):\n    (a, b) = packed\n    print(a, end=' ')\n%time f(range(3))",
        "%%bash\nprint 1",
        "print(\n",
        "x = n // 2\nprint(x)  # é",
    ]
    assert [number for number, _ in new.broken] == [4]
    assert {notebook.locate(change.line) for change in result.changes} == {
        (1, 2), (2, 1), (2, 2), (2, 3), (5, 1), (5, 2)
    }  # fmt: skip
    assert new.encode([]) == new.data
    assert modernize_notebook(new) is None


def test_notebooks_of_python_3() -> None:
    assert modernize_notebook(parse_notebook(dump(["x = 1"]), "")) is None
    assert modernize_notebook(parse_notebook(dump(["x = "]), "")) is None


# --- what parses on Python 3 -------------------------------------------------------------------


def left(text: str) -> tuple[str, list[str]]:
    """The text with the edits of all leftovers, and the messages without an edit."""
    tree = ast.parse(text)
    found = leftovers(tree, text)
    new = apply(text, [edit for item in found for edit in item.edits])
    again = leftovers(ast.parse(new), new)
    assert not [item for item in again if item.edits]
    return new, [item.message for item in found if not item.fixed]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("for i in xrange(3): pass\n", "for i in range(3): pass\n"),
        ("x = d.has_key(unicode(y))\n", "x = str(y) in d\n"),
        ("print >>f, xrange(3)\n", "print(range(3), file=f)\n"),
        ("print >>f, 'a',\n", "print('a', file=f, end=' ')\n"),
        ("print\n", "print()\n"),
        ("x = d.keys()[0]\n", "x = list(d.keys())[0]\n"),
        ("for k, v in d.iteritems(): pass\n", "for k, v in d.items(): pass\n"),
        ("class A:\n    def iteritems(self): pass\nA().iteritems()\n", None),
        ("six.iteritems(d)\nd.iteritems(3)\n", None),
        ("x = map(f, y)\n", None),
        ("x = map(f, y), xrange(3)\n", "x = list(map(f, y)), range(3)\n"),
        ("x = 1 / 2\nraw_input()\n", "x = 1 / 2\ninput()\n"),
        ("f'{xrange(3)}'\n", None),
        ("def f(x):\n    if sys.version_info < (3,): return unicode(x)\n    return x\n", None),
        ("def f(x):\n    if PY3: return x\n    return unicode(x)\n", None),
        ("x.long, y.file(3), z.reduce(f)\nimport new_thing\n", None),
        ("# xrange, iteritems\n'unicode'\n", None),
        ("import urllib.request\nurllib.request.urlopen(x)\n", None),
        ("from six.moves import urllib\nurllib.request.urlopen(x)\n", None),
        ("from urllib import request\n", None),
    ],
)
def test_leftovers(before: str, expected: str | None) -> None:
    assert left(before)[0] == (before if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class A:\n    __metaclass__ = M\n", "metaclass=M"),
        ("x = len(y) / 2, xrange(3)\n", "cut off the fraction"),
        ("x = y.next(), xrange(3)\n", "next("),
        ("x = d.keys().sort()\n", "sorted()"),
    ],
)
def test_leftovers_for_a_person(text: str, message: str) -> None:
    assert any(message in item for item in left(text)[1])


def test_leftovers_say_where() -> None:
    text = "é = 3; x = xrange(é)\n"
    [found] = leftovers(ast.parse(text), text)
    assert text[found.start : found.end] == "xrange"
    assert found.edits == (Edit(found.start, found.end, "range"),)
    assert found.message == "xrange became range"


# --- run on both -------------------------------------------------------------------------------

PROGRAM = r"""
# -*- coding: utf-8 -*-
import sys, os, string
import cPickle, Queue, urllib, StringIO
from itertools import izip, imap
reload(sys)
sys.setdefaultencoding('utf-8')

class Countdown(object):
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def next(self):
        if self.n == 0:
            raise StopIteration, 'done'
        self.n -= 1
        return self.n
    def __nonzero__(self):
        return self.n > 0

class Meta(type):
    def __new__(cls, name, bases, body):
        body['made'] = 1
        return type.__new__(cls, name, bases, body)

class Made(object):
    __metaclass__ = Meta

def norm((a, b), scale=2):
    return (a + b) // scale

print norm((3, 4)), list(Countdown(3)), bool(Countdown(0)), Made.made
d = {'a': 1, 'b': 2, 'c': 3}
for k in d.keys():
    if d[k] == 2: del d[k]
keys = d.keys()
keys.sort()
print keys, d.has_key('a'), not d.has_key('z'), sorted(d.iteritems())
print map(lambda (x, y): x * y, zip(range(3), xrange(3))), filter(None, [0, 1, 2])
n = len(keys) * 7
for i in range(3):
    print i / 2, n / (i + 1), n / 2.0,
print
print 'progress\n',
print 'a', 'b',
print >>sys.stdout, 'c'
print >>sys.stdout
try:
    raise ValueError, 'bad'
except (ValueError, KeyError), e:
    print `str(e)`, 0777, 10L * 2, 1 <> 2
exec 'y = 3' in d
print d['y'], reduce(lambda a, b: a * b, [1, 2, 3]), string.join(['a', 'b'], '-')
print isinstance(3, (int, long)), isinstance(u'x', basestring), list(izip([1], [2]))
g = (c for c in 'xy')
print g.next(), g.next(), list(imap(len, ['aa', 'b'])), sys.maxint > 5
q = Queue.Queue()
q.put(1)
print q.get(), urllib.quote('a b'), cPickle.loads(cPickle.dumps([1]))
out = StringIO.StringIO()
out.write('text')
print out.getvalue(), string.letters == string.letters, ur'\d'
"""


def python2() -> str | None:
    found = shutil.which("python2.7", path=os.environ.get("PATH"))
    candidates = [os.environ.get("MIGRATE_PYTHON2"), found]
    candidates += glob.glob(os.path.expanduser("~/.pyenv/versions/2.7*/bin/python2.7"))
    for candidate in filter(None, candidates):
        done = subprocess.run([candidate, "-c", "print 1"], capture_output=True, check=False)
        if done.stdout == b"1\n":
            return candidate
    return None


EXPECTED = """\
3 [2, 1, 0] False 1
['a', 'c'] True True [('a', 1), ('c', 3)]
[0, 1, 4] [1, 2]
0 14 7.0 0 7 7.0 1 4 7.0
progress
a b c

'bad' 511 20 True
3 6 a-b
True True [(1, 2)]
x y [2, 1] True
1 a%20b [1]
text True \\d
"""


def test_a_program_prints_the_same(tmp_path: Path) -> None:
    result = modern(PROGRAM)
    assert result.text is not None
    path = tmp_path / "new.py"
    path.write_text(result.text, encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    printed = "\n".join(line.rstrip() for line in done.stdout.split("\n"))
    assert printed == EXPECTED


def test_python_2_prints_what_is_expected(tmp_path: Path) -> None:
    interpreter = python2()
    if interpreter is None:
        pytest.skip("no Python 2.7")
    path = tmp_path / "old.py"
    path.write_text(PROGRAM.lstrip(), encoding="utf-8")
    done = subprocess.run([interpreter, path], capture_output=True, text=True, check=True)
    assert "\n".join(line.rstrip() for line in done.stdout.split("\n")) == EXPECTED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "class A:\n    def next(self):\n        return xrange(3)\n",
            "class A:\n    def next(self):\n        return range(3)\n\n    __next__ = next\n",
        ),
        (
            "class A:\n    def __nonzero__(self):\n        return unicode(self)\n",
            "class A:\n    def __bool__(self):\n        return str(self)\n",
        ),
    ],
)
def test_methods_with_other_names_are_written(before: str, after: str) -> None:
    """What an edit adds to a class, or renames in it, isn't taken for a slip."""
    end = "\n\nimport tensorflow as tf\ntf.math.log(1.0)\n"
    [result] = texts({"a.py": (before + end.replace("math.", "")).encode()}, Options())
    assert (result.status, result.after) == ("changed", (after + end).encode())


def test_a_file_without_tensorflow_whose_range_is_shuffled() -> None:
    """It is read where its program has TensorFlow; what works stays."""
    main = b"import tensorflow as tf\nimport batches\nprint(tf.log(1.0), batches.order(3))\n"
    data = b"import random\n\ndef order(n):\n    found = range(n)\n    %s\n    return found\n"
    results = texts({"main.py": main, "batches.py": data % b"random.shuffle(found)"}, Options())
    text = next(r.after for r in results if r.path == "batches.py")
    assert text is not None
    assert b"found = list(range(n))\n" in text
    results = texts({"main.py": main, "batches.py": data % b"print(found[0])"}, Options())
    assert next(r.after for r in results if r.path == "batches.py") is None

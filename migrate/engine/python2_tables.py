"""Python 2's names and modules and what became of them; and a quick look for any in a text."""

from __future__ import annotations

import re
from functools import lru_cache

BUILTINS = {
    "xrange": "range",
    "unicode": "str",
    "basestring": "str",
    "unichr": "chr",
    "raw_input": "input",
    "long": "int",
    "StandardError": "Exception",
}
GONE = {
    "cmp": "compare with (a > b) - (a < b)",
    "execfile": "read and exec() the file",
    "apply": "call f(*args, **kwargs)",
    "buffer": "use memoryview",
    "coerce": "there is no counterpart",
}
MODULES = {
    "cPickle": "pickle",
    "Queue": "queue",
    "ConfigParser": "configparser",
    "SocketServer": "socketserver",
    "__builtin__": "builtins",
    "copy_reg": "copyreg",
    "thread": "_thread",
    "HTMLParser": "html.parser",
    "htmlentitydefs": "html.entities",
    "httplib": "http.client",
    "Cookie": "http.cookies",
    "cookielib": "http.cookiejar",
    "BaseHTTPServer": "http.server",
    "SimpleHTTPServer": "http.server",
    "xmlrpclib": "xmlrpc.client",
    "urlparse": "urllib.parse",
    "robotparser": "urllib.robotparser",
    "Tkinter": "tkinter",
    "tkMessageBox": "tkinter.messagebox",
    "tkFileDialog": "tkinter.filedialog",
    "ttk": "tkinter.ttk",
    "StringIO": "io",
    "cStringIO": "io",
    "commands": "subprocess",
    "anydbm": "dbm",
}
GONE_MODULES = frozenset(
    ("UserDict", "exceptions", "md5", "mimetools", "new", "popen2", "rfc822", "sets", "sha")
)
URLLIB = {
    name: module
    for module, names in {
        "request": (
            "urlopen Request urlretrieve urlcleanup build_opener install_opener ProxyHandler "
            "HTTPCookieProcessor HTTPBasicAuthHandler HTTPHandler HTTPSHandler OpenerDirector "
            "FancyURLopener URLopener pathname2url url2pathname getproxies HTTPRedirectHandler "
            "HTTPPasswordMgrWithDefaultRealm BaseHandler"
        ),
        "error": "URLError HTTPError ContentTooShortError",
        "parse": "quote quote_plus unquote unquote_plus urlencode",
    }.items()
    for name in names.split()
}
ATTRIBUTES = {
    ("sys", "maxint"): "maxsize",
    ("os", "getcwdu"): "getcwd",
    ("string", "letters"): "ascii_letters",
    ("string", "lowercase"): "ascii_lowercase",
    ("string", "uppercase"): "ascii_uppercase",
    ("itertools", "izip_longest"): "zip_longest",
    ("itertools", "ifilterfalse"): "filterfalse",
}
ITERTOOLS = {"izip": "zip", "imap": "map", "ifilter": "filter"}
ITERTOOLS_RENAMED = {"izip_longest": "zip_longest", "ifilterfalse": "filterfalse"}
STRING_FUNCTIONS = frozenset(
    ("atof", "atoi", "atol", "find", "join", "lower", "lstrip", "maketrans", "replace", "rstrip",
     "split", "strip", "upper", "zfill")
)  # fmt: skip
TYPES = {
    "StringType": "str",
    "UnicodeType": "str",
    "StringTypes": "str",
    "IntType": "int",
    "LongType": "int",
    "FloatType": "float",
    "ListType": "list",
    "TupleType": "tuple",
    "DictType": "dict",
    "BooleanType": "bool",
    "NoneType": "type(None)",
}
LAZY = frozenset(("map", "filter", "zip", "range"))
# What takes any iterable once, so that a list is not missed.
CONSUMERS = frozenset(
    ("sorted", "list", "set", "frozenset", "tuple", "dict", "sum", "any", "all", "min", "max",
     "enumerate", "iter", "zip", "map", "filter", "izip", "imap", "ifilter", "reduce",
     "OrderedDict", "Counter", "deque", "chain")
)  # fmt: skip
CONSUMING_METHODS = frozenset(
    ("join", "extend", "update", "chain", "OrderedDict", "Counter", "deque", "izip", "imap")
)
VIEWS = frozenset(("keys", "values", "items"))
_VAGUE = frozenset(("long", "thread", "commands", "new", "sets", "sha", "md5", "exceptions"))
# Names that say enough by themselves, and those that need a closer look.
_TELLING = (
    frozenset((*BUILTINS, *MODULES, *GONE_MODULES, *ITERTOOLS, *ITERTOOLS_RENAMED))
    | frozenset(f"{kind}{view}" for kind in ("iter", "view") for view in VIEWS)
    | frozenset(("has_key", "maxint", "getcwdu", "setdefaultencoding", "execfile", "urllib"))
    | frozenset(("urllib2", "__metaclass__", "__nonzero__"))
) - _VAGUE
# What says little, and what must stand in the text as well.
_CLOSER: dict[str, tuple[str, ...]] = {
    **{name: (f"import {name}", f"from {name} ") for name in _VAGUE},
    **{
        f"{name}(": tuple(f"{before}{name}(" for before in " (=[,\t\n")
        for name in (*GONE, "file", "intern", "reduce", "reload")
    },
    "long": ("long)", "long,", "long("),
    "string": ("import string",),
    "types": ("import types", "from types "),
    "print": ("print >>", "print>>", "print\n"),
    **{
        f"{view}()": (f"{view}()[", f"{view}().sort", "shuffle(", ".sort()", "() +")
        for view in VIEWS
    },
    "range(": ("= range(", "+ range(", ") + [", ") + range("),
    **{
        f"{name}(": (f"= {name}(", f"len({name}(", f"+ {name}(")
        for name in ("map", "filter", "zip")
    },
}
_WORD = re.compile(r"\w+")
VERSION_TEST = re.compile(r"version_info|\bPY[23]\b|hexversion|python_version|\bhasattr\b")
COMPAT_MODULES = ("six", "past", "future", "builtins")


@lru_cache(maxsize=16)  # a file is judged at two levels
def quick(text: str) -> bool:
    """Whether a text can hold anything of Python 2; asked before it is looked at closely."""
    words = set(_WORD.findall(text))
    if any(_tells(word, text) for word in _TELLING & words):
        return True
    return any(
        word.rstrip("()") in words and any(mark in text for mark in marks)
        for word, marks in _CLOSER.items()
    )


def _tells(word: str, text: str) -> bool:
    """Whether a telling word that stands there is a name that can be Python 2's.

    Modules are looked for where they are imported. A builtin that is imported from elsewhere
    (`from six.moves import xrange`) is not Python 2's.
    """
    if word in MODULES or word in GONE_MODULES or word in ("urllib", "urllib2"):
        return _imported(word, text)
    return word not in BUILTINS or not re.search(
        rf"^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\w+,[ \t]*)*{word}[ \t]*(?:$|[#,])",
        text,
        re.M,
    )


def _imported(module: str, text: str) -> bool:
    return (
        re.search(
            rf"\bfrom[ \t]+{module}[ \t]+import\b|"
            rf"(?:^|[;:])[ \t]*import[ \t](?:[^\n#;]|\\\n)*\b{module}\b(?![ \t]*\.)",
            text,
            re.M,
        )
        is not None
    )

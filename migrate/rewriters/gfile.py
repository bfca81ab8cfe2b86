"""TFM121 gfile: `tf.gfile.X` is `tf.io.gfile.x` in TF 2, with other names for some arguments.

The functions are the same ones: in TF 1.15.5 already `tf.gfile.Exists(filename)` did nothing but
call `tf.io.gfile.exists(path)`. Positional arguments keep their places; `oldpath=` and its like get
the new name. A function that is passed on as a value keeps its old arguments as
`tf.compat.v1.gfile.X`.

https://www.tensorflow.org/api_docs/python/tf/io/gfile
"""

from __future__ import annotations

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site

GFILE = Rule(
    "TFM121",
    "gfile",
    "tf.gfile, which TF 2 calls tf.io.gfile",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/io/gfile",
)

# 1.15's name -> TF 2's, and the arguments that are called otherwise.
FUNCTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "Copy": ("copy", {"oldpath": "src", "newpath": "dst"}),
    "DeleteRecursively": ("rmtree", {"dirname": "path"}),
    "Exists": ("exists", {"filename": "path"}),
    "FastGFile": ("GFile", {}),
    "GFile": ("GFile", {}),
    "Glob": ("glob", {"filename": "pattern"}),
    "IsDirectory": ("isdir", {"dirname": "path"}),
    "ListDirectory": ("listdir", {"dirname": "path"}),
    "MakeDirs": ("makedirs", {"dirname": "path"}),
    "MkDir": ("mkdir", {"dirname": "path"}),
    "Open": ("GFile", {}),
    "Remove": ("remove", {"filename": "path"}),
    "Rename": ("rename", {"oldname": "src", "newname": "dst"}),
    "Stat": ("stat", {"filename": "path"}),
    "Walk": ("walk", {"top": "top", "in_order": "topdown"}),
}


@GFILE.endpoint(*(f"tensorflow.gfile.{name}" for name in FUNCTIONS))
def gfile(site: Site) -> Result | None:
    """Write the new name and the new names of keyword arguments."""
    name, renamed = FUNCTIONS[site.endpoint.rpartition(".")[2]]
    target = f"tensorflow.io.gfile.{name}"
    if not renamed:  # a class: its methods are the same
        return site.renamed_result(GFILE, target)
    try:
        call = site.bind()
    except Unbound as reason:
        return _kept(site, str(reason))
    if call.hidden:
        return _kept(site, "`**` may hold arguments with other names in TF 2")
    for old, new in renamed.items():
        argument = call.get(old)
        if argument is not None and argument.keyword is not None and old != new:
            call.rename(old, new)
    result = site.renamed_result(GFILE, target)
    result.edits.extend(call.finish())
    return result


def _kept(site: Site, reason: str) -> Result | None:
    target = V1 + site.endpoint.removeprefix("tensorflow")
    return site.renamed_result(
        GFILE, target, f"{site.shown} {reason}: it keeps its TF 1 arguments in tf.compat.v1"
    )

"""TFM809 library-name: a name that scikit-learn, Pillow, PyYAML or pandas has lost.

TensorFlow 2.21 needs Python 3.10 and NumPy 2, and these need releases of other libraries that have
lost what programs of TF 1's time use: `sklearn.cross_validation` and `grid_search` are
`sklearn.model_selection` since 0.20, `sklearn.externals.joblib` is the package `joblib`, Pillow 10
calls the filter `Image.ANTIALIAS` by its other name `LANCZOS`, PyYAML 6 wants the loader that
`yaml.load(f)` took by itself, and pandas 1.0 has `to_numpy()` for `as_matrix()`.
`OneHotEncoder(sparse=)` and `TSNE(n_iter=)` have new names for these, and vectorizers give their
words by `get_feature_names_out()`. A text's size is asked for by `textbbox` and `getbbox` since
Pillow 10. What has other arguments now (`KFold`) or says two things (pandas' `.ix`) is reported.

https://scikit-learn.org/stable/whats_new/v0.20.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.calls import layout
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext, MethodSite, Site
from migrate.engine.trees import all_of, walk
from migrate.rewriters.moved_names import moved, places, reported

LIBRARY = Rule(
    "TFM809",
    "library-name",
    "a name that scikit-learn, Pillow, PyYAML or pandas has lost",
    module=__name__,
    doc=__doc__,
    url="https://scikit-learn.org/stable/whats_new/v0.20.html",
)
SELECTION = "sklearn.model_selection"
SPLITS = ("check_cv", "cross_val_predict", "cross_val_score", "permutation_test_score")
SEARCHES = ("GridSearchCV", "ParameterGrid", "ParameterSampler", "RandomizedSearchCV")
CURVES = ("learning_curve", "validation_curve")
MOVED = {
    **{f"sklearn.cross_validation.{n}": f"{SELECTION}.{n}" for n in (*SPLITS, "train_test_split")},
    **{f"sklearn.grid_search.{n}": f"{SELECTION}.{n}" for n in SEARCHES},
    **{
        f"sklearn.learning_curve.{n}_curve": f"{SELECTION}.{n}_curve"
        for n in ("learning", "validation")
    },
}
FOLDS = (
    *("KFold", "LabelKFold", "LeaveOneLabelOut", "LeaveOneOut", "LeavePLabelOut", "LeavePOut"),
    *("PredefinedSplit", "ShuffleSplit", "StratifiedKFold", "StratifiedShuffleSplit"),
)
REPORTED = {
    **{
        f"sklearn.cross_validation.{n}": f"{SELECTION}.{n}, which is given the data by split()"
        for n in FOLDS
    },
    "sklearn.datasets.fetch_mldata": "sklearn.datasets.fetch_openml",
    "sklearn.datasets.load_boston": "another data set",
    "sklearn.metrics.jaccard_similarity_score": "sklearn.metrics.jaccard_score or accuracy_score",
    "sklearn.preprocessing.Imputer": "sklearn.impute.SimpleImputer",
    "sklearn.utils.linear_assignment_.linear_assignment": "scipy.optimize.linear_sum_assignment",
}
#: Arguments that scikit-learn 1.4 and 1.7 know by their new names only.
ARGUMENTS = {
    "sklearn.preprocessing.OneHotEncoder": ("sparse", "sparse_output"),
    "sklearn.manifold.TSNE": ("n_iter", "max_iter"),
}
JOBLIB = "sklearn.externals.joblib"
FILTERS = {"ANTIALIAS": "LANCZOS", "CUBIC": "BICUBIC", "LINEAR": "BILINEAR"}
LOADERS = ("yaml.load", "yaml.load_all")
LIBRARY.root("sklearn", ["cross_validation", "grid_search", "learning_curve", "externals"])
LIBRARY.root("sklearn", ["_mldata", "load_boston", "jaccard_", "Imputer", "linear_assignment_"])
LIBRARY.root("sklearn", ["OneHotEncoder", "TSNE"])
LIBRARY.root("PIL", list(FILTERS))
LIBRARY.root("yaml", ["load"])


@LIBRARY.file
def scikit_learn(file: FileContext) -> Iterator[Result]:
    """Uses of what moved, and imports that nothing uses."""
    if "sklearn" not in file.text:
        return
    for place in places(file, "sklearn", lambda name: name in MOVED or name in REPORTED):
        if place.old in MOVED:
            yield moved(LIBRARY, file, place, MOVED[place.old])
        else:
            yield reported(LIBRARY, place, REPORTED[place.old])
    if "externals" in file.text:
        yield from _joblib(file)


def _joblib(file: FileContext) -> Iterator[Result]:
    """The package by its own name, at the import."""
    guarded = {id(n) for t in all_of(file.tree, ast.Try) for n in walk(t)}
    for node in all_of(file.tree, ast.ImportFrom):
        if node.level or id(node) in guarded:
            continue
        if node.module == JOBLIB:
            start = file.text.index(JOBLIB, file.index.span(node)[0])
            edit = Edit(start, start + len(JOBLIB), "joblib")
            yield LIBRARY.fixed(node, f"{JOBLIB} is gone", "joblib", [edit])
        elif node.module == "sklearn.externals" and any(a.name == "joblib" for a in node.names):
            if len(node.names) > 1:
                yield LIBRARY.report(node, f"{JOBLIB} is gone; instead: joblib", blocks=False)
                continue
            bound = node.names[0].asname
            text = "import joblib" + (f" as {bound}" if bound else "")
            edit = Edit(*file.index.span(node), text)
            yield LIBRARY.fixed(node, f"{JOBLIB} is gone", "joblib", [edit])


@LIBRARY.endpoint(*(f"PIL.Image.{name}" for name in FILTERS))
def pillow(site: Site) -> Result | None:
    """The filter's other name, which Pillow always had."""
    new = f"PIL.Image.{FILTERS[site.endpoint.rpartition('.')[2]]}"
    message = f"{site.endpoint} is gone from Pillow"
    if site.ref.guarded or site.ref.literal is not None or len(site.ref.bindings) != 1:
        return None
    if site.ref.binding.guard is not None:
        return None
    if site.ref.binding.target == site.endpoint:
        site.file.renamed[site.ref.binding] = new
        return site.result(LIBRARY, message, fix=new)
    node = site.node
    assert isinstance(node, ast.Attribute)
    end = site.file.index.span(node)[1]
    edit = Edit(end - len(node.attr), end, new.rpartition(".")[2])
    return site.result(LIBRARY, message, fix=new, edits=[edit])


@LIBRARY.endpoint(*LOADERS)
def loader(site: Site) -> Result | None:
    """The loader, which PyYAML 5.1 took where none was named."""
    call = site.call
    if (
        call is None
        or len(call.args) != 1
        or call.keywords
        or isinstance(call.args[0], ast.Starred)
    ):
        return None
    if site.ref.binding.target != "yaml" or site.ref.literal is not None:
        return site.result(
            LIBRARY, f"{site.endpoint} wants a loader; give it Loader=yaml.FullLoader"
        )
    end = layout(site.file.text, site.file.index, call).pieces[-1].end
    text = f"Loader={site.ref.root.id}.FullLoader"
    return site.result(
        LIBRARY,
        f"{site.endpoint} wants to be told its loader",
        fix=text,
        edits=[Edit(end, end, f", {text}")],
    )


@LIBRARY.endpoint(*ARGUMENTS)
def argument(site: Site) -> Result | None:
    """An argument's new name."""
    old, new = ARGUMENTS[site.endpoint]
    given = next((k for k in site.call.keywords if k.arg == old), None) if site.call else None
    if given is None:
        return None
    start = site.file.index.span(given)[0]
    message = f"{site.endpoint}: `{old}` is `{new}`"
    return site.result(LIBRARY, message, fix=f"{new}=", edits=[Edit(start, start + len(old), new)])


@LIBRARY.method("get_feature_names")
def feature_names(site: MethodSite) -> Result | None:
    """A vectorizer's words, which come as an array now."""
    node, call = site.use.node, site.use.call
    if call is None or call.args or call.keywords or "sklearn" not in site.file.text:
        return None
    if f"def {node.attr}" in site.file.text:
        return None
    end, close = site.file.index.span(node)[1], site.file.index.span(call)[1]
    edits = [Edit(end, end, "_out"), Edit(close, close, ".tolist()")]
    message = ".get_feature_names() is gone from scikit-learn"
    return LIBRARY.fixed(node, message, ".get_feature_names_out().tolist()", edits)


@LIBRARY.method("as_matrix")
def as_matrix(site: MethodSite) -> Result | None:
    """A frame's or a column's array."""
    node, call = site.use.node, site.use.call
    if call is None or call.args or call.keywords or "pandas" not in site.file.text:
        return None
    if f"def {node.attr}" in site.file.text:
        return None
    end = site.file.index.span(node)[1]
    edit = Edit(end - len(node.attr), end, "to_numpy")
    return LIBRARY.fixed(node, ".as_matrix() is gone from pandas", ".to_numpy()", [edit])


@LIBRARY.method("ix")
def ix(site: MethodSite) -> Result | None:
    """Rows by labels or by places: the frame said which."""
    if "pandas" not in site.file.text or ".ix[" not in site.file.text:
        return None
    message = ".ix is gone from pandas; instead: .loc by labels, .iloc by places"
    return LIBRARY.report(site.use.node, message, blocks=False)


@LIBRARY.method("textsize", "getsize")
def text_size(site: MethodSite) -> Result | None:
    """The right and the lower end of a text that begins at 0, which is what the size was."""
    node, call = site.use.node, site.use.call
    if call is None or not call.args or isinstance(call.args[0], ast.Starred):
        return None
    if "ImageFont" not in site.file.text or f"def {node.attr}" in site.file.text:
        return None
    index, owner = site.file.index, ast.unparse(node.value)
    end, close = index.span(node)[1], index.span(call)[1]
    edits = [Edit(close, close, "[2:]")]
    if node.attr == "textsize":
        at = index.span(call.args[0])[0]
        edits = [Edit(end - len(node.attr), end, "textbbox"), Edit(at, at, "(0, 0), "), *edits]
        return LIBRARY.fixed(node, ".textsize() is gone from Pillow", ".textbbox()[2:]", edits)
    if "font" not in owner.lower():
        return None  # `os.path.getsize`
    edits = [Edit(end - len(node.attr), end, "getbbox"), *edits]
    return LIBRARY.fixed(node, ".getsize() is gone from Pillow", ".getbbox()[2:]", edits)

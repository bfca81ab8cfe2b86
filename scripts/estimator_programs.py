"""Public Estimator programs, trained on synthetic data by TF 1.15.5 and by TF 2.21.

    python scripts/estimator_programs.py --root DIR [NAME ...] [--report FILE.md] [--work DIR]

The trees lie under --root (`corpus.py fetch` brings them), or under MIGRATE_CORPUS; nothing of
them is kept. The original is recorded on 1.15.5 (--tf1-python or MIGRATE_TF1_PYTHON), what
`migrate upgrade` makes of it runs on this Python, with the same random numbers, and the two are
compared as `migrate parity run` does: start values, first loss, gradients, one step, all losses
and metrics, variables and slots at the end, event files, exports, checkpoints both ways.
Downloads find their files already there: HOME is a folder of the run's own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from migrate.parity.environment import find_tf1, find_tf2  # noqa: E402
from migrate.parity.harness import Harness, Options, Program  # noqa: E402
from migrate.parity.isolation import Limits  # noqa: E402
from migrate.parity.report import text  # noqa: E402
from migrate.parity.verdict import Result  # noqa: E402

Random = np.random.RandomState


@dataclass(frozen=True)
class Case:
    """A program: where it is in which repository, its arguments, who writes its data."""

    repository: str
    tree: str  # what is copied and upgraded, the folder it works in
    entry: str  # a script or a module, seen from there
    args: str
    data: Callable[[Path, Random], None]
    what: str


# -- data ------------------------------------------------------------------------------------


def _lines(path: Path, rows: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def iris(folder: Path, random: Random) -> None:
    """Three classes around three centres; as Keras' downloads and as files to name."""
    centres = np.array([[5, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3, 5.5, 2]])

    def rows(count: int) -> list[str]:
        kinds = random.randint(0, 3, count)
        values = centres[kinds] + 0.4 * random.randn(count, 4)
        texts = [",".join(f"{v:.1f}" for v in row) for row in values]
        return [f"{text},{kind}" for text, kind in zip(texts, kinds, strict=True)]

    train, test = rows(120), rows(30)
    downloads = Path(os.environ["HOME"]) / ".keras" / "datasets"
    head = "{},4,setosa,versicolor,virginica"
    _lines(downloads / "iris_training.csv", [head.format(120), *train])
    _lines(downloads / "iris_test.csv", [head.format(30), *test])
    _lines(folder / "data" / "train.csv", train)
    _lines(folder / "data" / "test.csv", test)


def cars(folder: Path, random: Random) -> None:
    """Automobiles whose price depends on their weight, make and body."""
    bodies = ["hardtop", "wagon", "sedan", "hatchback", "convertible"]
    makes = ["audi", "bmw", "honda", "mazda", "volvo"]
    rows = []
    for _ in range(160):
        body, make = random.randint(5), random.randint(5)
        weight, mpg = random.randint(1500, 4000), random.randint(15, 50)
        price = 4 * weight - 50 * mpg + 900 * make + 400 * body + random.randint(-500, 500)
        rows.append(
            f"{random.randint(-2, 4)},{random.randint(65, 250)},{makes[make]},gas,std,four,"
            f"{bodies[body]},fwd,front,{random.uniform(87, 120):.1f},"
            f"{random.uniform(141, 208):.1f},"
            f"{random.uniform(60, 72):.1f},{random.uniform(48, 60):.1f},{weight},ohc,four,"
            f"{random.randint(61, 326)},mpfi,3.19,3.40,8.50,{random.randint(48, 288)},5500,"
            f"{max(mpg - 5, 13)},{mpg},{price}"
        )
    _lines(Path(os.environ["HOME"]) / ".keras" / "datasets" / "imports-85.data", rows)


CENSUS = {
    "workclass": ["Private", "State-gov", "Federal-gov", "Self-emp-inc", "?"],
    "education": ["Bachelors", "HS-grad", "11th", "Masters", "Some-college", "Doctorate"],
    "marital": ["Married-civ-spouse", "Divorced", "Never-married", "Widowed"],
    "occupation": ["Tech-support", "Craft-repair", "Sales", "Exec-managerial", "Other-service"],
    "relationship": ["Husband", "Wife", "Own-child", "Unmarried", "Not-in-family"],
    "race": ["White", "Black", "Asian-Pac-Islander", "Other"],
    "gender": ["Male", "Female"],
    "country": ["United-States", "Mexico", "Germany", "Canada"],
}


def _census(count: int, random: Random, space: str) -> list[str]:
    rows = []
    for _ in range(count):
        education = random.randint(6)
        age, hours = random.randint(17, 80), random.randint(10, 70)
        rich = age / 40 + education / 3 + hours / 40 + random.randn() > 3.6
        chosen = {k: space + v[random.randint(len(v))] for k, v in CENSUS.items()}
        chosen["education"] = space + CENSUS["education"][education]
        rows.append(
            f"{age},{chosen['workclass']},{random.randint(20000, 400000)},{chosen['education']},"
            f"{education + 7},{chosen['marital']},{chosen['occupation']},"
            f"{chosen['relationship']},{chosen['race']},{chosen['gender']},"
            f"{random.randint(0, 3) * 20},{random.randint(0, 2) * 15},{hours},"
            f"{chosen['country']},{space}{'>50K' if rich else '<=50K'}"
        )
    return rows


def census(folder: Path, random: Random) -> None:
    """People whose income depends on age, education and hours; with and without the blanks."""
    for name, count in (("adult.data", 400), ("adult.test", 120)):
        _lines(folder / "data" / name, _census(count, random, ""))
        _lines(folder / "data" / f"{name}.csv", _census(count, random, " "))


def official(folder: Path, random: Random) -> None:
    """Census data, and a stand-in for the one package that 1.15.5's Python may lack."""
    census(folder, random)
    stub = ["class exceptions:", "    RequestException = OSError", "", "", "def get(*_, **__):"]
    _lines(folder / "requests.py", [*stub, '    raise OSError("no network")'])


def _sentences(count: int, random: Random, words: list[str]) -> list[tuple[list[str], int]]:
    """Sentences of two kinds: each prefers another half of the words."""
    half = len(words) // 2
    found = []
    for _ in range(count):
        kind = int(random.randint(2))
        size = random.randint(6, 20)
        other = random.rand(size) < (0.8 if kind else 0.2)
        ids = random.randint(0, half, size) + half * other
        found.append(([words[i] for i in ids], kind))
    return found


def bert(folder: Path, random: Random) -> None:
    """A task of CoLA's form, a vocabulary and the configuration of a very small model."""
    words = [f"word{i}" for i in range(60)]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = [*special, "word", *(f"##{i}" for i in range(60))]
    data = folder / "data"
    for name, count in (("train", 48), ("dev", 24)):
        rows = [
            f"id{i}\t{kind}\t\t{' '.join(sentence)}"
            for i, (sentence, kind) in enumerate(_sentences(count, random, words))
        ]
        _lines(data / f"{name}.tsv", rows)
    tests = [f"{i}\t{' '.join(s)}" for i, (s, _) in enumerate(_sentences(16, random, words))]
    _lines(data / "test.tsv", ["index\tsentence", *tests])
    _lines(data / "vocab.txt", vocabulary)
    configuration = {
        "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "hidden_size": 32, "initializer_range": 0.02, "intermediate_size": 64,
        "max_position_embeddings": 64, "num_attention_heads": 2, "num_hidden_layers": 2,
        "type_vocab_size": 2, "vocab_size": len(vocabulary),
    }  # fmt: skip
    _lines(data / "bert_config.json", [json.dumps(configuration)])


# -- the programs ----------------------------------------------------------------------------

MODELS = "yhliang2018/models"
CLOUDML = "GoogleCloudPlatform/cloudml-samples"
CENSUS_ARGS = (
    "--train-files data/adult.data.csv --eval-files data/adult.test.csv --job-dir model "
    "--train-steps 20 --eval-steps 3"
)
CASES = {
    "premade-iris": Case(
        MODELS, "samples/core/get_started", "premade_estimator.py", "--train_steps 40", iris,
        "DNNClassifier, predictions",
    ),
    "custom-iris": Case(
        MODELS, "samples/core/get_started", "custom_estimator.py", "--train_steps 40", iris,
        "Estimator with a model_fn on input_layer",
    ),
    "linear-cars": Case(
        MODELS, "samples/cookbook/regression", "linear_regression_categorical.py",
        "--train_steps 40", cars, "LinearRegressor: vocabulary, hashed and numeric columns",
    ),
    "dnn-cars": Case(
        MODELS, "samples/cookbook/regression", "dnn_regression.py", "--train_steps 40", cars,
        "DNNRegressor: indicator and embedding columns",
    ),
    "custom-cars": Case(
        MODELS, "samples/cookbook/regression", "custom_regression.py", "--train_steps 40", cars,
        "Estimator with a model_fn and params",
    ),
    "wide-deep": Case(
        MODELS, "official", "official.wide_deep.wide_deep",
        "--data_dir data --model_dir model --train_epochs 2 --epochs_between_evals 1 "
        "--batch_size 20", official, "DNNLinearCombinedClassifier, crossed columns",
    ),
    "census": Case(
        CLOUDML, "census/estimator", "trainer.task", CENSUS_ARGS, census,
        "DNNLinearCombinedClassifier in train_and_evaluate, FinalExporter",
    ),
    "census-custom": Case(
        CLOUDML, "census/customestimator", "trainer.task", CENSUS_ARGS, census,
        "model_fn with export outputs, train_and_evaluate, FinalExporter",
    ),
    "iris": Case(
        CLOUDML, "iris/tensorflow/estimator", "trainer.task",
        "--train-files data/train.csv --eval-files data/test.csv --job-dir model "
        "--train-steps 40 --eval-steps 2", iris,
        "DNNClassifier with Adam, train_and_evaluate, FinalExporter",
    ),
    "bert": Case(
        "google-research/bert", "", "run_classifier.py",
        "--task_name cola --do_train --do_eval --do_predict --data_dir data "
        "--vocab_file data/vocab.txt --bert_config_file data/bert_config.json "
        "--max_seq_length 32 --train_batch_size 8 --num_train_epochs 2 --learning_rate 1e-3 "
        "--output_dir model", bert, "TPUEstimator on CPU: train, evaluate, predict",
    ),
}  # fmt: skip


# -- a run -----------------------------------------------------------------------------------


def _is_script(case: Case) -> bool:
    return case.entry.endswith(".py")


def prepare(root: Path, case: Case, name: str, work: Path) -> tuple[Path, Path]:
    """The original's folder with its data, and what the tool makes of that."""
    source = root / case.repository.replace("/", "__") / case.tree
    # A module whose package is the tree's own folder needs that folder to be named so.
    folder = Path(case.tree).name
    package = folder if case.entry.startswith(f"{folder}.") and not _is_script(case) else ""
    before, after = work / name / "before", work / name / "after"
    shutil.copytree(source, before / package, ignore=shutil.ignore_patterns(".git"))
    case.data(before, Random(len(name)))
    shutil.copytree(before, after)
    subprocess.run(
        [sys.executable, "-m", "migrate", "upgrade", "--no-cache", "--allow-no-vcs", str(after)],
        cwd=after, env={**os.environ, "PYTHONPATH": str(PROJECT)}, check=False,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return before, after


def program(folder: Path, case: Case) -> Program:
    """The program in one of its folders."""
    target = str(folder / case.entry) if _is_script(case) else case.entry
    return Program(target, tuple(case.args.split()), folder)


def compare(
    root: Path, name: str, work: Path, options: Options, tf1: str, tf2: str
) -> tuple[Result, int]:
    """Record on 1.15.5, verify on 2.21; also the number of training steps."""
    before, after = prepare(root, CASES[name], name, work)
    with Harness(options, tf1=tf1, tf2=tf2) as harness:
        golden = harness.record(program(before, CASES[name]))
        return harness.verify(golden, program(after, CASES[name]), name), golden.steps


def row(name: str, result: Result, steps: int) -> str:
    """A line of the table."""
    case = CASES[name]
    entry = case.entry if _is_script(case) else f"{case.entry.replace('.', '/')}.py"
    where = "/".join(filter(None, (case.tree, entry)))
    free = result.rung("free run")
    worst = f"{free.worst:.1e}" if free is not None and free.worst is not None else ""
    verdict = ": ".join(filter(None, (result.verdict, result.reason)))
    return f"| {case.repository}: `{where}` | {case.what} | {steps} | {worst} | {verdict} |"


HEAD = (
    "| program | what | steps | losses and metrics, largest relative difference | verdict |\n"
    "|---|---|---:|---:|---|\n"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    given = os.environ.get("MIGRATE_CORPUS")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CASES))
    parser.add_argument("--root", type=Path, default=given, required=not given)
    parser.add_argument("--report", type=Path, help="write the table there")
    parser.add_argument("--work", type=Path, help="keep the folders there")
    parser.add_argument("--tf1-python")
    parser.add_argument("--envelope", type=int, default=3, help="runs of 1-ulp changes")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in CASES]
    if unknown:
        parser.error(f"no program {', '.join(unknown)}; there are {', '.join(CASES)}")
    tf1, tf2 = find_tf1(chosen.tf1_python), find_tf2(None)
    if tf1 is None:
        parser.error("no Python with TensorFlow 1.15: --tf1-python or MIGRATE_TF1_PYTHON")
    options = Options(envelope_runs=chosen.envelope, witness=False, limits=Limits(600.0))
    rows, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="estimator-programs-") as temporary:
        work = chosen.work or Path(temporary)
        os.environ["HOME"] = str(work / "home")
        for name in chosen.names or CASES:
            shutil.rmtree(work / name, ignore_errors=True)
            began = time.monotonic()
            result, steps = compare(chosen.root, name, work, options, tf1.path, tf2.path)
            rows.append(row(name, result, steps))
            failed += result.exit_code != 0
            print(f"{rows[-1]} {time.monotonic() - began:.0f} s", flush=True)
            if result.exit_code:
                print(text([result]), flush=True)
    if chosen.report:
        chosen.report.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

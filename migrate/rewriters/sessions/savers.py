"""`tf.train.Saver` as `tf.train.Checkpoint`, and as `CheckpointManager` where it counts.

A checkpoint's files keep the names that they had: `CheckpointManager.save(checkpoint_number=…)` for
`global_step=…`, `Checkpoint.write` for a path alone. Variables are found by their place in the
program; `read` and `restore` also read TF 1's files, by the variables' names, except Keras layers',
whose names Keras 3 doesn't keep: `assert_existing_objects_matched` stops there.

https://www.tensorflow.org/guide/migrate/migrating_checkpoints
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing import collections
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.saving.early_saves import MADE, REASON
from migrate.programs.graph.saving.restored_averages import Restored
from migrate.programs.graph.saving.saved_graphs import SAVES
from migrate.programs.graph.saving.savers import NESTED, Save, Saver
from migrate.programs.graph.scoping.layers_reuse import STATELESS
from migrate.programs.graph.walk import Layer, Optimizer, T
from migrate.rewriters.sessions import early_saves, norms, shared_keys, tf1_names
from migrate.rewriters.sessions.tf1_slots import Written

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.state import Base

WIDTH = 100
KEPT = "5"  # checkpoints, where a Saver isn't told
LATEST = frozenset({T + "train.latest_checkpoint", T + "train.get_checkpoint_state"})
IMPORTS = ("import os",)
STABLE = re.compile(r"os\.path\.\w+|.*\.format|os\.getcwd|str")
PURE = re.compile(rf"{STABLE.pattern}|int|float|round|abs|len")
NAME = "Checkpoints"
# A Saver deletes the oldest of what it saved, whatever their names, and names the latest.
SOURCE = '''class Checkpoints:
    """Checkpoints under names of their own: the newest stay, and their folder knows them."""

    def __init__(self, checkpoint, max_to_keep={kept}):
        self.checkpoint, self.max_to_keep, self.paths = checkpoint, max_to_keep, []

    def write(self, path):
        self.checkpoint.write(path)
        self.paths = [p for p in self.paths if p != path] + [path]
        while self.max_to_keep and len(self.paths) > self.max_to_keep:
            for file in {tf}.io.gfile.glob(self.paths.pop(0) + ".*"):
                {tf}.io.gfile.remove(file)
        folder = os.path.dirname(path)
        names = [os.path.relpath(p, folder or ".") for p in self.paths]
        with {tf}.io.gfile.GFile(os.path.join(folder, "checkpoint"), "w") as file:
            file.write(f'model_checkpoint_path: "{{names[-1]}}"\\n')
            for name in names:
                file.write(f'all_model_checkpoint_paths: "{{name}}"\\n')
        return path
'''


class Savers:
    """Writes a module's Savers and what is done with them."""

    def __init__(self, module: Base) -> None:
        self.module = module
        self.hoisted: dict[int, bool] = {}
        self.written: list[tuple[Saver, Written]] = []
        self.keys: dict[str, str] = {}  # of checkpoints, by the variables' names in TF 1

    # -- the object ----------------------------------------------------------------------

    def made(self, saver: Saver, writer: Functions) -> str:
        """What stands for the call of ``tf.train.Saver``."""
        tf = self.module.tf
        parts = self._parts(saver, writer)
        checkpoint = f"{tf}.train.Checkpoint({', '.join(parts)})"
        text = self.module.text
        line = text.lines[saver.call.lineno - 1]
        before = line[: saver.call.col_offset]
        inner = text.newline + line[: len(line) - len(line.lstrip())] + text.unit
        if self._named(saver):
            source = SOURCE.format(tf=tf, kept=KEPT)
            self.module.need(NAME, source, IMPORTS)
            kept = saver.given.get("max_to_keep")
            tail = f", max_to_keep={text.source(kept)})" if kept is not None else ")"
            return self._fitted(before + f"{NAME}(", checkpoint, parts, inner, tail)[len(before) :]
        if not self._manager(saver):
            return self._fitted(before, checkpoint, parts, inner, "")[len(before) :]
        folder, name = self._split(next(iter(saver.saves.values())).path)
        head, rest = f"{tf}.train.CheckpointManager(", self._managed(saver, folder, name)
        if len(f"{before}{head}{checkpoint}, {rest}".replace(tf, self.module.root)) < WIDTH:
            return f"{head}{checkpoint}, {rest})"
        return f"{head}{inner}{checkpoint},{inner}{rest})"

    def _fitted(self, head: str, checkpoint: str, parts: list[str], inner: str, tail: str) -> str:
        """A checkpoint's call, broken where it is too long."""
        tf = self.module.tf
        if len(f"{head}{checkpoint}{tail}".replace(tf, self.module.root)) < WIDTH:
            return f"{head}{checkpoint}{tail}"
        rows = [""]
        for part in parts:
            if rows[-1] and len(inner) + len(rows[-1]) + len(part) > WIDTH - 4:
                rows.append("")
            rows[-1] += f"{' ' if rows[-1] else ''}{part},"
        return f"{head}{tf}.train.Checkpoint({inner}{inner.join(rows)[:-1]}){tail}"

    def _parts(self, saver: Saver, writer: Functions) -> list[str]:
        """The keywords of ``tf.train.Checkpoint``."""
        pairs = shared_keys.variables(self.keys, saver)
        pairs, told = shared_keys.averages(self.module, saver, pairs)
        written = Written(
            {k: source for k, source in pairs if not told or k != shared_keys.LISTED}, told=told
        )
        written.cells = {k: source for k, source in pairs if source in saver.held}
        if saver.collected is not None:
            key, node = saver.collected
            pairs.append((key, self.module.walker.rewrites[id(node)](writer)))
            written.others.append(key)
        for owner, call in saver.averages:
            key = "averages" if len(saver.averages) == 1 else owner
            pairs.append((key, self._averages(owner, call, writer)))
            written.averages[key] = self.module.walker.listed.get(id(call.args[0]), [])
        if saver.restored is not None:
            pairs += self._restored(saver, *saver.restored, written, writer)
        for name, what in self._layers(saver, writer).items():
            source = re.sub(r"\.(layers|variables|parts)$", "", name)
            key = saver.key(source)
            if source.rpartition(".")[0] in saver.several:
                pairs.append((key, name))
                written.objects.append(key)
                continue
            key = shared_keys.layer(self.keys, key, what, [k for k, _ in pairs])
            pairs.append((key, name))
            if isinstance(what, int):
                written.cells[key] = what
            else:
                written.layers[key] = what
        self._late(saver, writer)
        for name, source in self._others(saver, writer).items():
            key = name.rpartition(".")[2]
            pairs.append((key, source))
            written.others.append(key)
        for name, when in saver.chosen:
            key = name.rpartition(".")[2]
            pairs.append((key, f"[{name}] if {when} else []"))
            written.others.append(key)
        for source, optimizer in self._optimizers(saver, writer).items():
            key = saver.key(source)
            if key in [k for k, _ in pairs]:  # each of two objects has one
                key = source.removeprefix("self.").replace(".", "_")
            pairs.append((key, source))
            if source.rpartition(".")[0] in saver.several:
                written.objects.append(key)
                continue
            written.optimizers[key] = optimizer
        self.written.append((saver, written))
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            raise Blocked(saver.call, "two things to save have one name")
        if all(key.isidentifier() for key in keys):
            return [f"{key}={source}" for key, source in pairs]
        inner = ", ".join(f'"{key}": {source}' for key, source in pairs)
        return [f"**{{{inner}}}"]

    def parts(self, saver: Saver, writer: Functions) -> list[str]:
        """The keywords of a checkpoint that no Saver of the program's makes."""
        found = self._parts(saver, writer)
        self.written.pop()
        return found

    def keyed(self, saver: Saver) -> list[tuple[str, str]]:
        """What a checkpoint calls variables, and their sources."""
        return shared_keys.variables(dict(self.keys), saver)

    def _averages(self, owner: str, call: ast.Call, writer: Functions) -> str:
        """The moving averages of variables, in a list.

        Raises:
            Blocked: no run brings them up to date, so that they aren't made.
        """
        if not any(call in walk(step.node) for step in self.module.moving):
            raise Blocked(call, "a Saver would save moving averages that no run updates")
        (listed,) = call.args
        written = self.module.walker.rewrites.get(id(listed))
        source = written(writer) if written is not None else self.module.here(listed, writer)
        return f"[{owner}.average(v) for v in {source}]"

    def _restored(
        self, saver: Saver, found: Restored, node: ast.expr, written: Written, writer: Functions
    ) -> list[tuple[str, str]]:
        """Variables in the place of the averages that another program of these files saves.

        Raises:
            Blocked: none does, or not of these variables in this order.
        """
        walker = self.module.walker
        writers = [s for s in walker.savers if s.saves and s.averages]
        if not writers or any(len(s.averages) > 1 or not s.plain for s in writers):
            raise Blocked(node, "averages are restored, and what saves them isn't seen")
        mine = tf1_names.listed(self.module, saver, found.entries)
        for other in writers:
            saved = walker.listed.get(id(other.averages[0][1].args[0]), [])
            if not mine or mine != tf1_names.listed(self.module, other, saved):
                what = "averages are restored that aren't seen to be those that are saved"
                raise Blocked(node, what)
        rewritten = walker.rewrites.get(id(node))
        source = rewritten(writer) if rewritten is not None else self.module.here(node, writer)
        written.averages["averages"] = found.entries
        pairs = [("averages", source)]
        for entry in found.others:
            called = {
                next(
                    (k for k, s in o.variables if s in o.values and o.values[s].path == entry.path),
                    None,
                )
                for o in writers
            }
            key = called.pop()
            if key is None or called:
                raise Blocked(node, "averages are restored beside a variable that isn't saved")
            pairs.append((key, str(entry.ref)))
            if entry.value is not None:
                saver.values[str(entry.ref)] = entry.value
            written.variables[key] = str(entry.ref)
        return pairs

    def _whole(self, layer: Layer) -> bool:
        """Whether what a function made is a layer itself."""
        entered = self.module.walker.entered.get(id(layer.factory))
        return entered is not None and bool(entered.shaped)

    def _names(self, saver: Saver, layer: Layer, writer: Functions) -> list[str]:
        """What a Saver's function calls a layer; the layers of an object are its attributes."""
        key = id(layer.call)
        for region, functions in self.module.functions.items():
            owners = saver.owners.get(region)
            if owners is not None and functions is not writer and key in functions.layers:
                functions.certain(layer.call)
                return [f"{o}{name[4:]}" for o in owners for name in functions.layers[key]]
        found = writer.layers.get(key, [])
        for region, functions in self.module.functions.items():
            at = next((r for r in self.module.walker.regions if id(r) == region), None)
            if not found and at is not None and isinstance(at.node, ast.Module):
                found = functions.layers.get(key, [])  # a function sees the module's names
                functions.certain(layer.call)
        if not found and layer.same is None:
            raise Blocked(saver.call, "a layer that a Saver would save has no name there")
        return found

    def _others(self, saver: Saver, writer: Functions) -> dict[str, str]:
        """Lists of layers and of variables, and what stands for them."""
        named: dict[str, str] = {}
        for layer in saver.layers:
            writer.certain(layer.call)
            for name in self._listed(saver, layer, writer):
                named[name] = name
                if layer.factory is not None and not self._whole(layer):
                    one = name.rpartition(".")[2].removesuffix("s")
                    one = one if one.isidentifier() and not name.endswith(f".{one}") else "made"
                    named[name] = f"[{one}.{self._kind(layer)} for {one} in {name}]"
        for call in saver.looped:
            found = (f for f in self.module.functions.items() if id(call) in f[1].lists)
            region, of = next(found, (0, None))
            writer.certain(call)
            lists = of.lists[id(call)] if of is not None else [self.module.walker.looped[id(call)]]
            (owner,) = saver.owners.get(region, ["self"])
            own = (f"{owner}{n[4:]}" if n.startswith("self.") else n for n in lists)
            named.update((n, n) for n in own)
        return named

    def _kind(self, layer: Layer) -> str:
        """Where the function that a maker returns has what it made."""
        if id(layer.factory) in self.module.walker.kept.get(NESTED, ()):
            return "parts"
        if collections.bare(self.module.walker, layer.factory):
            return "variables"
        own = self.module.walker.entered[id(layer.factory)].owned
        bare = {o.layer is None and o.cell is None for o in own}
        return "parts" if len(bare) > 1 else "variables" if True in bare else "layers"

    def _late(self, saver: Saver, writer: Functions) -> None:
        """See that no save can come between a restore and the call that makes what is restored."""
        if saver.early is not None:
            self._unlisted(saver, writer)
            built = self.module.walker.kept.get(MADE, set())
            early_saves.check(saver, self._layers(saver, writer), built)

    def told(self, saver: Saver, writer: Functions) -> str:
        """The optimizers that are told what they train, for a save that comes early, in lines."""
        layers, optimizers = self._layers(saver, writer), self._optimizers(saver, writer)
        if not all(o.endpoint.endswith(early_saves.PLAIN) for o in optimizers.values()):
            self._unlisted(saver, writer)
        built = self.module.walker.kept.get(MADE, set())
        entered = self.module.walker.entered
        frozen = {
            source
            for source, layer in layers.items()
            if not isinstance(layer, int) and layer[0].factory is not None
            if any(not o.trained for o in entered[id(layer[0].factory)].owned)
        }
        lines = [
            early_saves.told(saver, layers, optimizers, built, frozen, name) for name in optimizers
        ]
        return "\n".join(line for line in lines if line)

    def _unlisted(self, saver: Saver, writer: Functions) -> None:
        """See that no lists of layers are in a checkpoint that may come early.

        Raises:
            Blocked: some are; whether they are made by then isn't seen.
        """
        if any(self._listed(saver, layer, writer) for layer in saver.layers):
            raise Blocked(saver.early or saver.call, REASON)

    def _listed(self, saver: Saver, layer: Layer, writer: Functions) -> list[str]:
        """The lists of layers that a loop's call fills, as the Saver's function calls them."""
        key = id(layer.call)
        for region, functions in self.module.functions.items():
            owners = saver.owners.get(region)
            if owners is not None and functions is not writer and key in functions.lists:
                functions.certain(layer.call)
                return [f"{o}{name[4:]}" for o in owners for name in functions.lists[key]]
        return writer.lists.get(key, [])

    def _layers(self, saver: Saver, writer: Functions) -> dict[str, tuple[Layer, bool] | int]:
        """Layers by the names of their objects (whether it is its normalization), and cells."""
        named: dict[str, tuple[Layer, bool] | int] = {}
        for layer in saver.layers:
            if self._listed(saver, layer, writer):
                continue
            if self._whole(layer):
                named.update((n, (layer, False)) for n in self._names(saver, layer, writer))
                continue
            if layer.factory is not None:
                for name in self._names(saver, layer, writer):
                    named.setdefault(f"{name}.{self._kind(layer)}", (layer, False))
                continue
            if not layer.endpoint.endswith(STATELESS):
                for place, name in enumerate(self._names(saver, layer, writer)):
                    named.setdefault(name, (layer, bool(place) or layer.endpoint in norms.TABLE))
        for call in saver.cells:
            if id(call) not in writer.cells:
                raise Blocked(saver.call, "a cell that no run needs is saved")
            named[writer.cells[id(call)]] = id(call)
        return named

    def _optimizers(self, saver: Saver, writer: Functions) -> dict[str, Optimizer]:
        """The optimizers that were there, by the names that they have now."""
        found: dict[str, Optimizer] = {}
        regions = self.module.walker.regions
        modules = {id(r) for r in regions if isinstance(r.node, ast.Module)}
        for trained in saver.trained:
            optimizer = trained.optimizer
            assert isinstance(optimizer, Optimizer)
            for region in self.module.functions:
                functions = self.module.functions[region]
                name = functions.optimizers.get(id(optimizer.call))
                if name is None:
                    continue
                if functions is not writer and region not in modules:
                    name = functions.kept_optimizers.get(id(optimizer.call), name)
                    owners = saver.owners.get(region)
                    if owners is None or not name.startswith("self."):
                        raise Blocked(saver.call, f"`{name}` isn't seen where the Saver is made")
                    found.update((f"{owner}{name[4:]}", optimizer) for owner in owners)
                    continue
                if functions is writer and id(optimizer.call) in functions.kept_optimizers:
                    name = functions.kept_optimizers[id(optimizer.call)]
                elif self.module.page_of(optimizer.call) is not self.module.page_of(saver.call):
                    raise Blocked(saver.call, f"`{name}` isn't seen where the Saver is made")
                found[name] = optimizer
        return found

    def _managed(self, saver: Saver, folder: str, name: str) -> str:
        """A manager's arguments after the checkpoint."""
        given = saver.given
        kept = given.get("max_to_keep")
        source = self.module.text.source(kept) if kept is not None else KEPT
        if isinstance(kept, ast.Constant) and kept.value == 0:
            source = "None"
        parts = [folder, f"max_to_keep={source}"]
        hours = given.get("keep_checkpoint_every_n_hours")
        if hours is not None:
            parts.append(f"keep_checkpoint_every_n_hours={self.module.text.source(hours)}")
        return ", ".join([*parts, f"checkpoint_name={name}"])

    # -- what is done with it ------------------------------------------------------------

    def save(self, saver: Saver, save: Save) -> str:
        """A call of ``save``."""
        text = self.module.text
        assert isinstance(save.call.func, ast.Attribute)
        owner = text.source(save.call.func.value)
        if save.number is None:
            return f"{owner}.write({self.module.here(save.path)})"
        number = self.module.here(save.number)
        if self._named(saver):
            number = f"int({number})" if save.counter else number
            return f'{owner}.write("%s-%d" % ({self.module.here(save.path)}, {number}))'
        if self._manager(saver):
            return f"{owner}.save(checkpoint_number={number})"
        folder, name = self._split(save.path)
        managed = self._managed(saver, folder, name)
        head = f"{self.module.tf}.train.CheckpointManager("
        tail = f".save(checkpoint_number={number})"
        line = text.lines[save.call.lineno - 1]
        whole = f"{line[: save.call.col_offset]}{head}{owner}, {managed}){tail}"
        if len(whole.replace(self.module.tf, self.module.root)) < WIDTH:
            return f"{head}{owner}, {managed}){tail}"
        outer = text.newline + line[: len(line) - len(line.lstrip())]
        return f"{head}{outer}{text.unit}{owner}, {managed}{outer}){tail}"

    def restore(self, saver: Saver, node: ast.Call, path: ast.expr) -> str:
        """A call of ``restore``."""
        assert isinstance(node.func, ast.Attribute)
        owner = self.module.text.source(node.func.value)
        if self._manager(saver) or self._named(saver):
            owner += ".checkpoint"
        source = self.module.here(path)
        managed = any(s.number is not None for s in saver.saves.values())
        method = "restore" if managed and not self._named(saver) else "read"
        # TF 1 is silent on slots that a program which only evaluates has no use for, and on all
        # that another program may have saved.
        silent = ".expect_partial()" if saver.trained or not saver.saves else ""
        return f"{owner}.{method}({source}).assert_existing_objects_matched(){silent}"

    def checkpoint(self, call: ast.Call) -> str:
        """The checkpoint of the Saver whose method a call is."""
        assert isinstance(call.func, ast.Attribute)
        owner = self.module.text.source(call.func.value)
        saver = self.module.walker.kept[SAVES, id(call)]
        managed = self._manager(saver) or self._named(saver)
        return f"{owner}.checkpoint" if managed else owner

    def _latest(self) -> bool:
        """Whether the program asks a folder for its latest checkpoint."""
        return any(name in LATEST for name in self.module.walker.endpoints.values())

    def _named(self, saver: Saver) -> bool:
        """Whether a saver's files have names that no manager gives, and are counted."""
        saves = [s for s in saver.saves.values() if s.state]
        bare = [s for s in saves if s.number is None]
        if bare and (self._latest() or len(saves) > 1):
            return True
        if any(not self._stable(s.path, saver.visible) for s in bare):
            return True
        several = len(self.module.walker.kept.get("savers", [])) > 1
        return bool(saves) and not bare and several and not self._manager(saver)

    def _manager(self, saver: Saver) -> bool:
        """Whether one manager, made where the Saver was, does all that is saved."""
        known = self.hoisted.get(id(saver))
        if known is None:
            saves = list(saver.saves.values())
            known = (
                bool(saves)
                and all(s.number is not None for s in saves)
                and len({ast.dump(s.path) for s in saves}) == 1
                and self._stable(saves[0].path, saver.visible)
                and not any(isinstance(n, ast.Name) and n.id == "self" for n in walk(saves[0].path))
            )
            self.hoisted[id(saver)] = known
        return known

    # -- paths ---------------------------------------------------------------------------

    def _stable(self, path: ast.expr, visible: frozenset[str]) -> bool:
        """Whether a path is one and the same whenever it is asked for, after a Saver was made."""
        for node in walk(path):
            if isinstance(node, ast.Call) and not STABLE.fullmatch(ast.unparse(node.func)):
                return False
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if node.id in ("str", "os"):
                    continue
                if node.id == "self":
                    continue
                if node.id not in visible or not self._once(node.id, visible):
                    return False
        return True

    def _once(self, name: str, visible: frozenset[str]) -> bool:
        """Whether a name is bound once, by the module or a function, outside of loops."""
        tree = self.module.document.tree
        if any(isinstance(n, ast.arg) and n.arg == name for n in walk(tree)):
            return False
        stores = [
            n for n in all_of(tree, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)
        ]
        looped = [
            n for loop in walk(tree) if isinstance(loop, (ast.For, ast.While)) for n in walk(loop)
        ]
        return len(stores) <= 1 and not any(s in looped for s in stores)

    def _split(self, path: ast.expr) -> tuple[str, str]:
        """A path's folder and its last part, as source."""
        text = self.module.text
        if isinstance(path, ast.Constant) and isinstance(path.value, str):
            folder, slash, name = path.value.rpartition("/")
            quote = text.source(path)[-1]
            where = folder or slash or "."
            return f"{quote}{where}{quote}", f"{quote}{name}{quote}"
        if isinstance(path, ast.Call) and ast.unparse(path.func) == "os.path.join" and path.args:
            *rest, last = path.args
            if rest and _file(last) and not any(isinstance(a, ast.Starred) for a in rest):
                sources = [self.module.here(a) for a in rest]
                func = text.source(path.func)
                folder = sources[0] if len(rest) == 1 else f"{func}({', '.join(sources)})"
                return folder, text.source(last)
        if (
            isinstance(path, ast.BinOp)
            and isinstance(path.op, ast.Add)
            and isinstance(path.right, ast.Constant)
            and isinstance(path.right.value, str)
            and "/" in path.right.value
        ):
            quote = text.source(path.right)[-1]
            folder, _, name = path.right.value.rpartition("/")
            left = self.module.here(path.left)
            where = f"{left} + {quote}{folder}{quote}" if folder else left
            return where, f"{quote}{name}{quote}"
        if any(isinstance(n, ast.Call) and not _pure(n) for n in walk(path)):
            raise Blocked(path, "a checkpoint's path that is computed where it is saved")
        self.module.imported("os")
        source = self.module.here(path)
        return f"os.path.dirname({source})", f"os.path.basename({source})"


def _pure(call: ast.Call) -> bool:
    """Whether a call gives the same when it is made twice, one behind the other."""
    return bool(PURE.fullmatch(ast.unparse(call.func)))


def _file(node: ast.expr) -> bool:
    """Whether an expression names a file, without folders: ``self.name + ".ckpt"``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _file(node.left) and _file(node.right)
    if isinstance(node, ast.Constant):
        return "/" not in str(node.value)
    return isinstance(node, (ast.Name, ast.Attribute))

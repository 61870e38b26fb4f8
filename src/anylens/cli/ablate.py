"""`anylens ablate`: what single choices are worth, in one table each."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from anylens.errors import FormatError

AREAS = (126 * 126, 154 * 154, 224 * 224, 320 * 320)
NAMES = ("ransac", "steps", "field-resolution", "network-resolution", "loss", "decoder", "recipe")


@dataclass
class Ablate:
    """Vary one choice at a time and score each variant on a data set (as `anylens evaluate` opens it).

    ransac, steps and field-resolution vary the fit of one model to the network's fields; network-resolution the size of
    its picture; loss, decoder and recipe train a network per variant first.

    1. `anylens ablate photos/ --what ransac,steps --model kb:4`
    2. `anylens ablate photos/ --what ransac --noise 1` fits true fields with 1° of smooth errors: no network needed.
    3. `anylens ablate photos/ --what loss,recipe --out runs --train steps=2000 --train data=panoramas/`
    4. `anylens ablate photos/ --config ablations.json` takes these settings from a file.
    """

    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """The data set."""
    what: Annotated[str, tyro.conf.arg(metavar="A,B,…")] = "ransac,steps,field-resolution"
    """ransac, steps, field-resolution, network-resolution, loss, decoder, recipe."""
    config: Annotated[Path | None, tyro.conf.arg(metavar="JSON")] = None
    """Settings of this command by name; `train` holds those of the training runs."""
    model: Annotated[str, tyro.conf.arg(metavar="MODEL")] = "kb:4"
    """Camera model that is fitted."""
    centred: bool = False
    """Hold the principal point in the middle."""
    noise: float | None = None
    """Instead of a network: true fields with smooth errors of this many degrees."""
    weights: Annotated[str | None, tyro.conf.arg(metavar="ONNX")] = None
    """Another network than the bundled one."""
    train: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="NAME=VALUE")] = ()
    """Settings of all training runs, as in `anylens train`."""
    preset: str = "laptop"
    """Recipe that the training runs start from."""
    out: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("ablations")
    """Where training runs go; finished ones are not repeated."""
    json: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write all figures."""
    layout: str | None = None
    """Layout of the folder where it is not recognised."""
    limit: int | None = None
    """This many photos, drawn at random from the seed."""
    grid: str = "40"
    """Points at which AE and RE are measured: full, or cells per side."""
    seed: int = 0
    """Of everything random."""

    def run(self) -> int:
        from anylens.evaluation.report import rows_to_data
        from anylens.evaluation.sets import open_set
        from anylens.evaluation.tables import to_text

        command = self._configured()
        names = [name.strip() for name in command.what.split(",") if name.strip()]
        unknown = [name for name in names if name not in NAMES]
        if unknown or not names:
            raise FormatError(f"No ablation '{', '.join(unknown)}'. There are {', '.join(NAMES)}.")
        data = open_set(command.folder, command.layout, limit=command.limit, seed=command.seed)
        for problem in data.problems:
            print(f"unused   {problem.file}: {problem.reason}", file=sys.stderr)
        if not data.samples:
            return 3
        rows = {name: command._one(name, data.samples) for name in names}
        print(to_text(rows))
        if command.json is not None:
            command.json.write_text(json_module.dumps(rows_to_data(rows)) + "\n", encoding="utf-8")
        return 0 if any(s.count > s.failed for found in rows.values() for s in found.values()) else 3

    def _configured(self) -> Ablate:
        """With the settings of the configuration file."""
        if self.config is None:
            return self
        try:
            given = json_module.loads(self.config.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FormatError(f"{self.config}: {error}.") from None
        unknown = sorted(set(given) - {f.name for f in fields(self)})
        if unknown:
            raise FormatError(f"{self.config}: unknown settings {', '.join(unknown)}.")
        train = tuple(f"{k}={json_module.dumps(v)}" for k, v in given.pop("train", {}).items())
        paths = {k: Path(v) for k, v in given.items() if k in ("out", "json", "folder")}
        what = {"what": ",".join(given["what"])} if isinstance(given.get("what"), list) else {}
        return replace(self, **{**given, **paths, **what}, train=(*self.train, *train), config=None)

    def _one(self, name: str, samples: Any) -> dict[str, Any]:
        """Figures of every variant of one ablation."""
        import numpy as np

        from anylens.evaluation.ablations.fits import FITS, FitVariant, run_fits, with_model
        from anylens.evaluation.figures import summarise
        from anylens.evaluation.grids import parse_grid

        found: dict[str, Any] = {}
        if name in FITS:
            variants = with_model(FITS[name], self.model, self.centred)
            scores, ms = run_fits(variants, self._fields(samples, self.weights), parse_grid(self.grid))
            found = {f"{key} ({ms.get(key, 0):.0f} ms)": value for key, value in scores.items()}
        else:
            for title, weights, area in self._networks(name):
                one = with_model([FitVariant(title)], self.model, self.centred)
                found |= run_fits(one, self._fields(samples, weights, area), parse_grid(self.grid))[0]
        return {key: summarise(value, np.random.default_rng(self.seed)) for key, value in found.items() if value}

    def _fields(self, samples: Any, weights: str | None, area: int | None = None) -> Any:
        from anylens.evaluation.ablations.fields import noisy_fields, seen_fields

        if self.noise is not None:
            return noisy_fields(samples, self.noise, self.seed)
        return seen_fields(samples, weights, area)

    def _networks(self, name: str) -> Iterator[tuple[str, str | None, int | None]]:
        """Title, weights and picture area of every variant; trained first where that is what varies."""
        if self.noise is not None:
            raise FormatError(f"--noise replaces the network, which '{name}' is about.")
        if name == "network-resolution":
            yield from ((f"{round(area**0.5)}² pixels", self.weights, area) for area in AREAS)
            return
        from anylens.evaluation.ablations.trainings import TRAININGS, make_config, train_variant

        common = dict(_setting(text) for text in self.train)
        for title, changes in TRAININGS[name].items():
            folder = self.out / name / title.replace(" ", "_").replace(",", "")
            trained = train_variant(make_config(self.preset, common, changes), folder, _export)
            yield title, str(trained), None


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE; a value that is no JSON is text."""
    key, equals, value = text.partition("=")
    if not equals:
        raise FormatError(f"--train takes NAME=VALUE, not '{text}'.")
    try:
        return key, json_module.loads(value)
    except ValueError:
        return key, value


def _export(weights: Path, target: Path) -> None:
    from contextlib import redirect_stdout

    from anylens.cli.export_onnx import ExportOnnx

    with redirect_stdout(sys.stderr):  # standard output is for the table
        ExportOnnx(weights, target).run()

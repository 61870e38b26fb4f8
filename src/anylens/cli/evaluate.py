"""`anylens evaluate`: how right calibrations are, on anyone's data, for any method."""

from __future__ import annotations

import json as json_module
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

SHOWN_FAILURES = 5
METHODS = ("anylens", "anylens:no-edges", "anylens:network", "constant", "colmap", "vanishing-points")


@dataclass
class Evaluate:
    """Score calibrations against known cameras: AE, RE, fields of view, recall areas, with 95 % intervals.

    FOLDER has a manifest.jsonl (file, width, height, model, params, group, camera), shards of `anylens render`, a
    COLMAP reconstruction, or the layout of a published set.

    1. `anylens evaluate photos/ --json results.json` compares anylens with the baselines.
    2. `anylens evaluate photos/ --methods anylens,anylens:network,mine=predictions.csv`
    3. `anylens evaluate op_g/ --split test --grid 64` on rendered views of held-out places.
    4. `anylens evaluate photos/ --pool perspective+exif --shared --stability` adds shared cameras and stability.
    5. `anylens evaluate MegaDepth/ --preset megadepth-distorted` uses the paper's setting.

    Exit code: 0 every row was scored or named, 2 wrong usage, 3 nothing was scored.
    """

    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """The data set."""
    methods: Annotated[str, tyro.conf.arg(metavar="A,B,…")] = ",".join(METHODS)
    """anylens[:WORD+WORD], constant, constant-diagonal, colmap, exif, vanishing-points, NAME=FILE of predictions.
    Words: network, no-edges, no-prior, exif, edited, refine, mirror, model=ID, prior=NAME, weights=FILE."""
    json: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write every figure and every image's errors; goes on where an interrupted run stopped."""
    markdown: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write the tables as Markdown."""
    csv: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write every figure as CSV."""
    plots: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Draw error against FoV, cumulative errors and reliability (needs matplotlib)."""
    page: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write a page of qualitative results (HTML; needs matplotlib)."""
    page_photos: int = 12
    """Photos on that page."""
    layout: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Layout of the folder where it is not recognised."""
    preset: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """A setting of the paper: layout, model, number of images, editing."""
    split: str | None = None
    """Only this part (train, val, test), by source or place."""
    group: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="NAME")] = ()
    """Only these groups."""
    pool: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="A+B")] = ()
    """One more row for several groups together."""
    limit: int | None = None
    """This many photos, drawn at random from the seed."""
    edited: Literal["no", "crop", "stretch", "both"] = "no"
    """Crop and stretch every photo at random first; anylens then estimates centre and aspect too."""
    model: Annotated[str, tyro.conf.arg(metavar="MODEL")] = "auto"
    """Camera model of anylens."""
    prior: Annotated[str, tyro.conf.arg(metavar="NAME")] = "photo"
    """Population prior of anylens: photo, phone, wide, none."""
    edges: Literal["on", "off"] = "on"
    """Straight edges take part in anylens."""
    exif: Literal["prior", "check", "ignore"] = "ignore"
    """What anylens does with EXIF tags."""
    weights: Annotated[str | None, tyro.conf.arg(metavar="ONNX")] = None
    """Another network than the bundled one."""
    shared: bool = False
    """Also calibrate the photos of each camera with at least four of them together."""
    stability: bool = False
    """Also shrink, blur, sharpen and compress every photo and measure how far hFoV moves."""
    crops: bool = False
    """Also calibrate the middle of every photo and measure how far the focal length follows."""
    grid: str = "full"
    """Points at which AE and RE are measured: full (every pixel), or cells per side, such as 64."""
    draws: int = 1000
    """Bootstrap draws behind the intervals."""
    seed: int = 0
    """Of everything random."""
    jobs: int = 1
    """Processes."""

    def run(self) -> int:
        from anylens.evaluation.command import evaluate_folder, settings_of

        found, notices = evaluate_folder(self)
        for text in notices:
            print(f"notice   {text}", file=sys.stderr)
        for problem in found.data.problems:
            print(f"unused   {problem.file}: {problem.reason}", file=sys.stderr)
        _name_failures(found)
        if not found.photos:
            print(f"anylens: nothing could be scored in {self.folder}.", file=sys.stderr)
            return 3
        self._show(found)
        self._write(found, settings_of(self))
        good = any(not e.error for estimates in found.estimates.values() for e in estimates.values())
        return 0 if good else 3

    def _show(self, found: Any) -> None:
        from anylens.evaluation.tables import NOTE, to_text

        print(f"{found.data.name}: {len(found.data.samples)} photos, {len(found.data.problems)} unused\n")
        print(to_text(found.photos))
        if found.cameras:
            print("\nOver cameras (mean error of each camera's photos)\n")
            print(to_text(found.cameras, "cameras"))
        for title, block in found.extra.get("tables", {}).items():
            print(f"\n{title}\n\n{block}")
        print(f"\n{NOTE}")

    def _write(self, found: Any, settings: dict[str, Any]) -> None:
        from anylens.evaluation.report import to_data
        from anylens.evaluation.tables import to_csv, to_markdown

        if self.markdown is not None:
            cameras = f"\n\nOver cameras:\n\n{to_markdown(found.cameras, 'cameras')}" if found.cameras else ""
            _save(self.markdown, f"{to_markdown(found.photos)}{cameras}\n")
        if self.csv is not None:
            body = to_csv(found.cameras, "cameras").partition("\n")[2] if found.cameras else ""
            _save(self.csv, to_csv(found.photos) + body)
        if self.json is not None:
            _save(self.json, json_module.dumps(to_data(found, settings), ensure_ascii=False, allow_nan=False) + "\n")
            self.json.with_name(self.json.name + ".part.jsonl").unlink(missing_ok=True)


def _name_failures(found: Any) -> None:
    """Failed estimates on standard error, a few of each method; all of them are in the JSON."""
    for name, estimates in found.estimates.items():
        failed = [e for e in estimates.values() if e.error]
        for one in failed[:SHOWN_FAILURES]:
            print(f"failed   {name}: {one.file}: {one.error}", file=sys.stderr)
        if len(failed) > SHOWN_FAILURES:
            print(f"failed   {name}: … and {len(failed) - SHOWN_FAILURES} more", file=sys.stderr)


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

"""The steps behind `anylens evaluate`: open the set, make the methods, estimate, score, sum up."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from anylens.calibration.options import Options
from anylens.errors import WeightsError
from anylens.evaluation.grids import parse_grid
from anylens.evaluation.journal import EstimateJournal
from anylens.evaluation.methods import make_methods
from anylens.evaluation.methods.product import Configuration
from anylens.evaluation.presets import find_preset
from anylens.evaluation.run import Evaluation, estimate, score_all, summaries
from anylens.evaluation.sample import DataSet
from anylens.evaluation.sets import open_set
from anylens.evaluation.sets.editing import edit
from anylens.evaluation.work import Plan

SHOWN = 5  # names in one notice; the JSON has all
OUTPUTS = ("json", "markdown", "csv", "plots", "page", "page_photos", "jobs")


def settings_of(command: Any) -> dict[str, Any]:
    """What the figures depend on."""
    found = {f.name: getattr(command, f.name) for f in fields(command) if f.name not in OUTPUTS}
    return {name: str(value) if isinstance(value, Path) else value for name, value in found.items()}


def evaluate_folder(command: Any) -> tuple[Evaluation, list[str]]:
    """The evaluation that a command describes, and notices of what was skipped. Raises AnylensError for wrong usage."""
    grid = parse_grid(command.grid)
    data, model, edited = _open(command)
    base = Configuration(
        options=Options(model, {}, command.prior, command.exif, edited != "no", command.edges == "on"),
        weights=command.weights,
    )
    names = [name.strip() for name in command.methods.split(",") if name.strip()]
    configurations, others, notices = make_methods(names, base, command.seed)
    for one in configurations:
        if one.weights is not None and not Path(one.weights).is_file():
            raise WeightsError(f"{one.name}: there are no weights '{one.weights}'. Give an ONNX file.")
    notices += _notes(data)
    if not data.samples:
        return Evaluation(data, {}, {}), notices
    single = tuple(m for m in others if not m.whole)
    plan = Plan(tuple(configurations), single, threads=1 if command.jobs > 1 else 0)
    estimates = _estimate(data, plan, [m for m in others if m.whole], command)
    order = [name for name in _names(names) if name in estimates]
    estimates = {name: estimates[name] for name in order}
    scores = score_all(data.samples, estimates, grid, command.jobs)
    photos, cameras = summaries(data.samples, scores, command.pool, seed=command.seed, draws=command.draws)
    extra = _experiments(data, plan, scores, grid, command) if configurations else {}
    found = Evaluation(data, estimates, scores, photos, cameras, extra)
    return found, notices + _draw(found, plan, command)


def _open(command: Any) -> tuple[DataSet, str, str]:
    """The set, the model to fit and how photos are edited, from a preset where one is named."""
    chosen = find_preset(command.preset) if command.preset else None
    layout = command.layout or (chosen.layout if chosen else None)
    data = open_set(
        command.folder, layout, split=command.split, groups=command.group or (chosen.groups if chosen else ()),
        limit=command.limit or (chosen.limit if chosen else None), cameras=chosen.last_cameras if chosen else None,
        seed=command.seed,
    )  # fmt: skip
    edited = command.edited if command.edited != "no" or chosen is None else chosen.edited
    if edited != "no":
        data = replace(data, samples=tuple(edit(data.samples, edited, command.seed)))
    model = chosen.model if chosen is not None and command.model == "auto" else command.model
    return data, model, edited


def _notes(data: DataSet) -> list[str]:
    """What is unusual about photos, by reason: all names where they are few, else how many and the first."""
    reasons: dict[str, list[str]] = {}
    for sample in data.samples:
        if sample.note:
            reasons.setdefault(sample.note, []).append(sample.file)
    return [
        f"{', '.join(files[:SHOWN])}{f' and {len(files) - SHOWN} more' if len(files) > SHOWN else ''}: {reason}"
        for reason, files in reasons.items()
    ]


def _estimate(data: DataSet, plan: Plan, whole: list[Any], command: Any) -> dict[str, Any]:
    from tqdm import tqdm

    settings = {
        k: v
        for k, v in settings_of(command).items()
        if k not in ("grid", "draws", "pool", "shared", "stability", "crops")
    }
    journal = EstimateJournal(command.json, settings)
    with tqdm(total=len(data.samples), unit="photo", disable=not sys.stderr.isatty()) as bar:
        return estimate(data.samples, plan, whole, jobs=command.jobs, journal=journal, tick=bar.update)


def _experiments(data: DataSet, plan: Plan, scores: dict[str, Any], grid: str | int, command: Any) -> dict[str, Any]:
    """Shared cameras, stability, crops, where asked for: figures under their names, and texts under `tables`."""
    from anylens.evaluation import experiments
    from anylens.evaluation.report import rows_to_data
    from anylens.evaluation.tables import to_text

    extra: dict[str, Any] = {"tables": {}}
    looking = replace(plan, others=())
    often = {"jobs": command.jobs, "seed": command.seed, "draws": command.draws}
    if command.shared:
        rows = experiments.run_shared(data.samples, looking, scores, grid=grid, **often)
        extra["shared"] = rows_to_data(rows)
        extra["tables"][experiments.shared_title()] = to_text(rows) if rows else "no camera has as many"
    if command.stability:
        shifts = experiments.run_stability(data.samples, looking, command.pool, **often)
        extra["stability"] = shifts
        extra["tables"]["Stability"] = experiments.stability_table(shifts)
    if command.crops:
        responses = experiments.run_crops(data.samples, looking, command.pool, **often)
        extra["crops"] = responses
        extra["tables"]["Crops"] = experiments.crops_table(responses)
    return extra


def _draw(found: Evaluation, plan: Plan, command: Any) -> list[str]:
    """Plots and page where asked for; a notice where matplotlib is missing or there is nothing to show."""
    if command.plots is None and command.page is None:
        return []
    try:
        if command.plots is not None:
            from anylens.evaluation.plots import write_plots

            write_plots(found, command.plots)
        if command.page is not None and plan.configurations:
            from anylens.evaluation.page import write_page

            samples = spread_out(found.data.samples, command.page_photos)
            write_page(command.page, samples, plan, found.data.name)
    except ImportError:
        return ["plots and page are skipped: they need matplotlib, pip install anylens[plot]."]
    return []


def spread_out(items: Sequence[Any], count: int) -> list[Any]:
    """`count` of the items at even distances, first and last included."""
    if len(items) <= count:
        return list(items)
    return [items[round(i * (len(items) - 1) / max(1, count - 1))] for i in range(count)]


def _names(names: list[str]) -> list[str]:
    """Names as methods call themselves: NAME=FILE is NAME."""
    return [n if n.startswith("anylens") else n.partition("=")[0] or Path(n[1:]).stem for n in names]

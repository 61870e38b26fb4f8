"""From items to rows: one by one, by groups, or frame by frame, on this machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Literal

from anylens.batches.groups import Shared, group_items
from anylens.batches.inputs import Item
from anylens.batches.pool import map_items
from anylens.batches.rows import failed_row, row_of
from anylens.batches.worker import Job, plot_path
from anylens.calibration.group import conclude_shared
from anylens.calibration.observation import Observation
from anylens.errors import AnylensError

Engine = Literal["local", "ray"]
Mapper = Callable[[Job, str, list[Item], int], Iterator[Any]]
ALONE = "alone: no other photo of its camera was given, so nothing was shared"
SMALL = 6  # photos up to which no further processes are started: starting them takes longer


def run(
    job: Job,
    items: list[Item],
    *,
    done: Callable[[str], bool] = lambda file: False,
    shared: Shared | None = None,
    processes: int = 0,
    engine: Engine = "local",
) -> Iterator[dict[str, Any]]:
    """Rows of the photos that are not `done`, in the order of items (of groups, when shared)."""
    mapper = _mapper(engine)
    if shared is None:
        left = [item for item in items if not done(item.file)]
        yield from mapper(job, "calibrate", left, choose_processes(processes, len(left)))
        return
    groups = [(name, members) for name, members in group_items(items, shared) if not all(done(m.file) for m in members)]
    # One stream of observations over all groups keeps the processes busy across small groups.
    stream = [member for _, members in groups for member in members]
    seen = mapper(job, "observe", stream, choose_processes(processes, len(stream)))
    for name, members in groups:
        rows = conclude_group(job, name, members, [next(seen) for _ in members])
        yield from (row for row in rows if not done(row["file"]))


def choose_processes(asked: int, count: int) -> int:
    """As many as asked for; else one per processor, and one where there is little to do."""
    return asked or (1 if count <= SMALL else min(os.cpu_count() or 1, count))


def conclude_group(job: Job, name: str, members: list[Item], seen: list[Any]) -> list[dict[str, Any]]:
    """One row per photo, all with the group's camera; photos that could not be read keep their failed rows."""
    good = [one for one in seen if isinstance(one, Observation)]
    rows: dict[str, dict[str, Any]] = {one["file"]: one for one in seen if isinstance(one, dict)}
    try:
        for item, result in zip(
            [m for m in members if m.file not in rows], conclude_shared(good, job.options) if good else []
        ):
            if job.plots:
                result.plot(item.path, plot_path(job.plots, item.file))
            row = {**row_of(result), "group": name}
            rows[item.file] = row if len(good) > 1 else {**row, "warnings": [ALONE, *row["warnings"]]}
    except AnylensError as error:
        for one in good:
            rows[one.file] = failed_row(one.file, error)
    return [rows[m.file] for m in members]


def _mapper(engine: Engine) -> Mapper:
    if engine == "local":
        return map_items
    from anylens.batches.ray_engine import map_on_ray

    return map_on_ray

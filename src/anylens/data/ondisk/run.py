"""Running a render job: shards on this machine's processes or on a Ray cluster, then manifest and contact
sheet.
"""

from __future__ import annotations

import io
import json
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from anylens.data.folders import write_atomically
from anylens.data.ondisk.contact import contact_sheet
from anylens.data.ondisk.job import Plan, RenderJob, Scene
from anylens.data.ondisk.shards import read_shard, write_shard
from anylens.errors import AnylensError, FormatError

SHEET = 48  # views on the contact sheet
Task = tuple[RenderJob, str | None, str, str, str, tuple[tuple[str, int], ...]]


def run_job(
    job: RenderJob, out: str | Path, engine: str = "local", workers: int = 1, cache: str | None = None,
    progress: bool = True,
) -> Plan:  # fmt: skip
    """Make the set in `out`. What an earlier, interrupted run of the same job finished is kept."""
    from tqdm import tqdm

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    _claim(job, folder)
    plan = Scene(job, cache, progress).plan()
    missing = [
        (job, cache, str(folder), name, split, views)
        for name, (split, _, views) in zip(plan.names(), plan.shards)
        if not (folder / name).is_file()
    ]
    done = plan.count - sum(len(task[-1]) for task in missing)
    with tqdm(total=plan.count, initial=done, desc="views", unit="view", disable=None if progress else True) as bar:
        for count in _engine(engine, workers)(missing):
            bar.update(count)
    _finish(plan, folder)
    return plan


def _claim(job: RenderJob, folder: Path) -> None:
    """Write the job's settings into an empty folder, or check that they are the same; remove unfinished
    files.
    """
    note = folder / "job.json"
    if note.is_file():
        if note.read_text() != job.fingerprint():
            raise FormatError(f"{folder} holds a set with other settings (see its job.json). Choose another folder.")
    elif any(folder.glob("*.tar")):
        raise FormatError(f"{folder} holds shards of an unknown job. Choose another folder.")
    else:
        write_atomically(note, job.fingerprint().encode())
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)


def _finish(plan: Plan, folder: Path) -> None:
    """Manifest with one line per view in the order of the plan, skip list, contact sheet: all from the
    shards.
    """
    lines: list[str] = []
    sheet: list[tuple[bytes, dict]] = []
    every = max(1, plan.count // SHEET)
    for name in plan.names():
        for key, picture, label in read_shard(folder / name):
            if len(lines) % every == 0 and len(sheet) < SHEET:
                sheet.append((picture, label))
            lines.append(json.dumps({"shard": name, "key": key} | label))
    write_atomically(folder / "manifest.jsonl", ("\n".join(lines) + "\n").encode())
    write_atomically(folder / "skipped.txt", "".join(f"{line}\n" for line in plan.refused).encode())
    buffer = io.BytesIO()
    contact_sheet(sheet).save(buffer, "JPEG", quality=90)
    write_atomically(folder / "contact.jpg", buffer.getvalue())


def render_task(task: Task) -> int:
    """One shard, in whatever process; returns the number of its views."""
    job, cache, folder, name, split, views = task
    return write_shard(_scene(job, cache), Path(folder), name, split, views)


_scenes: dict[tuple[str, str | None], Scene] = {}


def _scene(job: RenderJob, cache: str | None) -> Scene:
    key = (job.fingerprint(), cache)
    if key not in _scenes:
        _scenes[key] = Scene(job, cache)
    return _scenes[key]


def _engine(name: str, workers: int):
    if name == "ray":
        from anylens.data.ondisk.ray_engine import run_on_ray

        return run_on_ray
    if name != "local":
        raise FormatError(f"Unknown engine '{name}'. Use local or ray.")

    def run_here(tasks: list[Task]) -> Iterator[int]:
        if workers <= 1 or len(tasks) <= 1:
            yield from map(render_task, tasks)
            return
        context, count = multiprocessing.get_context("spawn"), min(workers, len(tasks))
        with ProcessPoolExecutor(count, mp_context=context) as pool:
            try:
                yield from (one.result() for one in as_completed([pool.submit(render_task, t) for t in tasks]))
            except BrokenProcessPool:
                raise AnylensError(
                    f"One of {count} processes was killed (not enough memory?). Finished shards are kept: the same "
                    "command goes on from there."
                ) from None

    return run_here

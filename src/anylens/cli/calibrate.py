"""`anylens calibrate`: photos, folders and videos in, cameras out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any, Literal

import tyro

from anylens.errors import AnylensError


@dataclass
class Calibrate:
    """Find the camera of photos: focal length, field of view, distortion, and how sure that is.

    1. `anylens photo.jpg` is all that is needed; `anylens calibrate example:room` shows a bundled photo.
    2. `anylens photo.jpg --json`, or `--plot explained.png`
    3. `anylens calibrate FOLDER --out results.csv` goes on where it was stopped.
    4. `anylens calibrate holiday/*.jpg --shared by-exif --model simple_radial:1`
    5. `anylens photo.jpg --known hfov=65±3 --known cx=2000` uses what you know.
    6. `anylens calibrate film.mp4 --per-frame --plot zoom.png`

    Exit code: 0 all good, 1 some failed, 2 wrong usage, 3 none succeeded.
    """

    photos: Annotated[
        tuple[str, ...],
        tyro.conf.Positional,
        tyro.conf.arg(
            metavar="PHOTO…", help="Photos, folders, globs, videos, example:NAME.", help_behavior_hint="(one or more)"
        ),
    ]
    model: Annotated[str, tyro.conf.arg(metavar="MODEL")] = "auto"
    """Camera model (`anylens models`); auto takes the plainest that fits."""
    json: bool = False
    """Print one JSON object per photo and line."""
    csv: bool = False
    """Print CSV."""
    plot: Annotated[str | None, tyro.conf.arg(metavar="PNG")] = None
    """Explain the result in a picture: a .png for one photo, a folder for many."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write rows to a .jsonl, .csv or .parquet file; goes on where it was stopped."""
    overwrite: bool = False
    """Start the --out file again."""
    exif: Literal["prior", "check", "ignore"] = "prior"
    """The EXIF focal length joins the evidence, is only compared, or is not read."""
    prior: Annotated[str, tyro.conf.arg(metavar="NAME")] = "photo"
    """Which focal lengths are usual: photo, phone, wide, or none."""
    known: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="NAME=VALUE[±STD]")] = ()
    """What you know: f, fx, fy, cx, cy (pixels), hfov, vfov, dfov (degrees), focal_35mm, aspect, coefficients."""
    edited: bool = False
    """The photo was cropped or stretched: centre and pixel aspect are free."""
    edges: Literal["on", "off"] = "on"
    """Straight edges take part."""
    refine: bool = False
    """Refine intrinsics and directions together at the end."""
    mask: Annotated[str | None, tyro.conf.arg(metavar="FILE")] = None
    """A picture that is white where the photos are to be ignored."""
    shared: Annotated[Literal["all", "by-exif", "by-folder", "by-size"] | None, tyro.conf.arg(metavar="HOW")] = None
    """Photos of one camera get one camera: all, by-exif, by-folder or by-size."""
    frames: int = 16
    """Frames of a video that are looked at."""
    per_frame: bool = False
    """Videos: one row per frame, for zoom lenses; --plot draws the field of view over time."""
    jobs: int = 0
    """Processes; one per processor otherwise."""
    engine: Literal["local", "ray"] = "local"
    """Where a large collection runs."""
    weights: Annotated[str | None, tyro.conf.arg(metavar="ONNX")] = None
    """Another network than the bundled one."""
    mirror: bool = False
    """Average each photo with its mirror image, at twice the time."""

    def run(self) -> int:
        from anylens.batches.inputs import find_inputs
        from anylens.batches.journal import Journal
        from anylens.cli.screen import Screen

        self._check()
        job = self._job()
        items = find_inputs(list(self.photos))
        if self.plot:
            check_plot(self.plot, len(items))
        screen = Screen("json" if self.json else "csv" if self.csv else "file" if self.out else "table", len(items))
        if self.out is None:
            for row in self._rows(job, items, lambda file: False):
                screen.show(row)
            return screen.finish()
        with Journal(self.out, self._settings(), overwrite=self.overwrite) as journal:
            before = {item.file: journal.done[item.file] for item in items if item.file in journal.done}
            screen.resume(before)
            for row in self._rows(job, items, lambda file: file in before):
                journal.add(row)
                screen.show(row)
            journal.finish()
        return screen.finish(str(self.out))

    def _rows(self, job: Any, items: list[Any], done: Any) -> Iterator[dict[str, Any]]:
        """Photos first, then videos."""
        from anylens.batches.run import run
        from anylens.batches.videos import film_files, run_video

        photos = [item for item in items if not item.video]
        if photos:
            yield from run(job, photos, done=done, shared=self.shared, processes=self.jobs, engine=self.engine)
        for item in items:
            if item.video and not all(map(done, film_files(item, self.frames, self.per_frame))):
                rows = run_video(job, item, self.frames, self.per_frame, self.plot)
                yield from (row for row in rows if not done(row["file"]))

    def _job(self) -> Any:
        from anylens.batches.worker import Job, read_mask
        from anylens.calibration.knowledge import parse_known
        from anylens.calibration.options import Options

        options = Options(self.model, parse_known(self.known), self.prior, self.exif, self.edited, self.edges == "on",
                          self.refine)  # fmt: skip
        if self.mask is not None:
            read_mask(self.mask)
        many = len(self.photos) > 1 or any(Path(p).is_dir() or "*" in p for p in self.photos)
        return Job(options, self.weights, self.mirror, threads=1 if many else 0, mask=self.mask, plots=self.plot)

    def _settings(self) -> dict[str, Any]:
        kept = ("model", "exif", "prior", "known", "edited", "edges", "refine", "mask", "shared", "frames", "per_frame")
        return {k: v for k, v in asdict(self).items() if k in (*kept, "weights", "mirror")}

    def _check(self) -> None:
        """Raises AnylensError for options that contradict each other or mean nothing."""
        if self.json and self.csv:
            raise AnylensError("--json and --csv both print: take one; --out writes rows to a file beside it.")
        if self.jobs < 0:
            raise AnylensError(f"--jobs is a number of processes, or 0 for one per processor, not {self.jobs}.")
        if self.frames < 1:
            raise AnylensError(f"--frames is at least 1, not {self.frames}.")


def check_plot(plot: str, count: int) -> None:
    """Raises AnylensError where the pictures cannot be made or written, before anything is calibrated."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise AnylensError("--plot needs matplotlib: pip install 'anylens[plot]'.") from None
    single = plot.lower().endswith(".png")
    if single and count > 1:
        raise AnylensError(f"One picture cannot explain {count} photos. Give a folder: --plot pictures.")
    folder = Path(plot).parent if single else Path(plot)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise AnylensError(f"--plot cannot write to '{folder}': {error.strerror or error}.") from None

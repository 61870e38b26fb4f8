"""`anylens train`: one run, from settings to averaged weights. Imports no torch until it runs."""

from __future__ import annotations

import logging
from dataclasses import field, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import tyro

from anylens.training.config import TrainConfig, TrainingError, settings
from anylens.training.presets import PRESETS, preset

DESCRIPTION = """Train a network; every setting not given comes from the preset.

1. `anylens train --data PANORAMAS --photos PHOTOS --preset laptop --init dinov2s.pt --out runs/a`
2. The same command again continues after a stop or a kill; `--steps` may be raised to go on longer.
3. `anylens train --branch runs/a --out runs/a-cool --more 6000 --cooldown 6000` decays a copy to zero rate.
4. `torchrun --nproc-per-node 4 "$(command -v anylens)" train …` trains on several devices.
"""


def resolve(command: Any) -> TrainConfig:
    """Preset (or the settings of the branched run), overridden by what the command line gave."""
    given = {f.name: getattr(command, f.name) for f in settings() if getattr(command, f.name) is not None}
    if command.branch and command.preset is None:
        import json

        path = command.branch / "settings.json"
        if not path.is_file():
            raise TrainingError(f"'{command.branch}' is not a run (no settings.json in it).")
        base = TrainConfig.from_dict(json.loads(path.read_text()))
    else:
        base = preset(command.preset or "laptop")
    return replace(base, **given)


def run(self: Any) -> int:
    config = resolve(self).check()
    for name, folder in (("data", config.data), ("photos", config.photos)):
        if folder and not Path(folder).is_dir():
            raise TrainingError(f"--{name} '{folder}' is not a folder.")
    if not config.data and not config.photos:
        raise TrainingError("nothing to train on: give --data with panoramas, --photos with photographs, or both.")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s  %(message)s", datefmt="%H:%M:%S")
    try:
        from anylens.training.loop import train
    except ImportError as error:
        raise TrainingError(f"training needs torch ({error}); pip install 'anylens[train]'.") from error
    train(config, self.out, branch=self.branch)
    return 0


def _fields() -> list:
    """The command's own flags, then every setting as optional: None means 'as the preset says'."""
    text = tyro.conf.arg
    own = [
        ("out", Annotated[Path, text(help="Folder of the run; a checkpoint in it is continued.")]),
        (
            "preset",
            Annotated[Literal[tuple(PRESETS)] | None, text(help="Recipe.", help_behavior_hint="(laptop)")],
            field(default=None),
        ),  # type: ignore[misc]
        (
            "branch",
            Annotated[
                Path | None,
                text(
                    help="Start from a copy of this run's state and settings.",
                    metavar="PATH",
                    help_behavior_hint="",
                ),
            ],
            field(default=None),
        ),
    ]
    hints = get_type_hints(TrainConfig)
    shared = []
    for f in settings():
        hint = "(as the preset)" if f.default in ("", ()) else f"(laptop: {f.default})"
        shown = "True|False" if hints[f.name] is bool else str(f.type).split("[")[0].upper()
        note = text(help=f.metadata["help"], metavar=shown, help_behavior_hint=hint)
        shared.append((f.name, Annotated[hints[f.name] | None, note], field(default=None)))
    return own + shared


Train = make_dataclass("Train", _fields(), namespace={"__doc__": DESCRIPTION, "run": run})

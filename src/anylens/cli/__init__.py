"""The command line `anylens COMMAND …`: one dataclass per command, imported only when it is called."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module

from anylens.errors import AnylensError

# command -> ("module:Dataclass", one line for the overview). A command module imports nothing heavy at its top.
COMMANDS: dict[str, tuple[str, str]] = {
    "calibrate": ("anylens.cli.calibrate:Calibrate", "Find the camera of photos, folders and videos."),
    "undistort": ("anylens.cli.undistort:Undistort", "Undistort photos to pinhole, ideal fisheye or panorama."),
    "convert": ("anylens.cli.convert:Convert", "Convert camera files between programs and models."),
    "colmap": ("anylens.cli.colmap:Colmap", "Set the cameras of a COLMAP database from its photos."),
    "serve": ("anylens.cli.serve:Serve", "Serve the page and the HTTP service on this machine."),
    "info": ("anylens.cli.info:Info", "Show the network, the installation, or what a photo says of itself."),
    "models": ("anylens.cli.models:Models", "List the camera models with their parameters."),
    "render": ("anylens.cli.render:Render", "Render training views of panoramas into shards."),
    "collect": ("anylens.cli.collect:Collect", "Turn a photo library into training photographs."),
    "lensfun": ("anylens.cli.lensfun:Lensfun", "Map LensFun's real lenses to camera models."),
    "train": ("anylens.cli.train:Train", "Train a network on panoramas and photographs."),
    "evaluate": ("anylens.cli.evaluate:Evaluate", "Score calibrations against known cameras."),
    "ablate": ("anylens.cli.ablate:Ablate", "Vary one choice at a time and score every variant."),
    "export-onnx": ("anylens.cli.export_onnx:ExportOnnx", "Write trained weights as an ONNX file."),
}


def overview() -> str:
    rows = "\n".join(f"  {name:<12} {line}" for name, (_, line) in COMMANDS.items())
    return (
        "usage: anylens PHOTO… [options]      find the camera of photos\n"
        f"       anylens COMMAND [options]\n\n{rows}\n\nanylens COMMAND --help explains one command."
    )


def is_photo(word: str) -> bool:
    """Whether a first word that is no command means `calibrate` it: a path, a glob, an example, an option."""
    return word.startswith(("-", "example:")) or os.path.lexists(word) or any(c in word for c in "./\\*")


# command -> option that may stand without a value, what it then means, and the values that it takes (None: any word).
BARE: dict[str, tuple[str, str, tuple[str, ...] | None]] = {
    "calibrate": ("--plot", "anylens.png", None),
    "undistort": ("--upright", "roll", ("roll", "full")),
}


def complete_bare(argv: list[str]) -> list[str]:
    """`--plot` without a file writes anylens.png, `--upright` without a word takes roll alone away."""
    if argv[0] not in BARE:
        return argv
    option, meant, values = BARE[argv[0]]

    def bare(i: int) -> bool:
        following = argv[i + 1] if i + 1 < len(argv) else "-"
        return argv[i] == option and (following.startswith("-") if values is None else following not in values)

    return [part for i, word in enumerate(argv) for part in ((word, meant) if bare(i) else (word,))]


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns its exit code (0 good, 1 some failed, 2 usage, 3 none succeeded)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(overview())
        return 0 if argv else 2
    if argv[0] in ("-V", "--version"):
        from anylens import __version__

        print(f"anylens {__version__}")
        return 0
    if argv[0] not in COMMANDS and is_photo(argv[0]):
        argv = ["calibrate", *argv]
    argv = complete_bare(argv)
    if argv[0] not in COMMANDS:
        print(f"anylens: '{argv[0]}' is neither a command nor a file here.\n\n{overview()}", file=sys.stderr)
        return 2
    warnings.filterwarnings("ignore", module="PIL")  # of damaged tags; what matters is in the results
    import tyro

    module, cls = COMMANDS[argv[0]][0].split(":")
    plain_flags = getattr(tyro.conf, "FlagCreatePairsOff", None)  # --json without a --no-json; not in older versions
    config = () if plain_flags is None else (plain_flags,)
    command = tyro.cli(getattr(import_module(module), cls), args=argv[1:], prog=f"anylens {argv[0]}", config=config)
    try:
        return int(command.run() or 0)
    except AnylensError as error:
        print(f"anylens: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def entry() -> None:
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    sys.exit(code)

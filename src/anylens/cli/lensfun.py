"""`anylens lensfun`: the real fisheyes of a LensFun database as EUCM parameters, and their figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro


@dataclass
class Lensfun:
    """Map the lenses of a LensFun database to camera models and plot the fisheyes' α and β.

    Debian: apt install liblensfun-data-v1, then anylens lensfun --figure fisheyes.png
    """

    database: Annotated[str | None, tyro.conf.Positional] = None
    """Folder or XML file of the database; the usual places by default."""
    figure: str | None = None
    """Picture file for the figure (needs matplotlib)."""
    all: bool = False
    """Fit the rectilinear lenses too (radial:2), not only the fisheyes."""
    verbose: bool = False
    """Print every lens and every skipped entry."""

    def run(self) -> int:
        from anylens.data.lensfun.database import FISHEYES, find_database, read_database
        from anylens.data.lensfun.figure import draw_figure, inside_bounds
        from anylens.data.lensfun.mapping import map_lenses

        found = read_database(find_database(self.database))
        mapped, skipped = map_lenses(found, fisheyes_only=not self.all)
        fisheyes = [lens for lens in mapped if lens.lens.kind in FISHEYES]
        inside = sum(inside_bounds(lens) for lens in fisheyes)
        counts = f"{len(found.calibrations)} calibrations, {len(found.crops)} cameras"
        print(f"{counts}; {len(mapped)} lenses mapped.")
        print(f"{inside} of {len(fisheyes)} fisheyes lie inside the recipe's α (0.5 to 0.8) and β (0.5 to 2).")
        hint = "" if self.verbose or not skipped else " (--verbose lists them)"
        print(f"{len(skipped)} entries skipped{hint}.")
        if self.verbose:
            for lens in mapped:
                values = " ".join(f"{c:.3f}" for c in lens.coefs)
                fov = f"vFoV {lens.vfov_deg:.0f}°  ±{lens.error_deg:.2f}°"
                print(f"  {lens.lens.name:<60} {lens.model:<9} {values}  {fov}")
            for line in skipped:
                print(f"  skipped {line}")
        if self.figure and fisheyes:
            draw_figure(fisheyes, self.figure)
            print(self.figure)
        return 0

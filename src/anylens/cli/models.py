"""`anylens models`: the camera models and the file formats that hold them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from anylens.formats.table import FORMATS
from anylens.profiles import models, parse
from anylens.profiles.base import Profile


@dataclass
class Models:
    """List the camera models with their parameters, or the file formats with the models they hold.

    1. `anylens models`
    2. `anylens models --formats`
    3. `anylens models --json`
    """

    formats: bool = False
    """List camera file formats instead."""
    json: bool = False
    """Print JSON."""

    def run(self) -> int:
        rows = format_rows() if self.formats else model_rows()
        if self.json:
            print(json.dumps(rows, indent=2, ensure_ascii=False))
        elif self.formats:
            for row in rows:
                ways = " and ".join(w for w, has in (("read", row["reads"]), ("written", row["writes"])) if has)
                print(f"{row['name']:<15} {row['title']}, {ways}; {', '.join(row['files'])}")
                print(f"{'':<15} holds {'every model' if row['every'] else ', '.join(row['models'])}")
        else:
            width = max(len(row["model"]) for row in rows)
            for row in rows:
                print(f"{row['model']:<{width}}  {row['formula']}")
                print(f"{'':<{width}}  {' '.join(row['params'])}")
            print("\nsimple_ in front of any of them: one focal length f instead of fx fy.")
        return 0


def model_rows() -> list[dict]:
    """One row per family, orders folded (`kb:1..4`), with the parameters of the largest."""
    rows = []
    for family in dict.fromkeys(parse(m).profile.name for m in models()):
        cls = Profile.registry[family]
        order = cls.orders[-1]
        name = f"{family}:1..{order}" if order else family
        parsed = parse(f"{family}:{order}" if order else family)
        bounds = {k: list(v) for k, v in cls.bounds.items()}
        rows.append({"model": name, "formula": cls.formula, "params": list(parsed.param_names), "bounds": bounds})
    return rows


def format_rows() -> list[dict]:
    every = len(models())
    return [
        {
            "name": f.name,
            "title": f.title,
            "reads": f.reads,
            "writes": f.writes,
            "files": list(f.patterns),
            "models": list(f.holds),
            "every": len(f.holds) == every,
            "offset": f.offset,
        }
        for f in FORMATS.values()
    ]

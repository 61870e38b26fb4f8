"""Camera models by id: `pinhole`, `kb:4`, `simple_radial:2` …"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from anylens.errors import ModelError
from anylens.profiles import (  # noqa: F401  (each import registers its models)
    division,
    ds,
    eucm,
    fisheyes,
    fov,
    kb,
    ocam,
    pinhole,
    radial,
    ucm,
    woodscape,
)
from anylens.profiles.base import Profile

ORDER = ("pinhole", "radial", "kb", "ucm", "eucm", "division", "ds", "fov", "woodscape", "ocam",
         "equidistant", "equisolid", "stereographic", "orthographic")  # fmt: skip


@dataclass(frozen=True)
class Model:
    """A camera model as the user names it: a radial profile with two focal lengths or, `simple_`, with one."""

    id: str
    profile: Profile
    simple: bool

    @property
    def param_names(self) -> tuple[str, ...]:
        return (("f",) if self.simple else ("fx", "fy")) + ("cx", "cy", *self.profile.coefs)

    @property
    def focals(self) -> int:
        return 1 if self.simple else 2


@lru_cache(maxsize=256)
def parse(model_id: str) -> Model:
    """The model named by an id; raises ModelError with the ids that exist."""
    if not isinstance(model_id, str):
        raise ModelError(f"A camera model is named by a string such as 'kb:4', not {model_id!r}.")
    simple = model_id.startswith("simple_")
    name, colon, suffix = model_id.removeprefix("simple_").partition(":")
    cls = Profile.registry.get(name)
    if cls is None:
        raise ModelError(f"Unknown camera model '{model_id}'. Known: {', '.join(_families())}.")
    if cls.orders == (0,):
        if colon:
            raise ModelError(f"Camera model '{name}' takes no order: write '{name}', not '{model_id}'.")
        return Model(model_id, cls(), simple)
    if not suffix.isdecimal() or int(suffix) not in cls.orders or suffix != str(int(suffix)):
        raise ModelError(f"'{model_id}' is not a camera model: write '{name}:k' with k from 1 to {cls.orders[-1]}.")
    return Model(model_id, cls(int(suffix)), simple)


def models() -> list[str]:
    """Every camera model id, `simple_` variants (one focal length) last."""
    ids = [f"{name}:{order}" if order else name for name in _names() for order in Profile.registry[name].orders]
    return ids + [f"simple_{i}" for i in ids]


def _names() -> list[str]:
    return [*ORDER, *(n for n in Profile.registry if n not in ORDER)]


def _families() -> list[str]:
    return [n if Profile.registry[n].orders == (0,) else f"{n}:1..{Profile.registry[n].orders[-1]}" for n in _names()]

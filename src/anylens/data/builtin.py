"""The built-in recipes: the paper's four sets, edited photographs, and cameras as people hold them."""

from __future__ import annotations

from anylens.data.distributions import LogNormal, Mixture, Normal, Uniform
from anylens.data.recipes import Lens, Recipe, Setting, mix_recipes

PERSPECTIVE = Uniform(20, 105)
PINHOLE = Lens("pinhole", fov_deg=PERSPECTIVE)
RADIAL = Lens("radial:1", fov_deg=PERSPECTIVE, coefs={"k1_hat": Normal(0, 0.07, -0.3, 0.3)})
EUCM = Lens("eucm", fov_deg=Uniform(50, 180), coefs={"alpha": Uniform(0.5, 0.8), "beta": Uniform(0.5, 2)})


def _mix(*parts: tuple[float, Lens]) -> tuple[Lens, ...]:
    return tuple(
        Lens(lens.model, share, lens.fov_deg, lens.f35, lens.coefs, lens.fixed) for share, lens in parts
    )  # fmt: skip


OP_P = Recipe("op_p", (Setting((PINHOLE,)),))
OP_R = Recipe("op_r", (Setting((RADIAL,)),))
OP_D = Recipe("op_d", (Setting(_mix((0.5, RADIAL), (0.5, EUCM))),))
OP_G = Recipe("op_g", (Setting(_mix((0.34, PINHOLE), (0.33, RADIAL), (0.33, EUCM))),))

EDITED = Recipe(
    "edited",
    (Setting(OP_G.settings[0].lenses, stretch=Uniform(0.5, 2), keep=Uniform(0.5, 1)),),
    aspect=Uniform(0.5, 2),
)

# 35 mm equivalents: phones, ultra-wide second lenses, kit zooms and primes, long lenses.
F35 = Mixture(
    (
        (0.42, LogNormal(26, 0.08, 22, 32)),
        (0.09, LogNormal(15, 0.15, 11, 20)),
        (0.34, LogNormal(38, 0.40, 17, 90)),
        (0.15, LogNormal(85, 0.45, 45, 250)),
    )
)
# Barrel on the wide side, pincushion on the long one, mostly corrected by the camera itself.
DISTORTION = Mixture(((0.6, Normal(0, 0.01, -0.05, 0.05)), (0.4, Normal(-0.03, 0.05, -0.25, 0.15))))
HELD_ROLL = Mixture(((0.8, Normal(0, 1.5)), (0.2, Normal(0, 10, -45, 45))))
HELD_PITCH = Mixture(((0.85, Normal(-3, 12, -60, 60)), (0.15, Normal(0, 25, -75, 75))))
HELD = Recipe(
    "held",
    (
        Setting(
            (
                Lens("pinhole", 0.45, f35=F35),
                Lens("radial:1", 0.43, f35=F35, coefs={"k1_hat": DISTORTION}),
                Lens("eucm", 0.12, fov_deg=Uniform(80, 180), coefs=EUCM.coefs),
            ),
            roll_deg=HELD_ROLL,
            pitch_deg=HELD_PITCH,
        ),
    ),
    aspect=Mixture(((0.5, LogNormal(1.414, 0.15, 0.5, 2)), (0.5, LogNormal(0.707, 0.15, 0.5, 2)))),
)
WORLD = mix_recipes("world", [(0.8, HELD), (0.2, OP_G)])

BUILTIN = {r.name: r for r in (OP_P, OP_R, OP_D, OP_G, EDITED, HELD, WORLD)}

"""Every setting of a training run in one flat dataclass: command line, presets and the run's record."""

from __future__ import annotations

from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from typing import Any

from anylens.data.standard import COPY_QUALITY, COPY_SIDE
from anylens.errors import AnylensError
from anylens.network.config import NetworkConfig


class TrainingError(AnylensError):
    """A training run that cannot start or must stop."""


def setting(default: Any, text: str) -> Any:
    """A field with its one line of help."""
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class TrainConfig:
    """Settings of one run. Steps count optimiser steps; a view is one training picture."""

    # data
    data: str = setting("", "Folder of panoramas with its manifest.")
    photos: str = setting("", "Folder of photographs with EXIF focal lengths; none without it.")
    recipe: str = setting(
        "world*0.55+op_g*0.25+edited*0.2", "Recipe of the rendered views: op_p, op_r, op_d, op_g, world, edited, a mix."
    )
    photo_ratio: float = setting(0.3, "Share of photographs in a batch, if a folder of them is given.")
    crops: float = setting(0.3, "Share of the photographs that are cropped, to longer focal lengths.")
    augment: str = setting("full", "Changes of appearance, whatever the camera: none, light, full or strong.")
    cache: str = setting("", "Folder for decoded panoramas and photographs; the user's cache folder without it.")
    min_source_pixels: float = setting(1.0, "Source pixels per view pixel that every picture is brought to on the way.")
    quality: int = setting(60, "JPEG quality of the standard form that every picture goes through; 0: none.")
    photo_side: int = setting(COPY_SIDE, "Longest side of the photographs; those in use are shrunk to it first.")
    photo_quality: int = setting(COPY_QUALITY, "Their WebP quality, also for rendered views and in use; 0: not.")
    seed: int = setting(0, "Seed of views, augmentation and fresh weights.")
    # network
    network: str = setting("laptop", "laptop or paper.")
    encoder: str = setting("vit-s", "vit-s, vit-b or vit-l.")
    registers: int = setting(4, "Register tokens of the encoder (4 or 0, as its weights have).")
    taps: tuple[int, ...] = setting((4, 6, 9), "Blocks after which features are taken.")
    frozen: int = setting(4, "First blocks that stay as they are; -1 trains everything.")
    width: int = setting(192, "Channels of the laptop network's head.")
    decoder: str = setting("light", "Decoder of the paper network: light or original.")
    edited_flag: bool = setting(True, "The laptop network is told which views are cropped or stretched.")
    init: str = setting("", "Initial weights: DINOv2, a released checkpoint, or weights of an earlier run.")
    # what is learned
    loss: str = setting("field", "field (L1 on the FoV field), rays-cosine or rays-angle.")
    focal_weight: float = setting(0.1, "Weight of the focal distribution's cross-entropy.")
    focal_sigma: float = setting(0.05, "Width of its soft bins for rendered views, in log focal length.")
    photo_sigma: float = setting(0.07, "The same for photographs, whose tags are good to about 5 %.")
    photo_doubt: float = setting(0.05, "Share of photographs whose tag is assumed to say nothing.")
    photo_field_weight: float = setting(0.5, "Weight of the field loss on photographs.")
    photo_saturation: float = setting(0.1, "Radians beyond which a photograph's field error counts less and less.")
    one_prior: bool = setting(True, "Take out of the loss what the kind of a view tells about its focal length.")
    variance_weight: float = setting(0.02, "Weight of the per-cell log-variance; it never moves the field.")
    # optimisation
    batch: int = setting(16, "Views per optimiser step, over all processes.")
    accumulate: int = setting(1, "Parts into which a batch is cut to save memory.")
    steps: int = setting(30_000, "Optimiser steps in all; raise it to extend a run whose rate has not decayed.")
    more: int = setting(0, "Instead of steps: this many beyond the checkpoint that is continued.")
    rate: float = setting(4e-4, "Peak learning rate of decoder and heads (AdamW).")
    encoder_rate: float = setting(0.2, "The encoder's rate as a share of that.")
    dropout: float = setting(0.0, "Share of blocks, channels and pooled features left out in training.")
    weight_decay: float = setting(0.01, "Weight decay of matrices and kernels.")
    schedule: str = setting("constant", "constant (until the cooldown), cosine or steps.")
    warmup: int = setting(300, "Steps of linear warm-up.")
    cooldown: int = setting(0, "Last steps over which a constant rate falls to zero.")
    milestones: tuple[int, ...] = setting((), "Steps after the warm-up at which schedule 'steps' multiplies by 0.3.")
    clip: float = setting(1.0, "Largest gradient norm.")
    ema: float = setting(0.999, "Decay of the averaged weights; 0 keeps no average.")
    # sizes
    area: int = setting(224 * 224, "Pixels of a view; side lengths are multiples of 14 near it.")
    late_area: int = setting(224 * 224, "Pixels of a view in the last part of the run.")
    size_range: tuple[float, float] = setting((0.75, 1.0), "Share of its side lengths that a batch draws.")
    late_from: int = setting(-1, "Step at which the last part begins; -1: where the cooldown begins.")
    aspect_range: tuple[float, float] = setting((0.5, 2.0), "Range of height / width; one per batch.")
    # machine
    threads: int = setting(1, "Threads of the network (0: torch's choice); more than free cores is very slow.")
    workers: int = setting(1, "Processes that render views; 0 renders in the training process.")
    precision: str = setting("auto", "float32, bfloat16, or auto: bfloat16 on GPUs that have it.")
    compile: bool = setting(False, "torch.compile the network.")
    channels_last: bool = setting(False, "Keep feature maps channels-last.")
    # record
    log_every: int = setting(50, "Steps between lines of metrics.jsonl.")
    validate_every: int = setting(2000, "Steps between validations; 0 validates at the end only.")
    validation_views: int = setting(256, "Held-out views of a validation, always the same ones.")
    checkpoint_minutes: float = setting(5.0, "Minutes between checkpoints.")

    @property
    def network_config(self) -> NetworkConfig:
        return NetworkConfig(
            name=self.network,
            encoder=self.encoder,
            registers=self.registers,
            taps=tuple(self.taps),
            frozen=self.frozen,
            width=self.width,
            decoder=self.decoder,
            representation="field" if self.loss == "field" else "rays",
            edited_flag=self.edited_flag and self.network == "laptop",
        )

    def check(self, world_size: int = 1) -> TrainConfig:
        """Itself, or TrainingError saying which setting is impossible and what is allowed."""
        self.network_config.check()
        choices = {
            "loss": ("field", "rays-cosine", "rays-angle"),
            "schedule": ("constant", "cosine", "steps"),
            "precision": ("auto", "float32", "bfloat16"),
            "augment": ("none", "light", "full", "strong"),
        }
        for key, allowed in choices.items():
            if getattr(self, key) not in allowed:
                raise TrainingError(f"{key} is '{getattr(self, key)}'; allowed: {', '.join(allowed)}.")
        if self.batch < 1 or self.accumulate < 1 or self.batch % (self.accumulate * world_size):
            raise TrainingError(
                f"batch {self.batch} does not divide into {world_size} processes × {self.accumulate} parts."
            )
        if self.steps < 1 or self.warmup < 0 or not 0 <= self.cooldown <= self.steps:
            raise TrainingError(f"steps {self.steps}, warmup {self.warmup}, cooldown {self.cooldown} are impossible.")
        if not (self.rate > 0 and 0 <= self.ema < 1 and self.clip > 0 and 0 <= self.photo_ratio <= 1):
            raise TrainingError("rate and clip must be positive, ema in [0, 1), photo_ratio in [0, 1].")
        if not (0 <= self.dropout < 1 and 0 <= self.crops <= 1):
            raise TrainingError("dropout must lie in [0, 1) and crops in [0, 1].")
        copies = 0 <= self.photo_quality <= 95 and self.photo_side >= 0
        if not copies or bool(self.photo_quality) != bool(self.photo_side):
            raise TrainingError("photo_side must be positive and photo_quality lie in 1..95, or both be 0.")
        if not (0 <= self.quality <= 95 and 0 < self.size_range[0] <= self.size_range[1] <= 1):
            raise TrainingError("quality must lie in 0..95 and size_range in (0, 1], the smaller share first.")
        return self

    def to_dict(self) -> dict:
        return asdict(self)

    @staticmethod
    def from_dict(values: dict) -> TrainConfig:
        """From a run's record; settings of other versions are left out, tuples restored."""
        known = {f.name: f for f in fields(TrainConfig)}
        kept: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k in known}
        return replace(TrainConfig(), **kept)


def settings() -> list[Field]:
    """The fields of TrainConfig, each with a default and a line of help."""
    return [f for f in fields(TrainConfig) if f.default is not MISSING]

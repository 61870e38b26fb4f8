"""Changes of appearance after rendering. They never move a pixel's ray: labels stay exact."""

from anylens.data.augment.appearance import augment_output
from anylens.data.augment.settings import Augment, augment_level

__all__ = ["Augment", "augment_level", "augment_output"]

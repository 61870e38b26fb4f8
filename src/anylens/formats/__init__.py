"""Camera files of other programs: read into cameras, write from them.

>>> from anylens.formats import read, write                                    # doctest: +SKIP
>>> [named] = read("cameras.txt")                                              # doctest: +SKIP
>>> write(named.camera, "calibration.yaml", "opencv")                          # doctest: +SKIP

`FORMATS` is the one table of what exists: the models each format holds, its pixel offset, its file names.
"""

from anylens.formats.named import NamedCamera
from anylens.formats.reading import read
from anylens.formats.table import FORMATS, Format
from anylens.formats.writing import write

__all__ = ["FORMATS", "Format", "NamedCamera", "read", "write"]

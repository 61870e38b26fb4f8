"""One root error and a few named children; every message says what to do next."""


class AnylensError(Exception):
    """Root of every error that anylens raises on purpose."""


class ModelError(AnylensError, ValueError):
    """An unknown or malformed camera model, or parameters that do not fit it."""


class FitError(AnylensError, ValueError):
    """The given rays do not determine a camera."""


class ImageError(AnylensError):
    """A picture that cannot be read, or that is not what was asked for."""


class FormatError(AnylensError):
    """A camera or data file that cannot be read, or cannot hold what is to be written."""


class WeightsError(AnylensError):
    """Network weights that are missing, damaged or of another architecture."""

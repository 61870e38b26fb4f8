"""Small photographs for the command line's tests, and a network that dies on one of them."""

import os
import signal
import tempfile

import numpy as np
from PIL import Image
from tiny_network import write_tiny_network


def make_photo(path, level=110, width=128, height=96, exif=None, **how):
    noise = np.random.default_rng(level).integers(-12, 12, (height, width, 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.clip(level + noise, 0, 255).astype(np.uint8)).save(path, exif=exif or Image.Exif(), **how)
    return path


class Deadly:
    """A predictor whose process dies on one photo. Worker processes import this file by its own name."""

    def many(self, photos):
        from anylens.predict import Predictor

        if photos[0].mean() > 190:
            os.kill(os.getpid(), signal.SIGKILL)
        path = os.path.join(tempfile.gettempdir(), f"tiny-{os.getpid()}.onnx")
        write_tiny_network(path)
        try:
            return Predictor(path).many(photos)
        finally:
            os.unlink(path)

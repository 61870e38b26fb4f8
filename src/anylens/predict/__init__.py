"""Fields from photographs with ONNX Runtime, without torch."""

from anylens.predict.plan import SizePlan, plan_size
from anylens.predict.predictor import Prediction, Predictor

__all__ = ["Prediction", "Predictor", "SizePlan", "plan_size"]

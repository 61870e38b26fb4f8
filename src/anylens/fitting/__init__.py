"""From rays to cameras: closed form, refinement, uncertainty, several images, outliers, model choice."""

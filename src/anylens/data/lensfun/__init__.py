"""Real lenses and sensors from the LensFun database (https://lensfun.github.io), which the user provides."""

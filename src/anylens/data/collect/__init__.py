"""A photo library turned into training material: focal lengths from EXIF, doubtful photographs dropped."""

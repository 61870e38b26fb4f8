"""Training data: views of panoramas through any camera, photographs with a known focal length, and batches
of both.

Panorama frame: the longitude 0 at the middle column looks along +z, longitudes grow to the right (towards
+x), and latitude +90° (the top row) is -y; that is the camera frame (x right, y down, z forward) of an
upright camera. Nothing here imports torch, OpenCV or matplotlib at import time; OpenCV is used where it is
installed.
"""

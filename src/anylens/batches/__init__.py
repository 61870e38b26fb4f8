"""Many photographs: found, calibrated in several processes, grouped by camera, written so that a kill loses nothing."""

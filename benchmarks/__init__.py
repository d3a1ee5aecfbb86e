"""Measurements, as ratios to a peer or to a floor within one run; each script takes `--json`."""

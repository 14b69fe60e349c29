"""The paper's experiment with detectors of our own, end to end."""

"""The paper's experiment with our own detectors, end to end."""

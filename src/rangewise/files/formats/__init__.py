"""The file formats of anomalies, one file per format; ``table.py`` lists them."""

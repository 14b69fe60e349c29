"""The formats of anomalies, one file each: how it looks, its reader, its writer, its row; ``table.py`` lists them all."""

"""Reading and writing files of labels, ranges and series."""

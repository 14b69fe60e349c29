"""Reading and writing what people have: files become labels, ranges and series."""

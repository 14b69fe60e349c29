"""The figures and tables of the paper, a file each: its numbers and its drawing."""

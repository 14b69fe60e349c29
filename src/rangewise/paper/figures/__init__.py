"""The figures and tables of the paper, one file each: its numbers and its drawing."""

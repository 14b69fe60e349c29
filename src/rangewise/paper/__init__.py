"""The experiments of the paper, reproduced: one file per figure and table, and the claims of the text."""

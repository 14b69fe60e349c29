"""The experimental study of the paper, made anew: a file for each figure and table, and a ledger of what the text claims."""

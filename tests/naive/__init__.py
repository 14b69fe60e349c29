"""The equations in plain loops, importing nothing of ours: what the library is compared with."""

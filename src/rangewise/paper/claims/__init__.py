"""What the paper's text says, checked sentence by sentence."""

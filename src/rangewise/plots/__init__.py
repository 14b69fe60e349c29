"""Plots. They need matplotlib, the extra ``plots``; figures are made without pyplot, so no global state is involved."""

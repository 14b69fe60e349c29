"""Made series: labelled series of any size, the same bytes for any number of workers."""

"""Made series: labeled series of any size, the same bytes for any number of workers."""

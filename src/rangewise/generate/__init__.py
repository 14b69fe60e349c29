"""Generated series: labeled series of any size, with the same bytes for any number of workers."""

"""The Numenta anomaly benchmark's score: of one file, at every threshold, and of a whole corpus."""

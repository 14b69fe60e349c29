"""Input: ranges, clocks, ignored intervals, gaps and scores, read and checked once into a :class:`~rangewise.inputs.case.Case`."""

"""What edgewise costs, as ratios to things everyone knows the cost of: `make bench`.

Seconds say something about one machine on one day. A ratio to `numpy.cov` measured in the same
minute says something about the program, so nothing here has a target in seconds.
"""

"""The covariance of the entries of a covariance matrix."""

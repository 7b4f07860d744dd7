"""Clusters: a pass is sent to the rows, and only its sums come back."""

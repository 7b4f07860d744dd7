"""Clusters: a pass goes to where the rows are, and only what it adds up to comes back."""

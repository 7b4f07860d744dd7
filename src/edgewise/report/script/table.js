// The table of edges.

// Without edges: which partial correlations these rows could have shown.

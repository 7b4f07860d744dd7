"""Laws of rows with mean zero and identity covariance, to be mixed into any covariance.

The families break tests in different ways. Row-wise scale mixtures (elliptical: power exponential,
t, contaminated) have residuals that are uncorrelated but dependent, which exposes Gaussian tests.
Independent components keep their skewness and heavy tails in single residuals. Serially dependent
rows break every test that counts rows as independent.
"""

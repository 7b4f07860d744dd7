"""The paper's simulation studies and its computer-assisted proof: evidence, not library."""

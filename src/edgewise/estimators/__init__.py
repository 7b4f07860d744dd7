"""From moments to Θ̂."""

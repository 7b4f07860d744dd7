"""From a measurement to decisions."""

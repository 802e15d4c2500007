"""What the families share: base classes, the alternating loop, cluster sums, scaling."""

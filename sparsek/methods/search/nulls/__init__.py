"""Data sets without clusters, the test of one cluster, and features at a false discovery rate."""

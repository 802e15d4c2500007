"""Tests after clustering: data that move along a line, the sets that keep a clustering, truncated laws."""

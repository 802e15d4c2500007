"""A campaign of calls with inputs of every kind: nothing wrong in silence, no hang, every error clear."""

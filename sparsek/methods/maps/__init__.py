"""Self-organising maps."""

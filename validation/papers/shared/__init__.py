"""Shared by the papers: trials with checkpoints, files of results, verdicts, claims, data."""

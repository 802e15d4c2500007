"""What several papers need: trials with checkpoints, files of results, verdicts, claims, data."""

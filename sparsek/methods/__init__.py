"""The methods as their papers state them: one folder per family."""

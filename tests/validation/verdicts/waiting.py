"""Records made before single runs were kept: what they hold is undecided until they are made again."""

WAITING = ("table-2", "table-3", *(f"minmax-table-{number}" for number in range(1, 6)))
"""A record that is made again leaves this list, and what holds for new records then holds for it."""

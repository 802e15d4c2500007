"""R's answers: the case table, the scripts that record them, the records, and the live bridge to R."""

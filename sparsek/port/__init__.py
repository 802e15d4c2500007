"""An R script and its port to Python side by side: their objects and their random streams compared."""

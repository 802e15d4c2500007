"""Deep embedded clustering (Xie, Girshick and Farhadi 2016)."""

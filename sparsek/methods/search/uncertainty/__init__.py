"""How sure a fit is: by resamples of its rows, by replicate weights of a survey, and for new rows."""

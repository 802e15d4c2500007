"""k-POD: k-means of data with missing values (Chi, Chi and Baraniuk 2016)."""

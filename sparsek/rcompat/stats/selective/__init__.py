"""What R's packages of tests after clustering share: steps of k-means, contrasts, truncated laws."""

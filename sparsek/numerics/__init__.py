"""What the methods and the R functions both stand on."""

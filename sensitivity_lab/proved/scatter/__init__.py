"""What is proved of the variance and the standard deviation."""

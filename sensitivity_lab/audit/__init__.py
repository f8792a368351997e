"""Is a claimed sensitivity right? Claims held to the truth, with what they cover."""

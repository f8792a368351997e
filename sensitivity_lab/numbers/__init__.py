"""Numbers: exact ones, how far apart two answers lie, how both are written, and what goes wrong."""

"""What privacy makes of a sensitivity: noise, and how far two distributions diverge."""

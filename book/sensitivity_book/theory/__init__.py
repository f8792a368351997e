"""What chapters prove and search beyond the package."""

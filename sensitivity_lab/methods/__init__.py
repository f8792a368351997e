"""The ways to answer a problem: walking, sweeping, solving."""

"""Other people's benchmarks, each scored by a module of its own."""

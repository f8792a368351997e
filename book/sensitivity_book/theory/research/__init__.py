"""Questions without a proof: conjectures, and the search for what refutes them."""

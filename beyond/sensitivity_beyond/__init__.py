"""What goes beyond numbers and values: proofs without enumeration, tables and people, audits."""

"""What a reader plays with: dots that are moved, two tents of noise, explorers with knobs."""

"""Explorers: knobs over a picture, alive with a kernel and on a page without one."""

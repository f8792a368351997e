"""What is proved beyond an interval: solvers on populations, at one dataset, at a distance."""

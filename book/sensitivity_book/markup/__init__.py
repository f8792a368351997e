"""What a page makes of a cell's output: tables set for reading, drawings that are a part of the page."""

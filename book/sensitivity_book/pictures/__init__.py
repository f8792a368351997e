"""The pictures of the chapters, one file a family: they take data and give a figure."""

"""What the essays compute: the sensitivity as a derivative."""

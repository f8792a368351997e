"""What the book needs and no engineer must read: scenarios, and the numbers they are held to."""

"""What each library claims, held to exact numbers: a module for each source of cases."""

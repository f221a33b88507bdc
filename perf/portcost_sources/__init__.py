"""Lines of code of the variants, counted in their sources."""

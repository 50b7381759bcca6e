"""Ways of guessing, one file each."""

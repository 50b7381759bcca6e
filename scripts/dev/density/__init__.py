"""The study of critical mine densities."""

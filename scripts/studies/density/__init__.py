"""Win rates against mine density."""

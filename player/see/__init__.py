"""Pictures of screens: reading the boards that they show, and drawing on them."""

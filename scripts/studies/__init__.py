"""What is measured of the game itself: mine density, algorithms that race, best play on small boards."""

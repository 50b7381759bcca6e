"""Generate boards that pure logic solves."""

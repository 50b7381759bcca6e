"""What holds for all tests."""

from hypothesis import settings

# No test depends on speed.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

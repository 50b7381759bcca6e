"""Drawings of boards: pictures, and text for a terminal."""

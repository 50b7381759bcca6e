from .formats import save as save
from .formats.positions import read_position as read_position
from .store import Store as Store

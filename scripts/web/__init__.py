"""The web page: the browser plays, and the server stores and checks."""

"""How fast everything is: the engines, the page, reasons, a server under load."""

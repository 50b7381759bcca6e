"""The installed commands, the page and its server, and development tools."""

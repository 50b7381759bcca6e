"""Every program of the toolkit: the commands, the page, contests, studies and measurements of speed."""

"""The reference: a site of plain files, made from the README, the pages beside the code and every docstring."""

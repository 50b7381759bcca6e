"""The values: grids, boards, recipes, games, steps and results, with their errors and limits."""

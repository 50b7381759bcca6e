"""Playing a game, many games, replaying and reviewing one."""

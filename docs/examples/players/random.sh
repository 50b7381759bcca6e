#!/bin/sh
# A player that opens a random hidden cell. Protocol: docs/reference/protocol.md.
#
#     autoplay --strategy "exec:sh docs/examples/players/random.sh" --preset beginner --games 20

while read -r line; do
    case $line in
    *'"type": "hello"'*)
        echo '{"name": "random.sh", "plays": "guesses"}' ;;
    *'"type": "game"'*)
        seed=${line##*\"seed\": } seed=${seed%\}} guesses=0 ;;
    *'"type": "guess"'*)
        guesses=$((guesses + 1))
        view=${line#*\"view\": \[}
        echo "${view%]*}" | tr -d '" ' | tr ',' '\n' | awk -v seed=$(((seed + guesses) % 1000003)) '
            BEGIN { srand(seed) }
            { for (col = 1; col <= length($0); col++)
                  if (substr($0, col, 1) == "#") cell[hidden++] = (NR - 1) ", " (col - 1) }
            END { print "{\"open\": [[" cell[int(rand() * hidden)] "]]}" }' ;;
    esac
done

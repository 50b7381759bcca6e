// Reads the Minesweeper boards that a picture shows.
#pragma once

#include <array>
#include <vector>

#include "see/deciding.hpp"
#include "see/lattice.hpp"

namespace mines {

struct BoardReading {
    Lattice lattice;
    std::vector<std::uint8_t> symbols;                 // the most probable meaning of each cell
    std::vector<std::array<float, kSymbols>> chances;  // the probability of each
    std::vector<int> doubtful;                         // cells that could well mean something else
    int fewest_mines = 0, most_mines = 0;
    bool sure = false;
};

// Return the boards, largest first.
std::vector<BoardReading> read_boards(const Picture& picture, bool logic = true);
// Read the board of a lattice. Returns false without one.
bool read_board(const Picture& picture, const Lattice& lattice, bool logic, BoardReading& out);

}  // namespace mines

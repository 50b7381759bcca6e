#include "search/recording.hpp"

#include <limits>

namespace mines {

void Recorder::play(const Puzzle& puzzle) {
    view_.assign(puzzle.mine.size(), -1);
    int turns = 0;
    Player player([this](const Field& field) { return guesser_.chosen(field); });
    const Watch watch = [&](Index opened, bool guess) {
        if (guess || !guesses_only_) add(player.closure(), opened, guess, turns);
        ++turns;
    };
    won.push_back(player.play(puzzle, watch).won);
    ends.push_back(static_cast<std::int64_t>(turn.size()));
}

void Recorder::add(const Closure& closure, Index opened, bool guess, int turns) {
    const Field& field = closure.field();
    field.each_cell([&](Index number, Index i) {
        if (view_[number] < 0 && field.state[i] == kOpen) view_[number] = static_cast<std::int8_t>(closure.clue(i));
    });
    views.insert(views.end(), view_.begin(), view_.end());
    turn.push_back(turns);
    cell.push_back(field.number(opened));
    win.push_back(std::numeric_limits<double>::quiet_NaN());
    if (!guess || !guesser_.solved()) return;
    guesser_.solved_cells(field, cells_);
    if (static_cast<int>(cells_.size()) == field.unknown_left) win.back() = guesser_.candidates().front().value;
}

}  // namespace mines

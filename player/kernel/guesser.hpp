// Ways of guessing: which unknown cell to open when logic has nothing more to say. They see what a player sees.
#pragma once

#include <cstdint>
#include <vector>

#include "endgame.hpp"
#include "grid.hpp"
#include "listing.hpp"
#include "position.hpp"
#include "prospects.hpp"
#include "small_board.hpp"

namespace mines {

enum class Strategy : std::uint8_t {
    safest,     // the smallest probability of a mine
    progress,   // among nearly the safest, the best chance that logic goes on
    lookahead,  // the best chance to survive this guess and the next
    champion,   // the best estimate of the chance to win
    quick,      // champion with one ply less and smaller endgames: plays rollouts on
};

// A cell that was considered.
struct Candidate {
    Index cell = 0;
    double safety = 0;    // the chance that it is no mine
    double progress = 0;  // the chance that it is no mine and logic goes on, if worked out
    double value = 0;     // what the strategy ranks it by
};

enum class Weight : std::uint8_t { none, estimate, exact };

class Guesser {
  public:
    // Candidates whose value comes this close to the best are worth a look for those who compare them: with 1, only the
    // best is worked out.
    static constexpr double kNear = 0.88;
    explicit Guesser(Strategy strategy, double near = kNear) : strategy_(strategy), near_(near) {}

    // Choose an unknown cell of a grid that logic is done with: the first of `candidates`. False if there is none that
    // may be safe, or no layout fits.
    bool choose(const Grid& grid);

    // Weigh every unknown cell of such a grid, best first: `value` is the chance to win if it is opened next and all is
    // played perfectly from there, where few enough layouts are left to know that, and then this returns Weight::exact;
    // else the chance to survive it and, as long as logic does not go on, the next two guesses. Weight::none if the
    // position cannot be counted.
    Weight weigh(const Grid& grid, std::vector<Candidate>& out);

    // The cells considered by the last choice, best first.
    const std::vector<Candidate>& candidates() const { return candidates_; }

    // Whether the last choice came from a search of the rest of the game.
    bool decided() const { return decided_; }
    // Whether the last choice was exact: its `value` is the chance to win what is in focus, played perfectly.
    bool solved() const { return solved_; }
    // The cells that it solved.
    void solved_cells(const Grid& grid, std::vector<Index>& out) const;
    // Whether the last choice counted the position, so that the safety of candidates is exact.
    bool counted() const { return counted_; }
    const Position& position() const { return position_; }

  private:
    void rank_candidates();
    void fallback(const Grid& grid);
    void list_candidates(const Position& position, std::vector<Candidate>& out, bool one_of_a_kind = true);
    void look_ahead(Prospects& prospects, std::vector<Candidate>& candidates, double near, double least = 0);
    double outlook(const Prospect& prospect) const;
    static void likeliest_first(std::vector<Prospect>& prospects);
    double value_after(Prospects& prospects, Candidate& candidate, double least);
    double look_further(Index cell, std::size_t most_replies, double least = 0);
    double best_reply(Index cell, const Prospect& prospect, std::size_t most_replies, double least);
    void find_least_sealed_mine();
    void compare_leaders();
    void seek_progress();
    static void sort_by_value(std::vector<Candidate>& candidates);
    bool solve_endgame(std::size_t most_layouts, std::int64_t most_nodes);
    bool weigh_endgame(std::vector<Candidate>& out);

    Strategy strategy_;
    double near_;
    double haste_ = 0;
    bool counted_ = false;
    bool decided_ = false;
    bool solved_ = false;
    bool solved_all_ = false;  // not only what is in focus
    Position position_;
    Prospects prospects_;
    SmallBoard small_board_;
    Endgame endgame_;
    Listing listing_;
    std::vector<Candidate> candidates_;
    std::vector<Prospect> listed_;
    // For looking further.
    Position next_position_;
    Prospects next_prospects_;
    std::vector<Candidate> replies_;
    std::vector<Prospect> stuck_;
    std::vector<double> most_after_;  // per prospect, the most that its best reply may be worth
    double least_sealed_mine_ = 1;  // the smallest mine probability of any cell out of focus
};

}  // namespace mines

// How few clues force some cell? Sizes of smallest reasons, in a position of which the layout is known.
//
// A layout that differs from the true one is a list of changes, one for each group of cells that the same clues see. A
// set of clues forces a group exactly if no changes alter the group and keep each clue of the set (and, with the mine
// count, the number of mines). Changes found for a set that is too small break other clues, and every larger set that
// does force the group has one of these: that is what the search branches on. Several changes that break no clue in
// common need a clue each, which bounds the search from below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grid.hpp"

namespace mines {

class SmallestReasons {
  public:
    // Look at a position: some clues with unknown neighbours, all that there are if the mine count is to be asked for;
    // and the `sea`, unknown cells that touch no clue, which may then be needed. `truth` has the clue of every place of
    // the grid, negative at mines.
    void look_at(const Grid& grid, const std::vector<Index>& clues, const std::vector<Index>& sea,
                 const std::vector<std::int8_t>& truth);

    // The least number of clues, but no less than `from`, that force one of `cells` together with, if `counted`, the
    // mine count. All clues must force each of them. `found` is such a cell. -1 if that took too much effort to find
    // out.
    int smallest(const std::vector<Index>& cells, bool counted, int from, Index& found);
    // Ask about one cell from now on: which clues have to go, on top of all but the `chosen` ones, before it can be
    // otherwise? As few as possible at a time; none if the chosen ones force it. Clues are named by their place in the
    // list given. False if that takes more than so many steps to find out.
    void ask(Index cell, bool counted);
    bool correction(const std::vector<int>& chosen, std::int64_t effort, std::vector<int>& out);

  private:
    struct Group {
        int least, most;         // how much its number of mines may change
        std::vector<int> clues;  // that see it
    };
    enum Status : std::uint8_t { kFree, kChosen, kBarred };
    // Of a clue: what its groups may change together, or those that are left; and what others have changed so far.
    struct Sums {
        int least, most, sum;
    };
    // A group whose number of mines is to be chosen; bound_ has the chosen clues that see it from the first to the last.
    struct Turn {
        int group, first, last;
    };

    void group(Index cell, const std::vector<int>& seen_by, bool mine);
    void bar_repeated_clues();
    bool forced(int target, int more);
    bool change(int target);
    void reach(int clue);
    bool assign(std::size_t at);
    void balance();
    void find_broken(std::vector<int>& broken);
    void keep_set();
    void choose(int clue);
    void drop(std::size_t down_to);

    std::vector<Group> groups_;
    std::vector<std::vector<int>> groups_of_;  // of each clue; never shrunk, for the memory of its elements
    std::vector<int> clue_at_, group_at_;      // at each place of the grid, or -1
    std::vector<std::uint8_t> status_;         // of each clue
    std::vector<int> chosen_;
    int asked_ = -1;
    bool counted_ = false;
    std::int64_t effort_ = 0;  // what is left of it

    std::vector<Sums> all_;  // of each clue
    int all_least_ = 0, all_most_ = 0;
    std::vector<Turn> turns_;  // the target, and the groups that chosen clues see
    std::vector<int> bound_;
    std::vector<std::uint8_t> in_order_, reached_;
    std::vector<int> change_;  // of each group
    std::vector<Sums> sums_;   // of each chosen clue
    int broken_ = 0;           // chosen clues of which the changes so far are not 0 together
    int total_ = 0, total_least_ = 0, total_most_ = 0;
    std::vector<int> touched_;  // groups that change
    std::vector<int> shift_;    // of each clue, while looking for broken ones

    // Sets of clues that changes break, found since `smallest` was asked: a bit for each clue, so many words each.
    std::size_t words_ = 1;
    std::vector<std::uint64_t> sets_;
    std::vector<int> sizes_;                 // of each set
    std::vector<std::vector<int>> sets_of_;  // of each group, those whose changes alter it, small ones first; never shrunk
    std::vector<std::uint64_t> chosen_bits_, barred_bits_;
    std::vector<std::uint64_t> taken_;  // for each number of chosen clues, these and those in sets looked at
};

}  // namespace mines

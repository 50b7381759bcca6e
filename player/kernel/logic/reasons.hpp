// Sizes of smallest reasons: the least number of clues that force some cell, in a position with a known layout.
//
// Another layout differs from the known one by changes, one number for each group of cells with the same clues. A set
// of clues forces a group if and only if no changes alter the group and keep each clue of the set (and, with the mine
// count, the number of mines). Changes found for an insufficient set break other clues, and every larger set that
// forces the group contains one of these: the search branches on them. Changes that break disjoint sets of clues need
// one clue each, which gives a lower bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/field.hpp"
#include "logic/closure.hpp"

namespace mines {

class SmallestReasons {
  public:
    // Set a position: clues with unknown neighbours (all of them if the mine count will be used) and `unconstrained`
    // cells, needed only with the mine count. `truth` has the clue of every place of the field, negative at mines. The
    // spare cells are a group that no clue sees.
    void set_position(const Field& field, const std::vector<Index>& clues, const std::vector<Index>& unconstrained,
                      const std::vector<std::int8_t>& truth);

    // Return the least number of clues, but no less than `from`, that force one of `cells`, together with the mine
    // count if `counted`. All clues must force each of them. `found` is such a cell. Returns -1 if the search takes too
    // long.
    int smallest(const std::vector<Index>& cells, bool counted, int from, Index& found);
    // Find the first of the smallest sets of `from` to `most` clues that force one of `cells`, with the mine count if
    // `counted`. Sets are sorted lists of indices in the list of clues, compared clue by clue. No set of fewer than
    // `from` clues may force one of the cells. Returns false without such a set.
    bool first_smallest(const std::vector<Index>& cells, bool counted, int from, int most, std::vector<int>& out);
    // Keep the cells that these clues force.
    void keep_forced(const std::vector<int>& clues, bool counted, std::vector<Index>& cells);
    // Find a minimal set of clues, none of them `chosen`, without which all others let the cell have the other value:
    // every set that forces the cell contains one of them. It is empty if the chosen clues force the cell.
    void find_correction(Index cell, bool counted, const std::vector<int>& chosen, std::vector<int>& out);

  private:
    struct Group {
        int least, most;         // range of the change in its number of mines
        std::vector<int> clues;  // the clues that see it
    };
    enum Status : std::uint8_t { kFree, kChosen, kBarred };
    enum Listed : std::uint8_t { kUnlisted, kListed, kCovered };
    // Of a clue: the range of the total change of its groups (or of those left), and the total so far.
    struct Sums {
        int least, most, sum;
    };
    // A group to be assigned a change; bound_[first .. last) are the indices in sums_ of the chosen clues that see it,
    // and of the total. Changes from `low` to `high` fit; `tried` counts the changes tried.
    struct Branch {
        int group, first, last, low, high, tried;
    };
    // A set of which a clue is chosen; barred_[barred_before ..) are its clues tried before.
    struct Try {
        int set;
        std::size_t barred_before;
    };

    void group(Index cell, const std::vector<int>& seen_by, bool mine);
    void bar_repeated_clues();
    void begin_search(bool counted, std::int64_t effort);
    bool forced(int target, int more);
    bool choose_next(std::size_t before);
    void unchoose();
    void unbar(std::size_t down_to);
    std::optional<bool> decide(int target, int more, int& set);
    void make_first(int target, std::vector<int>& set);
    bool change(int target);
    void count_others();
    int total() const { return static_cast<int>(sums_.size()) - 1; }
    void reach(int clue);
    bool assign();
    void enter(Branch& branch);
    void leave(const Branch& branch);
    bool next_change(Branch& branch);
    void add(const Branch& branch, int by);
    void balance();
    template <class Visit>
    void each_broken(Visit visit);
    void find_broken(std::vector<int>& broken);
    void keep_set();
    void choose(int clue);
    void drop(std::size_t down_to);

    std::vector<Group> groups_;
    std::vector<std::vector<int>> groups_of_;  // of each clue; never shrunk, to reuse the memory of its elements
    std::vector<int> clue_at_, group_at_;      // index at each place of the field, or -1
    std::vector<std::uint8_t> status_;         // of each clue
    std::vector<int> chosen_;
    std::vector<int> found_;  // the set that `forced` found
    bool counted_ = false;
    std::int64_t effort_ = 0;  // remaining search steps

    std::vector<Sums> all_;         // of each clue
    Sums all_total_{};              // of all groups
    std::vector<Branch> branches_;  // the target and the groups that chosen clues see
    std::vector<int> bound_;
    std::vector<std::uint8_t> listed_;  // of each group: kCovered if one of several disjoint chosen clues sees it
    std::vector<std::uint8_t> reached_;
    std::vector<int> change_;   // of each group
    std::vector<Sums> sums_;    // of each chosen clue; last, with the mine count, of the groups not covered
    int broken_ = 0;            // number of these sums that are not 0
    std::vector<int> touched_;  // groups with a change
    std::vector<int> shift_;    // of each clue; zero between calls

    // Sets of clues broken by changes, found since `smallest` was called: one bit for each clue, words_ words for each
    // set.
    std::size_t words_ = 1;
    std::vector<std::uint64_t> sets_;
    std::vector<int> sizes_;  // of each set
    std::vector<std::vector<int>>
        sets_of_;  // of each group, the sets whose changes alter it, small ones first; never shrunk
    std::vector<std::uint64_t> chosen_bits_, barred_bits_;
    std::vector<Try> tries_;
    std::vector<int> barred_;
    std::vector<std::uint64_t> used_;  // for each number of chosen clues: these and the clues of the sets counted
};

// Put a minimal set of `clues` that forces `cell`, a mine or safe, with the mine count if `counted`, and the cells that
// it forces into `step`. Clues that are not needed are dropped, the farthest ones first; all together force the cell.
void minimal_step(const Closure& known, const std::vector<Index>& clues, Index cell, bool mine, bool counted,
                  Step& step);

}  // namespace mines

#include "make/finding.hpp"

#include <utility>

#include "base/interrupt.hpp"

namespace mines {

std::vector<FoundPuzzle> search(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes,
                                bool count_clues) {
    return most_changes > 0 ? repair(recipe, start, stop, most_changes) : screen(recipe, start, stop, count_clues);
}

std::vector<KeptPuzzle> find(const Recipe& recipe, std::uint64_t start, std::uint64_t stop,
                             const FindOptions& options) {
    std::vector<KeptPuzzle> kept;
    Certifier certifier;
    MetricsCalculator measuring;
    for (FoundPuzzle& one : search(recipe, start, stop, options.most_changes, options.count_clues)) {
        check_interrupt_now();
        if (options.accepts && !options.accepts(one.solution)) continue;
        const Metrics metrics = measuring.puzzle(one.puzzle);
        if (metrics.bbbv < options.min_bbbv || metrics.buried > options.max_buried) continue;
        Certificate certificate;
        certificate.clues_at_once = one.solution.clues_at_once;
        if (options.certified) certificate = certifier.certify(one.puzzle, one.solution.easy_clues());
        const PuzzleIds ids = puzzle_ids(one.puzzle);
        kept.push_back({std::move(one), std::move(certificate), metrics, ids});
    }
    return kept;
}

}  // namespace mines

#include "rollout.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>

#include "pulse.hpp"

namespace mines {
namespace {

// Candidates are worth a trial if their present value comes this close to the best.
constexpr double kNear = 0.88;
constexpr std::size_t kMostCandidates = 8;
constexpr int kBatch = 32;
// Decisions of a roller that are remembered before it forgets all of them.
constexpr std::size_t kMostDecided = 1'000'000;
// What is thought of a candidate before its trials: by how much the logarithms of its safety and of its present value
// are above those of the champion's cell, times the chance to win; and how far that is off.
constexpr double kPriorSafety = 0.35;
constexpr double kPriorValue = 0.75;
constexpr double kPriorDoubt = 0.012;
// A candidate of which less than this is to be hoped is dropped, and trials end with the last of them; the champion's
// cell stays unless the lead is so many standard deviations.
constexpr double kLeastGain = 0.0002;
constexpr double kLeastLead = 0.25;
// Fitted to what became of 74,000 guesses of the quick player on expert, intermediate and beginner boards.
constexpr std::array<double, 14> kWeights = {
    2.519, 1.32, -0.3353, -0.8467, -1.547, 2.459, 0.1234, 0.314, 0.05955, 1.034, -9.168, -4.191, -0.0915, -1.55};

// Ends the work of a thread when its time is up, or another one has failed.
struct Stopped {};

double square(double x) { return x * x; }

// The mean of the part above 0 of a normal distribution.
double hope(double mean, double deviation) {
    if (!(deviation > 0)) return std::max(mean, 0.0);
    const double z = mean / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
    return deviation * density + mean * std::erfc(-z / std::sqrt(2.0)) / 2;
}

// About the chance to win if the cell chosen is safe, after a choice that counted the position: a logistic function of
// what explains the luck of rollouts. Weights that are off bias no rollout, they only leave it more luck.
double outlook(const Guesser& guesser) {
    const Candidate& choice = guesser.candidates().front();
    const Position& position = guesser.position();
    const Grid& grid = position.grid();
    const double unknown = grid.unknown_left;
    const double sea = static_cast<double>(position.sea().size());
    const double layouts = std::max(0.0, position.focus_log_layouts());
    const double density = grid.mines_left / unknown;
    const std::array<double, kWeights.size()> features = {
        1,
        layouts / 100,
        layouts * layouts / 10'000,
        std::log1p(layouts),
        std::log(std::max(choice.safety, 1e-9)),
        choice.value,
        choice.progress,
        unknown / 100,
        (unknown - sea) / 50,
        sea / unknown,
        density,
        density * layouts / 100,
        sea > 0 ? position.mine(position.sea().front()) : density,
        static_cast<double>(position.focus().size()) / 10};
    double sum = 0;
    for (std::size_t i = 0; i < features.size(); ++i) sum += kWeights[i] * features[i];
    return 1 / (1 + std::exp(-sum));
}

}  // namespace

void Roller::play(const Closure& root, std::uint64_t name, const std::vector<std::uint8_t>& layout,
                  const std::vector<Index>& cells, std::uint8_t* safe, double* worth) {
    dealer_.deal(root.grid(), layout, name);
    for (std::size_t c = 0; c < cells.size(); ++c) {
        safe[c] = layout[cells[c]] == 0;
        worth[c] = safe[c] ? play_on(root, cells[c]) : 0;
    }
}

double Roller::play_on(const Closure& root, Index cell) {
    dealer_.rewind();
    closure_.know_as(root);
    dealer_.open(cell, closure_);
    double weight = 1;      // the chance to have won what was solved
    double correction = 0;  // has mean 0: the luck of the guesses, by about what they win or lose
    while (!deduce(closure_, dealer_, steps_)) {
        const Decision& decision = decide();
        if (decision.solved >= 0) {
            weight *= decision.value;
            // Won or not, it has no bearing on the rest.
            for (const Index one : solved_[decision.solved])
                if (closure_.grid().state[one] == kUnknown && !dealer_.open(one, closure_)) closure_.settle(one, true);
            continue;
        }
        if (decision.cell < 0) return correction;
        const bool survived = dealer_.open(decision.cell, closure_);
        correction -= weight * decision.outlook * ((survived ? 1 : 0) - decision.safety);
        if (!survived) return correction;
    }
    return weight + correction;
}

const Roller::Decision& Roller::decide() {
    const Grid& grid = closure_.grid();
    if (decided_.size() >= kMostDecided) {
        decided_.clear();
        solved_.clear();
    }
    const auto known = decided_.find(dealer_.name());
    if (known != decided_.end()) return known->second;
    // Remembered only once it is made, as that may be interrupted.
    const bool chosen = guesser_.choose(grid);
    Decision& decision = decided_[dealer_.name()];
    if (!chosen) return decision;
    const Candidate& choice = guesser_.candidates().front();
    decision.cell = choice.cell;
    decision.value = choice.value;
    decision.safety = choice.safety;
    if (guesser_.solved()) {
        decision.solved = static_cast<int>(solved_.size());
        solved_.emplace_back();
        guesser_.solved_cells(grid, solved_.back());
    } else if (guesser_.counted()) {
        decision.outlook = outlook(guesser_);
    }
    return decision;
}

std::chrono::steady_clock::time_point deadline_after(double seconds) {
    using Clock = std::chrono::steady_clock;
    if (seconds <= 0) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Trials::Trials(Strategy base, int threads) {
    for (int thread = 0; thread < threads; ++thread) rollers_.push_back(std::make_unique<Roller>(base));
}

bool Trials::begin(const Closure& root, std::uint64_t seed) {
    root_.know_as(root);
    std::vector<Step> steps(1);
    std::size_t count = 0;
    // What logic looked at need not be looked at in every layout again.
    root_.one_clue(steps[0]);
    if (steps[0].empty()) root_.two_clues(steps[0]);
    if (steps[0].empty()) root_.more_clues(steps, count);
    if (count > 0 || !steps[0].empty() || root_.inconsistent()) return false;
    name_ = Dealer::name_position(root_.grid(), root_);
    seed_ = seed;
    return counter_.count(root_.grid()) == Fit::ok;
}

int Trials::run(const std::vector<Index>& cells, int first, int last, Clock::time_point deadline,
                std::vector<std::uint8_t>& safe, std::vector<double>& worth) {
    const Grid& grid = root_.grid();
    const std::size_t count = static_cast<std::size_t>(last - first);
    safe.assign(count * cells.size(), 0);
    worth.assign(count * cells.size(), 0);
    if (layouts_.size() < count) layouts_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        slow_pulse();
        layouts_[i].assign(grid.state.size(), 0);
        for (Index cell = 0; cell < grid.size(); ++cell) layouts_[i][cell] = grid.state[cell] == kMine;
        Words words(seed_, static_cast<std::uint64_t>(first) + i);
        counter_.sample(words, layouts_[i].data());
    }

    // Each thread takes the next layout. When time is up, in the midst of some, those before the first of them count.
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::vector<std::size_t> unfinished(rollers_.size(), count);
    std::vector<std::exception_ptr> failures(rollers_.size());
    const Pulse* const asked = Pulse::latest();
    const bool timed = deadline != Clock::time_point::max();
    const auto work = [&](std::size_t thread) {
        try {
            // The first is the thread of whoever asked, who is still let in.
            const Pulse watch([&] {
                if (stopped || (timed && Clock::now() >= deadline)) throw Stopped{};
                if (thread == 0 && asked != nullptr) asked->beat();
            });
            for (;;) {
                slow_pulse();
                const std::size_t i = next++;
                if (i >= count) return;
                unfinished[thread] = i;
                rollers_[thread]->play(root_, name_, layouts_[i], cells, safe.data() + i * cells.size(),
                                       worth.data() + i * cells.size());
                unfinished[thread] = count;
            }
        } catch (const Stopped&) {
            return;
        } catch (...) {
            failures[thread] = std::current_exception();
            stopped = true;
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(rollers_.size());
    try {
        while (threads.size() + 1 < rollers_.size()) threads.emplace_back(work, threads.size() + 1);
    } catch (const std::exception&) {
        // The system has no more threads, or no room for them. Those that have begun play all layouts as well.
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    unfinished.push_back(next);
    return static_cast<int>(*std::min_element(unfinished.begin(), unfinished.end()));
}

Rollout::Rollout(const RolloutOptions& options) : options_(options), trials_(options.base, options.threads) {}

bool Rollout::choose(const Closure& closure) {
    const auto deadline = deadline_after(options_.seconds);
    tried_.clear();
    const Grid& grid = closure.grid();
    if (!champion_.choose(grid)) return false;
    tried_.push_back({champion_.candidates().front()});
    if (champion_.decided() || !champion_.counted()) return true;
    list_candidates(grid);
    if (tried_.size() > 1 && trials_.begin(closure, Dealer::name_position(grid, closure))) compare(deadline);
    return true;
}

// The champion's cell first, then what comes near the best at a glance.
void Rollout::list_candidates(const Grid& grid) {
    if (!glance_.choose(grid) || glance_.solved()) return;
    const std::vector<Candidate>& seen = glance_.candidates();
    const Index choice = tried_[0].candidate.cell;
    const auto same = std::find_if(seen.begin(), seen.end(), [&](const Candidate& one) { return one.cell == choice; });
    if (same == seen.end()) return;
    tried_[0].candidate = *same;
    for (const Candidate& one : seen) {
        if (tried_.size() == kMostCandidates || one.value < kNear * seen.front().value) break;
        if (one.cell != choice) tried_.push_back({one});
    }
}

void Rollout::compare(Trials::Clock::time_point deadline) {
    worths_.assign(tried_.size(), {});
    safes_.assign(tried_.size(), {});
    std::vector<Index> cells;
    std::vector<std::size_t> playing;
    std::vector<std::uint8_t> safe;
    std::vector<double> worth;
    for (int first = 0; first < options_.layouts;) {
        cells.clear();
        playing.clear();
        for (std::size_t c = 0; c < tried_.size(); ++c) {
            if (tried_[c].dropped) continue;
            playing.push_back(c);
            cells.push_back(tried_[c].candidate.cell);
        }
        const int last = std::min(first + kBatch, options_.layouts);
        const int played = trials_.run(cells, first, last, deadline, safe, worth);
        for (int i = 0; i < played; ++i) {
            for (std::size_t p = 0; p < playing.size(); ++p) {
                safes_[playing[p]].push_back(safe[i * playing.size() + p]);
                worths_[playing[p]].push_back(worth[i * playing.size() + p]);
            }
        }
        weigh_up();
        if (!narrow_down() || played < last - first) break;
        first = last;
    }
    const std::size_t choice = best();
    std::rotate(tried_.begin(), tried_.begin() + static_cast<std::ptrdiff_t>(choice),
                tried_.begin() + static_cast<std::ptrdiff_t>(choice) + 1);
    std::stable_sort(tried_.begin() + 1, tried_.end(), [](const Trial& a, const Trial& b) { return a.lead > b.lead; });
}

// Work out what to think of the candidates after the trials so far. All are compared with the first in the layouts that
// both were played in.
void Rollout::weigh_up() {
    // The chance to survive is known, so only what follows is estimated: a result given survival, r, counts r * safety.
    const auto mean_if_safe = [&](std::size_t c) {
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i < worths_[c].size(); ++i) {
            sum += worths_[c][i];
            count += safes_[c][i];
        }
        return count > 0 ? sum / count : 0;
    };
    const auto adjusted = [&](std::size_t c, std::size_t i, double mean) {
        return worths_[c][i] - mean * (safes_[c][i] - tried_[c].candidate.safety);
    };
    const double first_mean = mean_if_safe(0);
    for (std::size_t c = 0; c < tried_.size(); ++c) {
        Trial& trial = tried_[c];
        if (trial.dropped) continue;
        const std::size_t count = worths_[c].size();
        if (count < 2) continue;
        trial.layouts = static_cast<int>(count);
        const double mean = mean_if_safe(c);
        const double n = static_cast<double>(count);
        double sum = 0, squares = 0, lead = 0, lead_squares = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double own = adjusted(c, i, mean);
            const double difference = own - adjusted(0, i, first_mean);
            sum += own;
            squares += own * own;
            lead += difference;
            lead_squares += difference * difference;
        }
        trial.worth = sum / n;
        trial.error = std::sqrt(std::max(0.0, squares / n - square(sum / n)) / (n - 1));
        if (c == 0) continue;
        const Candidate& champions = tried_[0].candidate;
        trial.prior = tried_[0].worth * (kPriorSafety * std::log(trial.candidate.safety / champions.safety) +
                                         kPriorValue * std::log(trial.candidate.value / champions.value));
        // A few layouts that happen to agree are no proof: the spread is not taken for less than that of one in which
        // they differ.
        const double spread = std::max(lead_squares / n - square(lead / n), 1 / n);
        const double trust = (n - 1) / spread;
        const double prior_trust = 1 / square(kPriorDoubt);
        trial.lead = (trial.prior * prior_trust + lead / n * trust) / (prior_trust + trust);
        trial.doubt = 1 / std::sqrt(prior_trust + trust);
    }
}

// Drop the candidates of which too little is to be hoped; false if none is left to compare with the best.
bool Rollout::narrow_down() {
    const Trial& leader = tried_[best()];
    bool open = false;
    for (Trial& trial : tried_) {
        if (&trial == &leader || trial.dropped) continue;
        // The first is what all are compared with, so it stays, and its doubt is that of the leader.
        const bool first = &trial == &tried_[0];
        if (hope(trial.lead - leader.lead, first ? leader.doubt : trial.doubt) >= kLeastGain) {
            open = true;
        } else if (!first) {
            trial.dropped = true;
        }
    }
    return open;
}

std::size_t Rollout::best() const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < tried_.size(); ++c)
        if (!tried_[c].dropped && tried_[c].lead > std::max(tried_[best].lead, kLeastLead * tried_[c].doubt)) best = c;
    return best;
}

}  // namespace mines

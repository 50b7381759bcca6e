#include "search/rollout.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// Candidates get rollouts if their quick value comes this close to the best.
constexpr double kNear = 0.88;
constexpr std::size_t kMostCandidates = 8;
constexpr int kLayoutsAtATime = 32;
// A player forgets its decisions when it has this many.
constexpr std::size_t kMostDecided = 1'000'000;
// Prior of a candidate: this share of the difference in the logarithms of the values, times the win probability; and
// its standard deviation, if the champion computed the values or only the quick player did. Fitted to 840 leads in
// expert games.
constexpr double kPrior = 0.9;
constexpr double kPriorDoubt = 0.006;
constexpr double kQuickDoubt = 0.012;
// Candidates with less expected gain are dropped, and rollouts end with the last of them. The champion's cell stays
// unless the lead exceeds this number of standard deviations.
constexpr double kLeastGain = 0.0002;
constexpr double kLeastLead = 0.25;
// Fitted to the results of 74,000 guesses of the quick player on expert, intermediate and beginner boards.
constexpr std::array<double, 14> kWeights = {2.519, 1.32,    -0.3353, -0.8467, -1.547, 2.459,   0.1234,
                                             0.314, 0.05955, 1.034,   -9.168,  -4.191, -0.0915, -1.55};

// Ends the work of a thread at the deadline or after a failure in another thread.
struct RolloutStopped {};

double square(double x) { return x * x; }

// The mean of the positive part of a normal distribution.
double expected_gain(double mean, double deviation) {
    if (!(deviation > 0)) return std::max(mean, 0.0);
    const double z = mean / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
    return deviation * density + mean * std::erfc(-z / std::sqrt(2.0)) / 2;
}

// Predict the win probability if the chosen cell is safe, after a choice that counted the position: a logistic function
// of features that explain the luck of rollouts. Errors in the weights cause no bias, only more variance.
double predicted_win(const Guesser& guesser) {
    const Candidate& choice = guesser.candidates().front();
    const Position& position = guesser.position();
    const Field& field = position.field();
    const double unknown = field.unknown_left;
    const double unconstrained = static_cast<double>(position.unconstrained().size());
    const double layouts = std::max(0.0, position.focus_log_layouts());
    const double density = field.mines_left / unknown;
    const std::array<double, kWeights.size()> features = {
        1,
        layouts / 100,
        layouts * layouts / 10'000,
        std::log1p(layouts),
        std::log(std::max(choice.safety, 1e-9)),
        choice.value,
        choice.progress,
        unknown / 100,
        (unknown - unconstrained) / 50,
        unconstrained / unknown,
        density,
        density * layouts / 100,
        unconstrained > 0 ? position.mine(position.unconstrained().front()) : density,
        static_cast<double>(position.focus().size()) / 10};
    double sum = 0;
    for (std::size_t i = 0; i < features.size(); ++i) sum += kWeights[i] * features[i];
    return 1 / (1 + std::exp(-sum));
}

}  // namespace

void RolloutPlayer::play(const Closure& root, std::uint64_t hash, const std::vector<std::uint8_t>& layout,
                         const std::vector<Index>& cells, std::uint8_t* safe, double* value) {
    board_.set_up(root.field(), layout, hash);
    for (std::size_t c = 0; c < cells.size(); ++c) {
        safe[c] = layout[cells[c]] == 0;
        value[c] = safe[c] ? play_on(root, cells[c]) : 0;
    }
}

double RolloutPlayer::play_on(const Closure& root, Index cell) {
    board_.rewind();
    closure_.assign(root);
    board_.open(cell, closure_);
    double weight = 1;      // win probability of the parts solved exactly
    double correction = 0;  // control variate with mean 0, against the luck of the guesses
    while (!deduce(closure_, board_, steps_)) {
        const Decision& decision = decide();
        if (decision.solved >= 0) {
            weight *= decision.value;
            // Its result does not affect the rest.
            for (const Index one : solved_[decision.solved])
                if (closure_.field().state[one] == kUnknown && !board_.open(one, closure_)) closure_.mark(one, true);
            continue;
        }
        if (decision.cell < 0) return correction;
        const bool survived = board_.open(decision.cell, closure_);
        correction -= weight * decision.predicted_win * ((survived ? 1 : 0) - decision.safety);
        if (!survived) return correction;
    }
    return weight + correction;
}

const RolloutPlayer::Decision& RolloutPlayer::decide() {
    const Field& field = closure_.field();
    if (decided_.size() >= kMostDecided) {
        decided_.clear();
        solved_.clear();
    }
    const auto known = decided_.find(board_.hash());
    if (known != decided_.end()) return known->second;
    // Stored only after the choice, which may be interrupted.
    const bool chosen = guesser_.choose(field);
    Decision& decision = decided_[board_.hash()];
    if (!chosen) return decision;
    const Candidate& choice = guesser_.candidates().front();
    decision.cell = choice.cell;
    decision.value = choice.value;
    decision.safety = choice.safety;
    if (guesser_.solved()) {
        decision.solved = static_cast<int>(solved_.size());
        solved_.emplace_back();
        guesser_.solved_cells(field, solved_.back());
    } else if (guesser_.counted()) {
        decision.predicted_win = predicted_win(guesser_);
    }
    return decision;
}

std::chrono::steady_clock::time_point deadline_after(double seconds) {
    using Clock = std::chrono::steady_clock;
    if (seconds <= 0) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Trials::Trials(const Strategy& base, int threads) {
    for (int thread = 0; thread < threads; ++thread) players_.push_back(std::make_unique<RolloutPlayer>(base));
}

bool Trials::set_position(const Closure& root, std::uint64_t seed) {
    root_.assign(root);
    std::vector<Step> steps;
    std::size_t count = 0;
    // Run logic once here instead of once per layout.
    if (root_.next_round(steps, count) == Fit::inconsistent || count > 0) return false;
    hash_ = HiddenBoard::hash_position(root_.field(), root_);
    seed_ = seed;
    return counter_.count(root_.field()) == Fit::ok;
}

int Trials::run(const std::vector<Index>& cells, int first, int last, Clock::time_point deadline,
                std::vector<std::uint8_t>& safe, std::vector<double>& value) {
    const Field& field = root_.field();
    const std::size_t count = static_cast<std::size_t>(last - first);
    safe.assign(count * cells.size(), 0);
    value.assign(count * cells.size(), 0);
    if (layouts_.size() < count) layouts_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        check_interrupt_now();
        layouts_[i].assign(field.state.size(), 0);
        for (Index cell = 0; cell < field.size(); ++cell) layouts_[i][cell] = field.state[cell] == kMine;
        RandomWords words(seed_, static_cast<std::uint64_t>(first) + i);
        counter_.sample(words, layouts_[i].data());
    }

    // Each thread takes the next layout. At the deadline, the layouts before the first unfinished one count.
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::vector<std::size_t> unfinished(players_.size(), count);
    std::vector<std::exception_ptr> failures(players_.size());
    const InterruptCheck* const asked = InterruptCheck::current_check();
    const bool timed = deadline != Clock::time_point::max();
    const auto work = [&](std::size_t thread) {
        try {
            // The first one is the caller's thread, which stays interruptible.
            const InterruptCheck watch([&] {
                if (stopped || (timed && Clock::now() >= deadline)) throw RolloutStopped{};
                if (thread == 0 && asked != nullptr) asked->beat();
            });
            for (;;) {
                check_interrupt_now();
                const std::size_t i = next++;
                if (i >= count) return;
                unfinished[thread] = i;
                players_[thread]->play(root_, hash_, layouts_[i], cells, safe.data() + i * cells.size(),
                                       value.data() + i * cells.size());
                unfinished[thread] = count;
            }
        } catch (const RolloutStopped&) {
            return;
        } catch (...) {
            failures[thread] = std::current_exception();
            stopped = true;
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(players_.size());
    try {
        while (threads.size() + 1 < players_.size()) threads.emplace_back(work, threads.size() + 1);
    } catch (const std::exception&) {
        // The system refused more threads. The existing ones play all layouts.
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    unfinished.push_back(next);
    return static_cast<int>(*std::min_element(unfinished.begin(), unfinished.end()));
}

Rollout::Rollout(const RolloutOptions& options) : options_(options), trials_(*options.base, options.threads) {}

bool Rollout::choose(const Closure& closure) {
    const auto deadline = deadline_after(options_.seconds);
    trials_of_choice_.clear();
    const Field& field = closure.field();
    if (!champion_.choose(field)) return false;
    trials_of_choice_.push_back({champion_.candidates().front()});
    if (champion_.decided() || !champion_.counted()) return true;
    if (options_.most_unknown > 0 && field.unknown_left > options_.most_unknown) return true;
    list_candidates(field);
    if (trials_of_choice_.size() > 1 && trials_.set_position(closure, HiddenBoard::hash_position(field, closure)))
        compare(deadline);
    return true;
}

// List the champion's cell, then the cells with a quick value close to the best.
void Rollout::list_candidates(const Field& field) {
    if (!quick_.choose(field) || quick_.solved()) return;
    const std::vector<Candidate>& seen = quick_.candidates();
    const auto find = [](const std::vector<Candidate>& all, Index cell) {
        return std::find_if(all.begin(), all.end(), [&](const Candidate& one) { return one.cell == cell; });
    };
    const std::vector<Candidate>& leaders = champion_.candidates();
    const Candidate choice = leaders.front();
    const auto quick_choice = find(seen, choice.cell);
    if (quick_choice == seen.end()) return;
    for (const Candidate& one : seen) {
        if (trials_of_choice_.size() == kMostCandidates || one.value < kNear * seen.front().value) break;
        if (one.cell == choice.cell) continue;
        Trial trial{one};
        const auto leader = find(leaders, one.cell);
        const bool compared = leader != leaders.end();
        trial.prior = kPrior * std::log(compared ? leader->value / choice.value : one.value / quick_choice->value);
        trial.prior_doubt = compared ? kPriorDoubt : kQuickDoubt;
        trials_of_choice_.push_back(trial);
    }
}

void Rollout::compare(Trials::Clock::time_point deadline) {
    values_.assign(trials_of_choice_.size(), {});
    safe_.assign(trials_of_choice_.size(), {});
    std::vector<Index> cells;
    std::vector<std::size_t> playing;
    std::vector<std::uint8_t> safe;
    std::vector<double> value;
    for (int first = 0; first < options_.layouts;) {
        cells.clear();
        playing.clear();
        for (std::size_t c = 0; c < trials_of_choice_.size(); ++c) {
            if (trials_of_choice_[c].dropped) continue;
            playing.push_back(c);
            cells.push_back(trials_of_choice_[c].candidate.cell);
        }
        const int last = std::min(first + kLayoutsAtATime, options_.layouts);
        const int played = trials_.run(cells, first, last, deadline, safe, value);
        for (int i = 0; i < played; ++i) {
            for (std::size_t p = 0; p < playing.size(); ++p) {
                safe_[playing[p]].push_back(safe[i * playing.size() + p]);
                values_[playing[p]].push_back(value[i * playing.size() + p]);
            }
        }
        update_estimates();
        if (!drop_hopeless() || played < last - first) break;
        first = last;
    }
    const std::size_t choice = best();
    std::rotate(trials_of_choice_.begin(), trials_of_choice_.begin() + static_cast<std::ptrdiff_t>(choice),
                trials_of_choice_.begin() + static_cast<std::ptrdiff_t>(choice) + 1);
    std::stable_sort(trials_of_choice_.begin() + 1, trials_of_choice_.end(),
                     [](const Trial& a, const Trial& b) { return a.lead > b.lead; });
}

// Update the estimates of all candidates, each compared with the first in their common layouts.
void Rollout::update_estimates() {
    // The probability of survival is known, so estimate only the rest: a result r given survival counts r * safety.
    const auto mean_if_safe = [&](std::size_t c) {
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i < values_[c].size(); ++i) {
            sum += values_[c][i];
            count += safe_[c][i];
        }
        return count > 0 ? sum / count : 0;
    };
    const auto adjusted = [&](std::size_t c, std::size_t i, double mean) {
        return values_[c][i] - mean * (safe_[c][i] - trials_of_choice_[c].candidate.safety);
    };
    const double first_mean = mean_if_safe(0);
    for (std::size_t c = 0; c < trials_of_choice_.size(); ++c) {
        Trial& trial = trials_of_choice_[c];
        if (trial.dropped) continue;
        const std::size_t count = values_[c].size();
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
        trial.value = sum / n;
        trial.error = std::sqrt(std::max(0.0, squares / n - square(sum / n)) / (n - 1));
        if (c == 0) continue;
        // A few equal results are no proof: assume at least the variance of one layout that differs.
        const double spread = std::max(lead_squares / n - square(lead / n), 1 / n);
        const double trust = (n - 1) / spread;
        const double prior_trust = 1 / square(trial.prior_doubt);
        const double prior = trial.prior * trials_of_choice_[0].value;
        trial.lead = (prior * prior_trust + lead / n * trust) / (prior_trust + trust);
        trial.doubt = 1 / std::sqrt(prior_trust + trust);
    }
}

// Drop candidates with too little expected gain. Returns false if none is left to compare with the best.
bool Rollout::drop_hopeless() {
    const Trial& leader = trials_of_choice_[best()];
    bool open = false;
    for (Trial& trial : trials_of_choice_) {
        if (&trial == &leader || trial.dropped) continue;
        // All candidates are compared with the first, so it stays; its deviation is that of the leader.
        const bool first = &trial == &trials_of_choice_[0];
        if (expected_gain(trial.lead - leader.lead, first ? leader.doubt : trial.doubt) >= kLeastGain) {
            open = true;
        } else if (!first) {
            trial.dropped = true;
        }
    }
    return open;
}

std::size_t Rollout::best() const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < trials_of_choice_.size(); ++c)
        if (!trials_of_choice_[c].dropped &&
            trials_of_choice_[c].lead > std::max(trials_of_choice_[best].lead, kLeastLead * trials_of_choice_[c].doubt))
            best = c;
    return best;
}

Choose chooser(const RolloutOptions& options) {
    const auto rollout = std::make_shared<Rollout>(options);
    return [rollout, closure = Closure()](const Field& field) mutable {
        closure.reset(field);
        return rollout->choose(closure) ? rollout->trials().front().candidate.cell : -1;
    };
}

}  // namespace mines

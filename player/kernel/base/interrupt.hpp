// Interruption of long computations: a callback that is called regularly and may throw.
#pragma once

#include <functional>
#include <utility>

namespace mines {

// While it exists, computations in this thread call `check` regularly.
class InterruptCheck {
  public:
    explicit InterruptCheck(std::function<void()> beat) : beat_(std::move(beat)), outer_(current()) {
        current() = this;
    }
    ~InterruptCheck() { current() = outer_; }
    InterruptCheck(const InterruptCheck&) = delete;
    InterruptCheck& operator=(const InterruptCheck&) = delete;

    // Return the innermost one of this thread, or null.
    static InterruptCheck* current_check() { return current(); }

    void beat() const { beat_(); }

  private:
    friend void check_interrupt(InterruptCheck*);

    static InterruptCheck*& current() {
        static thread_local InterruptCheck* one = nullptr;
        return one;
    }

    std::function<void()> beat_;
    InterruptCheck* outer_;
    unsigned calls_ = 0;
};

// For steps of up to about 10 microseconds: calls `check` every 512th time, otherwise takes about a nanosecond. Long
// loops look up `current_check` once.
inline void check_interrupt(InterruptCheck* one) {
    if (one != nullptr && (++one->calls_ & 511) == 0) one->beat();
}

inline void check_interrupt() { check_interrupt(InterruptCheck::current_check()); }

// For longer steps: calls `check` every time.
inline void check_interrupt_now() {
    if (const InterruptCheck* const one = InterruptCheck::current_check()) one->beat();
}

}  // namespace mines

// Long work lets whoever asked for it in, now and then: they say what is to be done then, which may throw, and the work
// ends there.
#pragma once

#include <functional>
#include <utility>

namespace mines {

// As long as it lives, work in this thread calls `beat`.
class Pulse {
  public:
    explicit Pulse(std::function<void()> beat) : beat_(std::move(beat)), outer_(current()) { current() = this; }
    ~Pulse() { current() = outer_; }
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;

    // The latest of this thread, or null.
    static Pulse* latest() { return current(); }

    void beat() const { beat_(); }

  private:
    friend void pulse(Pulse*);

    static Pulse*& current() {
        static thread_local Pulse* one = nullptr;
        return one;
    }

    std::function<void()> beat_;
    Pulse* outer_;
    unsigned calls_ = 0;
};

// For steps of up to some ten microseconds: takes about a nanosecond, as it beats every 64th time only. In long loops
// the latest is looked up once.
inline void pulse(Pulse* one) {
    if (one != nullptr && (++one->calls_ & 63) == 0) one->beat();
}

inline void pulse() { pulse(Pulse::latest()); }

// For longer steps.
inline void slow_pulse() {
    if (const Pulse* const one = Pulse::latest()) one->beat();
}

}  // namespace mines

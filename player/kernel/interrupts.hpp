// Ctrl-C during long calls.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace mines {

// Lets Ctrl-C in while the lock is released, about a hundred times a second.
class Interrupts {
  public:
    void poll() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(10);
        nanobind::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

  private:
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace mines

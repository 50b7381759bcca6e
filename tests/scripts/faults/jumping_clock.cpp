// A replacement of the time of day for LD_PRELOAD: each reading is up to twelve hours early or late.
// The monotonic clock, which measures durations, is unchanged.

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

long jump() {
    static std::atomic<unsigned> looks{0};
    const unsigned mixed = (looks++ * 2654435761u) >> 8;
    return static_cast<long>(mixed % 86400) - 43200;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
    const long answer = syscall(SYS_clock_gettime, clock, now);
    if (answer == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
    return static_cast<int>(answer);
}

extern "C" int gettimeofday(struct timeval* now, void*) noexcept {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

extern "C" time_t time(time_t* now) noexcept {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now != nullptr) *now = exact.tv_sec;
    return exact.tv_sec;
}

// Large arrays of zeros whose unused pages take no memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace mines {

// Allocates zeroed memory without writing to it, so the system provides only the pages that are used.
template <class T>
struct Zeros {
    using value_type = T;

    Zeros() = default;
    template <class U>
    Zeros(const Zeros<U>&) {}

    T* allocate(std::size_t count) {
        void* const memory = std::calloc(count, sizeof(T));
#ifdef __cpp_exceptions
        if (memory == nullptr) throw std::bad_alloc();
#else
        if (memory == nullptr) std::abort();
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    // Elements are zero already, or keep the value from before a vector was shortened.
    void construct(T*) {}
    template <class U>
    void construct(T* element, const U& value) {
        *element = value;
    }

    friend bool operator==(const Zeros&, const Zeros&) { return true; }
    friend bool operator!=(const Zeros&, const Zeros&) { return false; }
};

// A vector whose elements start as zeros. Growing it writes nothing.
template <class T>
using LazyVector = std::vector<T, Zeros<T>>;

}  // namespace mines

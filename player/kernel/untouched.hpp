// Arrays of which little may ever be used, of cells of large boards.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace mines {

// Gives memory of zeros that is not written to: pages that nobody uses are never there.
template <class T>
struct Zeros {
    using value_type = T;

    Zeros() = default;
    template <class U>
    Zeros(const Zeros<U>&) {}

    T* allocate(std::size_t count) {
        void* const memory = std::calloc(count, sizeof(T));
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    // Elements are zeros already, or what they were before a vector was shortened.
    void construct(T*) {}
    template <class U>
    void construct(T* element, const U& value) {
        *element = value;
    }

    friend bool operator==(const Zeros&, const Zeros&) { return true; }
    friend bool operator!=(const Zeros&, const Zeros&) { return false; }
};

// Its elements start as zeros. Growing costs nothing.
template <class T>
using Untouched = std::vector<T, Zeros<T>>;

}  // namespace mines

// Large scratch memory without a constructor's pass over it, on huge pages where the system has them: a sort and a sweep touch it in
// random order, and with small pages most of their time would go into looking up addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace rangewise {

// Windows frees aligned memory by a function of its own.
#if defined(_WIN32)
inline void* allocate_aligned(std::size_t alignment, std::size_t bytes) { return _aligned_malloc(bytes, alignment); }
inline void free_aligned(void* memory) { _aligned_free(memory); }
inline void* shrink_aligned(void* memory, std::size_t bytes) { return _aligned_realloc(memory, bytes, alignof(std::max_align_t)); }
#else
inline void* allocate_aligned(std::size_t alignment, std::size_t bytes) { return std::aligned_alloc(alignment, bytes); }
inline void free_aligned(void* memory) { std::free(memory); }
inline void* shrink_aligned(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
#endif

// glibc gives a block back to the system when it is freed, until it has seen a larger one freed (mallopt(3), M_MMAP_THRESHOLD): it then
// keeps blocks up to that size, which is at most 32 MB. The system clears memory before it gives it out, which is a seventh of the time of a
// curve over 10^6 points. So, before blocks of `bytes`, the largest possible one is freed, which nobody has touched. Not before small blocks:
// what is kept of those is a larger part of the memory that a process needs.
inline void keep_freed_blocks([[maybe_unused]] std::size_t bytes) {
#if defined(__GLIBC__)
    constexpr std::size_t least = std::size_t{1} << 23, most = (std::size_t{1} << 25) - (std::size_t{1} << 14);
    if (bytes < least || bytes > most) return;
    void* volatile block = std::malloc(most);  // volatile: compilers leave out a block that nobody uses
    std::free(block);
#endif
}

template <class T>
class Scratch {
    static_assert(std::is_trivially_destructible_v<T>, "scratch memory is freed, not destroyed");

  public:
    explicit Scratch(std::size_t size) {
        const std::size_t bytes = size * sizeof(T);
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        memory_.reset(static_cast<T*>(allocate_aligned(alignment, rounded ? rounded : alignment)));
        if (!memory_) throw std::bad_alloc();
#if defined(__linux__)
        // A wish; nothing depends on it. What does not fill a huge page stays on small ones, so that no memory is taken that is not used. The
        // block itself is not aligned to them: it would be 2 MB larger, and too large to be kept.
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        const std::uintptr_t first = (address + huge_page - 1) / huge_page * huge_page, last = (address + bytes) / huge_page * huge_page;
        if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
    }
    // What another one held, now as `size` values of this type, which need no more memory.
    template <class Other>
    Scratch(Scratch<Other>&& other, std::size_t size) {
        void* const memory = other.release();
        void* const shrunk = shrink_aligned(memory, size ? size * sizeof(T) : alignment);
        memory_.reset(static_cast<T*>(shrunk != nullptr ? shrunk : memory));
    }
    T& operator[](std::size_t i) { return memory_.get()[i]; }
    const T& operator[](std::size_t i) const { return memory_.get()[i]; }
    T* data() { return memory_.get(); }
    // For an owner that will call free_aligned.
    T* release() { return memory_.release(); }

  private:
    static constexpr std::size_t huge_page = std::size_t{1} << 21, alignment = 64;
    struct Free {
        void operator()(T* memory) const { free_aligned(memory); }
    };
    std::unique_ptr<T, Free> memory_;
};

}  // namespace rangewise

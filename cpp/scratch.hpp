// Large scratch memory without a constructor's pass over it, on huge pages where the system has them. A sort and a sweep touch it in random
// order, and with small pages most of their time would go into looking up addresses. Also, the system clears memory page by page when it is
// touched for the first time, and a small page takes it 3 times as long per byte or more.
#pragma once

#include <algorithm>
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

constexpr std::size_t cache_line = 64;

// Windows has functions of its own for aligned memory, and no huge pages for the asking.
#if defined(_WIN32)
constexpr std::size_t huge_page = cache_line;
inline void* allocate_aligned(std::size_t, std::size_t bytes) { return _aligned_malloc(bytes, cache_line); }
inline void free_aligned(void* memory) { _aligned_free(memory); }
inline void* shrink_aligned(void* memory, std::size_t bytes) { return _aligned_realloc(memory, bytes, cache_line); }
#else
constexpr std::size_t huge_page = std::size_t{1} << 21;
inline void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}
inline void free_aligned(void* memory) { std::free(memory); }
inline void* shrink_aligned(void* memory, std::size_t bytes) { return std::realloc(memory, bytes); }
#endif

// glibc gives a block back to the system when it is freed, until it has seen a larger one freed (mallopt(3), M_MMAP_THRESHOLD): it then
// keeps blocks up to that size, which is at most 32 MB. The system clears memory before it gives it out, which is a tenth of the time of a
// curve over 10^6 points. So, before blocks of `bytes`, the largest possible one is freed, which nobody has touched. Not before small blocks:
// what is kept of those is a larger part of the memory that a process needs.
constexpr std::size_t most_kept = (std::size_t{1} << 25) - (std::size_t{1} << 14);
inline void keep_freed_blocks([[maybe_unused]] std::size_t bytes) {
#if defined(__GLIBC__)
    constexpr std::size_t least = std::size_t{1} << 23;
    if (bytes < least || bytes > most_kept) return;
    void* volatile block = std::malloc(most_kept);  // volatile: compilers leave out a block that nobody uses
    std::free(block);
#endif
}

template <class T>
class Scratch {
    static_assert(std::is_trivially_destructible_v<T>, "scratch memory is freed, not destroyed");

  public:
    explicit Scratch(std::size_t size) {
        std::size_t bytes = std::max<std::size_t>(size * sizeof(T), 1);
        // A block that begins with a huge page and has only whole ones needs fewest of the small pages. One that could be kept only without
        // that begins anywhere. Less than half a huge page stays on small ones, so that little memory is taken that is not used.
        const bool kept = bytes <= most_kept && bytes + huge_page > most_kept, aligned = bytes >= huge_page && !kept;
        if (aligned && bytes % huge_page > huge_page / 2) bytes += huge_page - bytes % huge_page;
        memory_.reset(static_cast<T*>(allocate_aligned(aligned ? huge_page : cache_line, bytes)));
        if (!memory_) throw std::bad_alloc();
#if defined(__linux__)
        // A wish; nothing depends on it.
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        const std::uintptr_t first = (address + huge_page - 1) / huge_page * huge_page, last = (address + bytes) / huge_page * huge_page;
        if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
    }
    // What another one held, now as `size` values of this type, which need no more memory.
    template <class Other>
    Scratch(Scratch<Other>&& other, std::size_t size) {
        void* const memory = other.release();
        void* const shrunk = shrink_aligned(memory, std::max<std::size_t>(size * sizeof(T), 1));
        memory_.reset(static_cast<T*>(shrunk != nullptr ? shrunk : memory));
    }
    T& operator[](std::size_t i) { return memory_.get()[i]; }
    const T& operator[](std::size_t i) const { return memory_.get()[i]; }
    T* data() { return memory_.get(); }
    // For an owner that will call free_aligned.
    T* release() { return memory_.release(); }

  private:
    struct Free {
        void operator()(T* memory) const { free_aligned(memory); }
    };
    std::unique_ptr<T, Free> memory_;
};

}  // namespace rangewise

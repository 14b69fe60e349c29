// Large memory for the time of one call.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rangewise {

// Room for `size` values, not yet set. Where the system has large pages to give, a large room gets them: points are visited in the order
// of their scores, and with small pages each visit would first search for its page.
template <class T>
class Scratch {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    explicit Scratch(std::size_t size) : values_(static_cast<T*>(allocate(size * sizeof(T)))) {}
    T& operator[](std::size_t i) { return values_[i]; }
    const T& operator[](std::size_t i) const { return values_[i]; }

  private:
    static constexpr std::size_t cache_line = 64, large_page = std::size_t{1} << 21, large_room = 4 * large_page;

    struct Free {
        void operator()(T* values) const noexcept { std::free(values); }
    };
    static void* allocate(std::size_t bytes) {
        const bool large = bytes >= large_room;
        void* memory = nullptr;
        if (posix_memalign(&memory, large ? large_page : cache_line, bytes)) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: refused, things are only slower
#endif
        return memory;
    }
    std::unique_ptr<T[], Free> values_;
};

}  // namespace rangewise

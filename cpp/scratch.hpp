// Large scratch memory without a constructor's pass over it, on huge pages where the system has them. A sort and a sweep touch it in random
// order, and with small pages most of their time would go into looking up addresses. The system also clears memory when it is touched for the
// first time, which is a fifth of the time of a curve over 10^6 points. So large blocks wait in a reserve for the next call.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace rangewise {

constexpr std::size_t cache_line = 64, huge_page = std::size_t{1} << 21;

// Windows has functions of its own for aligned memory.
#if defined(_WIN32)
inline void* allocate_aligned(std::size_t bytes) { return _aligned_malloc(bytes, cache_line); }
inline void free_aligned(void* memory) { _aligned_free(memory); }
#else
inline void* allocate_aligned(std::size_t bytes) {
    void* memory = nullptr;
    return posix_memalign(&memory, cache_line, bytes) == 0 ? memory : nullptr;
}
inline void free_aligned(void* memory) { std::free(memory); }
#endif

// Memory that begins with a huge page. Null where there is none.
#if defined(__linux__)
inline void* map_pages(std::size_t bytes) {
    void* const mapped = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
    if (before > 0) munmap(begin, before);
    munmap(begin + before + bytes, huge_page - before);
    madvise(begin + before, bytes, MADV_HUGEPAGE);  // a wish; nothing depends on it
    return begin + before;
}
inline void unmap_pages(void* memory, std::size_t bytes) { munmap(memory, bytes); }
#else
inline void* map_pages(std::size_t bytes) { return allocate_aligned(bytes); }
inline void unmap_pages(void* memory, std::size_t) { free_aligned(memory); }
#endif

// A block of memory begins with a cache line that has its size, this line included; what it holds follows.
class MemoryBlock {
  public:
    // Null where there is no memory.
    static void* allocate(std::size_t bytes) {
        bytes += cache_line;
        MemoryBlock* block = nullptr;
        if (is_large(bytes)) {
            // Less than half a huge page at the end stays on small pages, so that little memory is taken that is not used.
            constexpr std::size_t step = huge_page / 2;
            bytes = (bytes + step - 1) / step * step;
            block = take(bytes);
        }
        if (block == nullptr) {
            void* const memory = is_large(bytes) ? map_pages(bytes) : allocate_aligned(bytes);
            if (memory == nullptr) return nullptr;
            block = new (memory) MemoryBlock(bytes);
        }
        return reinterpret_cast<std::byte*>(block) + cache_line;
    }
    static void free(void* content) {
        MemoryBlock* const block = of(content);
        if (!is_large(block->bytes_)) free_aligned(block);
        else if (block->bytes_ > most_kept / 2) unmap_pages(block, block->bytes_);
        else keep(block);
    }
    // How many bytes it can hold.
    static std::size_t capacity(void* content) { return of(content)->bytes_ - cache_line; }

  private:
    explicit MemoryBlock(std::size_t bytes) : bytes_(bytes) {}
    static MemoryBlock* of(void* content) { return reinterpret_cast<MemoryBlock*>(static_cast<std::byte*>(content) - cache_line); }

    // AddressSanitizer only watches memory that goes through the allocator.
    static bool is_large([[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
        return false;
#else
        return bytes >= huge_page;
#endif
    }

    // The reserve. It has no lock, which a fork could leave locked for ever: whoever exchanges a pointer for null owns the block.
    static constexpr std::size_t most_kept = std::size_t{1} << 26;
    static inline std::array<std::atomic<MemoryBlock*>, 8> reserve;
    static inline std::atomic<std::size_t> kept{0}, next{0};  // bytes in the reserve, and where it makes room

    static MemoryBlock* remove(std::atomic<MemoryBlock*>& slot, MemoryBlock* instead = nullptr) {
        MemoryBlock* const block = slot.exchange(instead);
        if (block != nullptr) kept -= block->bytes_;
        return block;
    }
    static MemoryBlock* take(std::size_t bytes) {
        for (std::atomic<MemoryBlock*>& slot : reserve) {
            MemoryBlock* const block = remove(slot);
            if (block == nullptr) continue;
            if (block->bytes_ >= bytes && block->bytes_ - bytes <= bytes / 4) return block;
            keep(block);
        }
        return nullptr;
    }
    static void keep(MemoryBlock* block) {
        const auto make_room = [](MemoryBlock* instead) {
            if (MemoryBlock* const other = remove(reserve[next++ % reserve.size()], instead)) unmap_pages(other, other->bytes_);
        };
        for (std::size_t k = 0; k < reserve.size() && kept + block->bytes_ > most_kept; ++k) make_room(nullptr);
        kept += block->bytes_;
        for (std::atomic<MemoryBlock*>& slot : reserve) {
            MemoryBlock* none = nullptr;
            if (slot.compare_exchange_strong(none, block)) return;
        }
        make_room(block);
    }

    std::size_t bytes_;
};

template <class T>
class Scratch {
    static_assert(std::is_trivially_destructible_v<T>, "scratch memory is freed, not destroyed");

  public:
    explicit Scratch(std::size_t size) : memory_(static_cast<T*>(MemoryBlock::allocate(size * sizeof(T)))) {
        if (!memory_) throw std::bad_alloc();
    }
    // What another one held, now as `size` values of this type, which need no more memory.
    template <class Other>
    Scratch(Scratch<Other>&& other, std::size_t size) : memory_(reinterpret_cast<T*>(other.release())) {
        if (size * sizeof(T) >= MemoryBlock::capacity(memory_.get()) / 4 * 3) return;
        Scratch smaller(size);
        std::memcpy(static_cast<void*>(smaller.data()), memory_.get(), size * sizeof(T));
        memory_ = std::move(smaller.memory_);
    }
    T& operator[](std::size_t i) { return memory_.get()[i]; }
    const T& operator[](std::size_t i) const { return memory_.get()[i]; }
    T* data() { return memory_.get(); }
    // For an owner that will call MemoryBlock::free.
    T* release() { return memory_.release(); }

  private:
    struct Free {
        void operator()(T* memory) const { MemoryBlock::free(memory); }
    };
    std::unique_ptr<T, Free> memory_;
};

}  // namespace rangewise

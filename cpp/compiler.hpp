// What compilers spell differently. RANGEWISE_PORTABLE leaves out all that only some of them have, to test what the others compile.
#pragma once

#include <cstddef>
#include <cstring>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(RANGEWISE_PORTABLE)
#define RANGEWISE_GNU 1
#else
#define RANGEWISE_GNU 0
#endif

// Functions for AVX2 and AVX-512 beside those for every machine, of which one is chosen at run time.
#if RANGEWISE_GNU && defined(__x86_64__)
#define RANGEWISE_X86 1
#define RANGEWISE_AVX2 "avx2,bmi,bmi2,popcnt,lzcnt"
#define RANGEWISE_AVX512 RANGEWISE_AVX2 ",avx512f,avx512bw,avx512vl,avx512vpopcntdq"
#else
#define RANGEWISE_X86 0
#endif

#if RANGEWISE_GNU
#define RANGEWISE_ALWAYS_INLINE [[gnu::always_inline]] inline
#elif defined(_MSC_VER)
#define RANGEWISE_ALWAYS_INLINE __forceinline
#else
#define RANGEWISE_ALWAYS_INLINE inline
#endif

// A loop of a few rounds, known to the compiler, without the loop; of any other, several rounds at a time.
#if RANGEWISE_GNU && !defined(__clang__)
#define RANGEWISE_UNROLL _Pragma("GCC unroll 16")
#elif RANGEWISE_GNU
#define RANGEWISE_UNROLL _Pragma("unroll")
#else
#define RANGEWISE_UNROLL
#endif

namespace rangewise {

// Eight numbers that are added and multiplied at once, in as many instructions as the machine needs for it.
constexpr std::size_t lanes = 8;
#if RANGEWISE_GNU
typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));
#else
struct Lanes {
    float lane[lanes];

    Lanes& operator+=(const Lanes& other) {
        for (std::size_t k = 0; k < lanes; ++k) lane[k] += other.lane[k];
        return *this;
    }
    friend Lanes operator*(const Lanes& one, const Lanes& other) {
        Lanes product;
        for (std::size_t k = 0; k < lanes; ++k) product.lane[k] = one.lane[k] * other.lane[k];
        return product;
    }
    friend Lanes operator*(const Lanes& one, float factor) {
        Lanes product;
        for (std::size_t k = 0; k < lanes; ++k) product.lane[k] = one.lane[k] * factor;
        return product;
    }
};
#endif
// By reference: how eight numbers are passed by value depends on the instruction set.
RANGEWISE_ALWAYS_INLINE void load(Lanes& to, const float* from) { std::memcpy(&to, from, sizeof(Lanes)); }
RANGEWISE_ALWAYS_INLINE void store(float* to, const Lanes& from) { std::memcpy(to, &from, sizeof(Lanes)); }

// Asks for memory that will be read or written soon; nothing but speed depends on it, and the address may be anywhere.
RANGEWISE_ALWAYS_INLINE void prefetch_to_read([[maybe_unused]] const void* address) {
#if RANGEWISE_GNU
    __builtin_prefetch(address, 0);
#endif
}
RANGEWISE_ALWAYS_INLINE void prefetch_to_write([[maybe_unused]] const void* address) {
#if RANGEWISE_GNU
    __builtin_prefetch(address, 1);
#endif
}

}  // namespace rangewise

// What compilers spell differently. RANGEWISE_PORTABLE leaves out all that only some of them have, to test what the others compile.
#pragma once

#if (defined(__GNUC__) || defined(__clang__)) && !defined(RANGEWISE_PORTABLE)
#define RANGEWISE_GNU 1
#else
#define RANGEWISE_GNU 0
#endif

// Functions for AVX2 beside those for every machine, of which one is chosen at run time.
#if RANGEWISE_GNU && defined(__x86_64__)
#define RANGEWISE_X86 1
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

namespace rangewise {

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

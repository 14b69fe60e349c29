// Positional bias: how much each position i = 1..L of a range of length L weighs.
//
// Every built-in bias is known by its prefix sum W(k) = delta(1) + ... + delta(k), so that an overlap of positions s+1..e weighs
// W(e) - W(s), whatever its length (the paper's second optimization). Sums are integers: they are exact, in any order.
#pragma once

#include <cstdint>
#include <span>

#include "ranges.hpp"
#include "wide.hpp"

namespace rangewise {

// Python knows these by name (bindings.cpp). A switch over them lists every case and has no default: the compiler then names the
// places that a new bias has forgotten.
enum class Bias : int {
    flat,
    front,
    back,
    middle,
    table,  // a user's own: cumulative weights for each distinct length
    sized,  // a user's own size function: the sum of omega is given for each range
};

// Positions of very long ranges sum up beyond 64 bits: Int is std::int64_t or wide. No sum is negative, so that a shift halves it.
template <class Int>
constexpr Int triangle(Int k) {
    return (k * (k + 1)) >> 1;
}

template <class Int>
constexpr Int prefix_weight(Bias bias, std::int64_t positions, std::int64_t length) {
    const Int k = positions, total = length;
    switch (bias) {
        case Bias::flat: return k;
        case Bias::front: return k * (total + 1) - triangle(k);
        case Bias::back: return triangle(k);
        case Bias::middle: {
            const Int half = total >> 1;  // i <= L / 2 rises; the rest falls as L - i + 1
            const Int rising = k <= half ? k : half, falling = k <= half ? half : k;
            return triangle(rising) + triangle(total - half) - triangle(total - falling);
        }
        case Bias::table:
        case Bias::sized: break;  // given by the user, not summed here
    }
    return 0;
}

// 64-bit sums hold for ranges up to this length: L (L + 1) is the largest value on the way.
constexpr std::int64_t longest_narrow_range = std::int64_t{1} << 31;

}  // namespace rangewise

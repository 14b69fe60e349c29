// A power of (L - 1) / L from additions, multiplications and divisions only. These are rounded alike everywhere, while exp and log1p differ
// in the last bit between C libraries and browsers. kernel.js has the same steps.
#pragma once

#include <cstdint>

namespace rangewise {

// A number as the sum of two doubles, the second far below the last bit of the first.
struct TwoDoubles {
    double high, low;
};

// a * b without any rounding (Dekker 1971; 2^27 + 1 splits a double into two halves).
inline TwoDoubles exact_product(double a, double b) {
    constexpr double splitter = 134217729.0;
    const double a_shifted = splitter * a, a_high = a_shifted - (a_shifted - a), a_low = a - a_high;
    const double b_shifted = splitter * b, b_high = b_shifted - (b_shifted - b), b_low = b - b_high;
    const double product = a * b;
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

inline TwoDoubles operator*(TwoDoubles a, TwoDoubles b) {
    const TwoDoubles product = exact_product(a.high, b.high);
    const double low = product.low + (a.high * b.low + a.low * b.high), high = product.high + low;
    return {high, low - (high - product.high)};
}

// ((length - 1) / length)^exponent, rounded once but for ties. The length is at least 2 and the exponent below it, because a range has at most
// as many overlaps as points; so the power is never below 1/e.
inline double shrunk(std::int64_t length, std::int64_t exponent) {
    const auto whole = static_cast<double>(length);
    const double inverse = 1.0 / whole;
    const TwoDoubles product = exact_product(inverse, whole);
    const double rest = ((1.0 - product.high) - product.low) / whole, high = 1.0 - inverse;
    TwoDoubles base{high, ((1.0 - high) - inverse) - rest}, power{1.0, 0.0};
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) power = power * base;
        base = base * base;
    }
    return power.high;
}

}  // namespace rangewise

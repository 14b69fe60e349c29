// Whole numbers of 128 bits: the compiler's own where it has them, two words elsewhere (MSVC has none). The results are the same, bit for bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "compiler.hpp"

#if defined(__SIZEOF_INT128__) && RANGEWISE_GNU
#define RANGEWISE_INT128 1
#else
#define RANGEWISE_INT128 0
#endif

namespace rangewise {

struct WordProduct {
    std::uint64_t high, low;
};

// The whole product of two words, from the four products of their halves.
constexpr WordProduct multiply_words(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t half = 0xFFFFFFFFu;
    const std::uint64_t low = (a & half) * (b & half), left = (a >> 32) * (b & half), right = (a & half) * (b >> 32), high = (a >> 32) * (b >> 32);
    const std::uint64_t middle = (low >> 32) + (left & half) + (right & half);
    return {high + (left >> 32) + (right >> 32) + (middle >> 32), middle << 32 | (low & half)};
}

// The double nearest to high * 2^64 + low, of two equally near ones the even one; `more` says that a fraction follows,
// and then high is not 0.
inline double nearest_double(std::uint64_t high, std::uint64_t low, bool more) {
    // 64 bits, of which the lowest says whether anything follows, are more than rounding looks at.
    const int drop = high ? 64 - std::countl_zero(high) : 0;
    std::uint64_t kept = low;
    if (drop > 0) {
        kept = drop == 64 ? high : high << (64 - drop) | low >> drop;
        more |= low << (64 - drop) != 0;
    }
    return std::ldexp(static_cast<double>(kept | (more ? 1u : 0u)), drop);
}

// A number in two's complement, with the operations that the kernel asks of one.
class TwoWords {
  public:
    constexpr TwoWords(std::int64_t value = 0) : high_(value < 0 ? ~std::uint64_t{0} : 0), low_(static_cast<std::uint64_t>(value)) {}

    constexpr explicit operator std::int64_t() const { return static_cast<std::int64_t>(low_); }
    constexpr explicit operator std::uint64_t() const { return low_; }
    explicit operator double() const {
        const TwoWords size = negative() ? TwoWords() - *this : *this;
        const double magnitude = nearest_double(size.high_, size.low_, false);
        return negative() ? -magnitude : magnitude;
    }

    friend constexpr TwoWords operator+(TwoWords a, TwoWords b) {
        const std::uint64_t low = a.low_ + b.low_;
        return {a.high_ + b.high_ + (low < a.low_ ? 1 : 0), low};
    }
    friend constexpr TwoWords operator-(TwoWords a, TwoWords b) { return {a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_}; }
    friend constexpr TwoWords operator*(TwoWords a, TwoWords b) {
        const WordProduct low = multiply_words(a.low_, b.low_);
        return {low.high + a.high_ * b.low_ + a.low_ * b.high_, low.low};
    }
    friend constexpr TwoWords operator<<(TwoWords a, int bits) {
        if (bits == 0) return a;
        if (bits >= 64) return {a.low_ << (bits - 64), 0};
        return {a.high_ << bits | a.low_ >> (64 - bits), a.low_ << bits};
    }
    friend constexpr TwoWords operator>>(TwoWords a, int bits) {
        const auto sign = static_cast<std::int64_t>(a.high_);
        if (bits == 0) return a;
        if (bits >= 64) return {a.negative() ? ~std::uint64_t{0} : 0, static_cast<std::uint64_t>(sign >> (bits - 64))};
        return {static_cast<std::uint64_t>(sign >> bits), a.high_ << (64 - bits) | a.low_ >> bits};
    }
    constexpr TwoWords& operator+=(TwoWords other) { return *this = *this + other; }
    constexpr TwoWords& operator-=(TwoWords other) { return *this = *this - other; }
    friend constexpr bool operator<=(TwoWords a, TwoWords b) {
        if (a.negative() != b.negative()) return a.negative();
        return a.high_ < b.high_ || (a.high_ == b.high_ && a.low_ <= b.low_);
    }

    constexpr TwoWords(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  private:
    constexpr bool negative() const { return high_ >> 63 != 0; }

    std::uint64_t high_, low_;
};

struct WordQuotient {
    std::uint64_t quotient, rest;
};

// (high * 2^64 + low) / divisor, a bit at a time; high < divisor <= 2^63.
constexpr WordQuotient divide_by_bits(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) {
    std::uint64_t quotient = 0, rest = high;
    for (int bit = 63; bit >= 0; --bit) {
        rest = rest << 1 | (low >> bit & 1);
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    return {quotient, rest};
}

#if RANGEWISE_INT128
__extension__ typedef __int128 wide;

constexpr wide make_wide(std::uint64_t high, std::uint64_t low) {
    __extension__ typedef unsigned __int128 natural;
    return static_cast<wide>(static_cast<natural>(high) << 64 | low);
}

constexpr WordQuotient divide_words(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) {
    __extension__ typedef unsigned __int128 natural;
    const natural whole = static_cast<natural>(high) << 64 | low;
    return {static_cast<std::uint64_t>(whole / divisor), static_cast<std::uint64_t>(whole % divisor)};
}
#else
using wide = TwoWords;

constexpr wide make_wide(std::uint64_t high, std::uint64_t low) { return {high, low}; }

constexpr WordQuotient divide_words(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) {
    return divide_by_bits(high, low, divisor);
}
#endif

}  // namespace rangewise

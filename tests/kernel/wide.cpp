// Compares numbers of two words with the compiler's own 128-bit integers: every operation of cpp/wide.hpp gives the same bits. Prints the number of
// comparisons.
#include "wide.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <random>

using rangewise::TwoWords;
__extension__ typedef __int128 Native;
__extension__ typedef unsigned __int128 Natural;

namespace {

std::mt19937_64 random_word(7);

// Words of every size, and those where carries happen.
std::uint64_t word() {
    const std::uint64_t edges[] = {0, 1, 2, 0xFFFFFFFFu, std::uint64_t{1} << 32, (std::uint64_t{1} << 53) + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}};
    if (random_word() % 3 == 0) return edges[random_word() % 8];
    return random_word() >> (random_word() % 64);
}

struct Pair {
    TwoWords words;
    Native native;
};

Pair number() {
    const std::uint64_t high = word(), low = word();
    const Native native = static_cast<Native>(static_cast<Natural>(high) << 64 | low);
    const auto half = static_cast<std::int64_t>(low >> 1), odd = static_cast<std::int64_t>(low & 1);
    return {(TwoWords(static_cast<std::int64_t>(high)) << 64) + half + half + odd, native};
}

long compared = 0;

void same(const char* what, TwoWords words, Native native) {
    ++compared;
    const auto high = static_cast<std::uint64_t>(words >> 64), low = static_cast<std::uint64_t>(words);
    if (high == static_cast<std::uint64_t>(native >> 64) && low == static_cast<std::uint64_t>(native)) return;
    std::printf("%s differs: %016llx %016llx\n", what, static_cast<unsigned long long>(high), static_cast<unsigned long long>(low));
    std::exit(1);
}

void same(const char* what, bool equal) {
    ++compared;
    if (equal) return;
    std::printf("%s differs\n", what);
    std::exit(1);
}

// Native sums of unsigned numbers: they wrap around as two words do, without undefined behavior.
Native wrapped(Natural value) {
    return static_cast<Native>(value);
}

}  // namespace

int main() {
    for (int round = 0; round < 200000; ++round) {
        const auto [a, x] = number();
        const auto [b, y] = number();
        const auto left = static_cast<Natural>(x), right = static_cast<Natural>(y);
        same("a", a, x);
        same("a + b", a + b, wrapped(left + right));
        same("a - b", a - b, wrapped(left - right));
        same("a * b", a * b, wrapped(left * right));
        const int bits = static_cast<int>(random_word() % 128);
        same("a << bits", a << bits, wrapped(left << bits));
        same("a >> bits", a >> bits, x >> bits);
        same("a <= b", (a <= b) == (x <= y));
        same("int64(a)", static_cast<std::int64_t>(a) == static_cast<std::int64_t>(x));
        same("double(a)", std::bit_cast<std::uint64_t>(static_cast<double>(a)) == std::bit_cast<std::uint64_t>(static_cast<double>(x)));
        const std::uint64_t divisor = (word() >> 1) + 1, high = word() % divisor, low = word();
        const Natural whole = static_cast<Natural>(high) << 64 | low;
        const auto [quotient, rest] = rangewise::divide_by_bits(high, low, divisor);
        same("a / divisor", quotient == static_cast<std::uint64_t>(whole / divisor) && rest == static_cast<std::uint64_t>(whole % divisor));
    }
    std::printf("%ld\n", compared);
}

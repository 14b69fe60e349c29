// Score and curve of the kernel as a WebAssembly module, for pages and other runtimes: the same headers, byte-equal results.
// tools/wasm.py builds it, and tests/kernel/test_wasm.py compares it with the native kernel.
//
// Arrays lie in the module's memory, as int64 pairs and doubles; `allocate` and `release` make room for them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace rangewise {
// There are no exceptions here: whoever calls has checked the input, and what would throw ends the module.
struct Trap {
    template <class Error>
    [[noreturn]] void operator<<(const Error&) const { __builtin_trap(); }
};
}  // namespace rangewise
#define throw ::rangewise::Trap{} <<

#include "overlap.hpp"
#include "sweep.hpp"

#define EXPORTED(name) extern "C" __attribute__((export_name(name)))

namespace rangewise {
namespace {

Ranges view(const Range* ranges, std::int32_t count) { return {ranges, static_cast<std::size_t>(count)}; }

Rule rule_of(std::int32_t bias, std::int32_t cardinality, double alpha) {
    Rule rule;
    rule.bias = static_cast<Bias>(bias);
    rule.cardinality = static_cast<Cardinality>(cardinality);
    rule.alpha = alpha;
    // Tables of a user's own functions are not part of this interface.
    if (rule.bias > Bias::middle || rule.cardinality > Cardinality::consistent) __builtin_trap();
    return rule;
}

// The sum over `count`, rounded once, as Python divides whole numbers (RewardSum::mean rounds more often).
double exact_mean(const RewardSum& sum, std::int64_t count) {
    using Whole = unsigned __int128;
    const Whole rewards = static_cast<Whole>(sum.high()) << 64 | sum.low(), divisor = static_cast<Whole>(count);
    if (rewards == 0) return 0.0;
    Whole quotient = rewards / divisor, rest = rewards % divisor;
    int exponent = -94;
    for (; quotient >> 60 == 0; --exponent) {
        rest *= 2;
        quotient = 2 * quotient + (rest >= divisor);
        if (rest >= divisor) rest -= divisor;
    }
    if (rest != 0) quotient |= 1;  // below the last digit that counts: only breaks ties
    return std::ldexp(static_cast<double>(quotient), exponent);
}

EXPORTED("allocate") void* allocate(std::int32_t bytes) { return std::malloc(static_cast<std::size_t>(bytes)); }
EXPORTED("release") void release(void* memory) { std::free(memory); }

// Precision and recall, in this order, into `out`; nan where a side has no range.
EXPORTED("score")
void score(const Range* real, std::int32_t real_count, const Range* predicted, std::int32_t predicted_count, double alpha, std::int32_t recall_bias,
           std::int32_t recall_cardinality, std::int32_t precision_bias, std::int32_t precision_cardinality, double* out) {
    const Rule recall = rule_of(recall_bias, recall_cardinality, alpha), precision = rule_of(precision_bias, precision_cardinality, 0.0);
    const Tally found = tally(view(real, real_count), view(predicted, predicted_count), recall, precision);
    out[0] = predicted_count ? exact_mean(found.predicted, predicted_count) : std::nan("");
    out[1] = real_count ? exact_mean(found.real, real_count) : std::nan("");
}

// Thresholds, descending, and precision and recall there, each into an array of `points` doubles; their number comes back.
EXPORTED("curve")
std::int32_t curve(const Range* real, std::int32_t real_count, const double* scores, std::int32_t points, double alpha, std::int32_t recall_bias,
                   std::int32_t recall_cardinality, std::int32_t precision_bias, std::int32_t precision_cardinality, double* thresholds,
                   double* precisions, double* recalls) {
    const Rule recall = rule_of(recall_bias, recall_cardinality, alpha), precision = rule_of(precision_bias, precision_cardinality, 0.0);
    const Labels<double> values{scores, static_cast<std::size_t>(points), 1};
    if (first_nan(values) < values.size) __builtin_trap();
    Sweep state(view(real, real_count), values.size, recall, precision, values, [](std::size_t i) { return i; });
    std::int32_t count = 0;
    state.run(std::nan(""), [&](const Sweep::Ordered& group, double precision_here, double recall_here) {
        thresholds[count] = std::bit_cast<double>(state.bits(group[0]));
        precisions[count] = precision_here;
        recalls[count] = recall_here;
        ++count;
    });
    return count;
}

}  // namespace
}  // namespace rangewise

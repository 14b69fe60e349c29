// The module of cpp/wasm.cpp with sort and sweep as two calls: a page sorts once and sweeps after every change of a setting.
#include "wasm.cpp"

namespace rangewise {
namespace {

EXPORTED("sorted")
SortedPoints* sorted(const double* scores, std::int32_t points) {
    return new SortedPoints(Labels<double>{scores, static_cast<std::size_t>(points), 1}, [](std::size_t i) { return i; });
}

EXPORTED("forget") void forget(SortedPoints* points) { delete points; }

EXPORTED("swept")
std::int32_t swept(const Range* real, std::int32_t real_count, const SortedPoints* points, double alpha, std::int32_t recall_bias,
                   std::int32_t recall_cardinality, std::int32_t precision_bias, std::int32_t precision_cardinality, double* precisions, double* recalls) {
    const Rule recall = rule_of(recall_bias, recall_cardinality, alpha), precision = rule_of(precision_bias, precision_cardinality, 0.0);
    Sweep state(view(real, real_count), points->size(), recall, precision, *points);
    std::int32_t count = 0;
    state.run(*points, std::nan(""), [&](std::size_t, double precision_here, double recall_here) {
        precisions[count] = precision_here;
        recalls[count] = recall_here;
        ++count;
    });
    return count;
}

}  // namespace
}  // namespace rangewise

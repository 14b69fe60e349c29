// The model as an objective of training, and the network of a detector, for Python.
#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "held_rule.hpp"
#include "lstm.hpp"
#include "lstm_training.hpp"
#include "objective.hpp"
#include "soft.hpp"
#include "swept.hpp"

using namespace nb::literals;

namespace rangewise {
namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Probabilities = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Calls `use(batch, values, gradient)`; what it fills, as (values, gradient or None).
template <class T, class Use>
nb::object with_batch(const Probabilities& probabilities, const RangeArray& real, const Objective& objective, bool with_gradient, Use use) {
    const std::size_t rows = probabilities.shape(0), length = probabilities.shape(1), points = rows * length;
    if (rows == 0) throw nb::value_error("a batch has a row or more");
    if (points + rows > most_sorted_points) throw nb::value_error("a batch takes fewer than 2**31 points");
    if (real.shape(0) && (view(real).front().start < 0 || static_cast<std::size_t>(view(real).back().stop) > points))
        throw nb::value_error("a real range lies outside of the points");
    const auto* data = static_cast<const T*>(probabilities.data());
    OwnedArray<double> values(objective.pooled ? 1 : rows);
    std::optional<OwnedArray<T>> gradient;
    if (with_gradient) gradient.emplace(points);
    {
        nb::gil_scoped_release unlocked;
        if (const std::size_t outside = first_outside(Labels<T>{data, points, 1}); outside < points) throw InvalidValue(outside);
        use(Batch<T>(data, rows, length, view(real)), values.span(), gradient ? gradient->span().data() : nullptr);
    }
    if (!gradient) return nb::make_tuple(values.release(), nb::none());
    return nb::make_tuple(values.release(), gradient->release());
}

template <class Use>
nb::object with_probabilities(const Probabilities& probabilities, const RangeArray& real, const Objective& objective, bool with_gradient, Use use) {
    if (probabilities.dtype() == nb::dtype<float>()) return with_batch<float>(probabilities, real, objective, with_gradient, use);
    if (probabilities.dtype() == nb::dtype<double>()) return with_batch<double>(probabilities, real, objective, with_gradient, use);
    throw nb::type_error("probabilities are float32 or float64");
}

nb::object soft(const Probabilities& probabilities, const RangeArray& real, const HeldRule& recall, const HeldRule& precision, Target target, double beta,
                double zero_division, bool pooled, std::size_t threads, bool with_gradient, const std::optional<Doubles>& recall_slopes,
                const std::optional<Doubles>& precision_slopes) {
    check_tables(recall.rule, view(real));
    const Objective objective{target, beta, zero_division, pooled};
    const SoftRule real_side{recall.rule, span_of(recall_slopes)}, predicted_side{precision.rule, span_of(precision_slopes)};
    return with_probabilities(probabilities, real, objective, with_gradient, [&](const auto& batch, std::span<double> values, auto* gradient) {
        soft_objective(batch, real_side, predicted_side, objective, threads, values, gradient);
    });
}

nb::object swept(const Probabilities& probabilities, const RangeArray& real, const HeldRule& recall, const HeldRule& precision, Target target, double beta,
                 double zero_division, bool pooled, std::size_t threads, bool with_gradient) {
    check_tables(recall.rule, view(real));
    const Objective objective{target, beta, zero_division, pooled};
    return with_probabilities(probabilities, real, objective, with_gradient, [&](const auto& batch, std::span<double> values, auto* gradient) {
        swept_objective(batch, view(real), recall.rule, precision.rule, objective, threads, values, gradient);
    });
}

LstmShape checked_shape(std::size_t channels, std::size_t hidden, std::size_t layers, std::size_t outputs, const Floats& weights) {
    const LstmShape shape{channels, hidden, layers, outputs};
    if (!channels || !hidden || !layers || !outputs) throw nb::value_error("a network has a channel, a layer, a unit and a forecast, or more");
    if (weights.shape(0) != shape.weights()) throw nb::value_error("the weights are not those of such a network");
    return shape;
}

nb::object forecasts(const Matrix& values, const Floats& weights, std::size_t hidden, std::size_t layers, std::size_t ahead, const Doubles& mean,
                     const Matrix& whitening, double far, std::size_t hold, std::size_t first) {
    const std::size_t channels = values.shape(1), outputs = ahead * channels;
    const LstmShape shape = checked_shape(channels, hidden, layers, outputs, weights);
    if (mean.shape(0) != outputs || whitening.shape(0) != outputs || whitening.shape(1) != outputs)
        throw nb::value_error("mean and whitening are of one error vector");
    if (hold && first < ahead) throw nb::value_error("a point is judged after all of its forecasts");
    const std::size_t size = values.shape(0) * outputs;
    OwnedArray<double> made(hold ? 2 * size : size);
    {
        nb::gil_scoped_release unlocked;
        const Holding holding{{mean.data(), outputs}, {whitening.data(), outputs * outputs}, far, hold, first};
        lstm_forecasts({values.data(), values.size()}, shape, {weights.data(), weights.shape(0)}, holding, made.span().first(size),
                       made.span().subspan(size));
    }
    return nb::cast(made.release());
}

// Sequences of `steps` points, each with `after` points after it.
Sequences checked_sequences(const FloatMatrix& values, const Integers& starts, std::size_t steps, std::size_t warm_up, std::size_t after) {
    if (!starts.shape(0) || warm_up >= steps) throw nb::value_error("there is a sequence, and a step after the warm-up, or more");
    const std::span<const std::int64_t> all(starts.data(), starts.shape(0));
    const std::size_t points = values.shape(0);
    for (const std::int64_t start : all)
        if (start < 0 || steps > points || after > points - steps || static_cast<std::size_t>(start) > points - steps - after)
            throw nb::value_error("a sequence lies outside of the values");
    return {{values.data(), values.size()}, all, steps, warm_up, {}};
}

nb::object squared_error(const FloatMatrix& values, const Integers& starts, const Floats& weights, std::size_t hidden, std::size_t layers, std::size_t ahead,
                         std::size_t steps, std::size_t warm_up, bool with_gradient, const std::optional<Floats>& masks) {
    const LstmShape shape = checked_shape(values.shape(1), hidden, layers, ahead * values.shape(1), weights);
    Sequences sequences = checked_sequences(values, starts, steps, warm_up, ahead);
    sequences.masks = span_of(masks);
    if (masks && sequences.masks.size() != layers * steps * starts.shape(0) * hidden) throw nb::value_error("the masks are not those of such sequences");
    std::optional<OwnedArray<float>> gradient;
    if (with_gradient) gradient.emplace(shape.weights());
    double error;
    {
        nb::gil_scoped_release unlocked;
        error = lstm_squared_error(shape, {weights.data(), weights.shape(0)}, sequences, gradient ? gradient->span() : std::span<float>());
    }
    if (!gradient) return nb::make_tuple(error, nb::none());
    return nb::make_tuple(error, gradient->release());
}

nb::object last_forecasts(const FloatMatrix& values, const Integers& starts, const Floats& weights, std::size_t hidden, std::size_t layers, std::size_t ahead,
                          std::size_t steps) {
    const LstmShape shape = checked_shape(values.shape(1), hidden, layers, ahead * values.shape(1), weights);
    const Sequences sequences = checked_sequences(values, starts, steps, steps - 1, 0);
    OwnedArray<float> made(starts.shape(0) * shape.outputs);
    {
        nb::gil_scoped_release unlocked;
        lstm_last_forecasts(shape, {weights.data(), weights.shape(0)}, sequences, made.span());
    }
    return nb::cast(made.release());
}

}  // namespace

void bind_training(nb::module_& m) {
    nb::enum_<Target>(m, "Target", "What training maximizes.")
        .value("f", Target::f)
        .value("recall", Target::recall)
        .value("precision", Target::precision);
    m.def("soft_objective", &soft, "probabilities"_a.noconvert(), "real"_a.noconvert(), "recall"_a, "precision"_a, nb::kw_only(), "target"_a, "beta"_a,
          "zero_division"_a, "pooled"_a, "threads"_a, "gradient"_a, "recall_slopes"_a = nb::none(), "precision_slopes"_a = nb::none(),
          "The soft objective of each row, or of all, and its gradient.");
    m.def("swept_objective", &swept, "probabilities"_a.noconvert(), "real"_a.noconvert(), "recall"_a, "precision"_a, nb::kw_only(), "target"_a, "beta"_a,
          "zero_division"_a, "pooled"_a, "threads"_a, "gradient"_a,
          "The objective's mean over all thresholds, of each row or of all, and its gradient.");
    m.def("lstm_forecasts", &forecasts, "values"_a.noconvert(), "weights"_a.noconvert(), nb::kw_only(), "hidden"_a, "layers"_a, "ahead"_a,
          "mean"_a.noconvert(), "whitening"_a.noconvert(), "far"_a, "hold"_a, "first"_a,
          "The forecasts that a stacked LSTM makes at each point; with hold, followed by those with points far from their forecasts held back.");
    m.def("lstm_squared_error", &squared_error, "values"_a.noconvert(), "starts"_a.noconvert(), "weights"_a.noconvert(), nb::kw_only(), "hidden"_a,
          "layers"_a, "ahead"_a, "steps"_a, "warm_up"_a, "gradient"_a, "masks"_a.noconvert() = nb::none(),
          "The mean squared error of the forecasts that a stacked LSTM makes in sequences of a series, and its gradient.");
    m.def("lstm_last_forecasts", &last_forecasts, "values"_a.noconvert(), "starts"_a.noconvert(), "weights"_a.noconvert(), nb::kw_only(), "hidden"_a,
          "layers"_a, "ahead"_a, "steps"_a, "The forecasts that a stacked LSTM makes at the last step of each sequence.");
}

}  // namespace rangewise

// A stacked LSTM that runs along a series and forecasts the next points at each. A point that is far from its forecasts may be held back: a
// second network then reads its forecast in its place. Whether it is depends on the points before, so this is one step after the other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rangewise {

// e^x within 2 units in the last place. No call and no branch, so that compilers turn a loop of it into vector instructions.
inline float vector_exp(float x) {
    constexpr float lowest = -87.0f, highest = 88.0f, log2_e = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    x = x < lowest ? lowest : x > highest ? highest : x;
    const float scaled = x * log2_e;
    const auto power = static_cast<std::int32_t>(scaled + (scaled < 0.0f ? -0.5f : 0.5f));
    const auto whole = static_cast<float>(power);
    const float rest = (x - whole * ln2_high) - whole * ln2_low;
    float series = 1.0f / 5040.0f;
    series = series * rest + 1.0f / 720.0f;
    series = series * rest + 1.0f / 120.0f;
    series = series * rest + 1.0f / 24.0f;
    series = series * rest + 1.0f / 6.0f;
    series = series * rest + 0.5f;
    series = series * rest + 1.0f;
    series = series * rest + 1.0f;
    return series * std::bit_cast<float>((power + 127) << 23);
}

inline float logistic(float x) { return 1.0f / (1.0f + vector_exp(-x)); }
inline float vector_tanh(float x) { return 2.0f * logistic(2.0f * x) - 1.0f; }

// sums[j] += inputs[i] * weights[i][j], over all i; four inputs at a time, so that the sums are loaded and stored less often.
inline void add_products(std::span<const float> inputs, const float* weights, std::span<float> sums) {
    const std::size_t width = sums.size();
    float* const out = sums.data();
    std::size_t i = 0;
    for (; i + 4 <= inputs.size(); i += 4) {
        const float *w0 = weights + i * width, *w1 = w0 + width, *w2 = w1 + width, *w3 = w2 + width;
        const float x0 = inputs[i], x1 = inputs[i + 1], x2 = inputs[i + 2], x3 = inputs[i + 3];
        for (std::size_t j = 0; j < width; ++j) out[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j]);
    }
    for (; i < inputs.size(); ++i)
        for (std::size_t j = 0; j < width; ++j) out[j] += inputs[i] * weights[i * width + j];
}

// The sizes of a network. Its weights are one array: for each layer those from its input, those from its own last output (both input by
// input) and two biases of the four gates (input, forget, candidate, output, as in torch); then those of the linear layer and its bias.
struct LstmShape {
    std::size_t channels, hidden, layers, outputs;

    std::size_t gates() const { return 4 * hidden; }
    std::size_t inputs(std::size_t layer) const { return layer ? hidden : channels; }
    std::size_t layer_weights(std::size_t layer) const { return (inputs(layer) + hidden + 2) * gates(); }
    std::size_t weights() const {
        std::size_t total = (hidden + 1) * outputs;
        for (std::size_t layer = 0; layer < layers; ++layer) total += layer_weights(layer);
        return total;
    }
};

class RunningLstm {
  public:
    RunningLstm(const LstmShape& shape, std::span<const float> weights)
        : shape_(shape), weights_(weights), outputs_(shape.layers * shape.hidden), cells_(shape.layers * shape.hidden), gates_(shape.gates()),
          forecast_(shape.outputs) {}

    // Reads one point and forecasts the next ones.
    std::span<const float> step(std::span<const float> values) {
        const std::size_t hidden = shape_.hidden;
        const float* weights = weights_.data();
        for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
            const std::span<float> output(outputs_.data() + layer * hidden, hidden);
            const float* own = weights + values.size() * shape_.gates();
            const float* bias = own + hidden * shape_.gates();
            for (std::size_t j = 0; j < gates_.size(); ++j) gates_[j] = bias[j] + bias[gates_.size() + j];
            add_products(values, weights, gates_);
            add_products(output, own, gates_);
            float *gate = gates_.data(), *cell = cells_.data() + layer * hidden, *out = output.data();
            for (std::size_t j = 0; j < hidden; ++j) {
                cell[j] = logistic(gate[hidden + j]) * cell[j] + logistic(gate[j]) * vector_tanh(gate[2 * hidden + j]);
                out[j] = logistic(gate[3 * hidden + j]) * vector_tanh(cell[j]);
            }
            values = output;
            weights = bias + 2 * shape_.gates();
        }
        const float* bias = weights + hidden * shape_.outputs;
        forecast_.assign(bias, bias + shape_.outputs);
        add_products(values, weights, forecast_);
        return forecast_;
    }

  private:
    LstmShape shape_;
    std::span<const float> weights_;
    std::vector<float> outputs_, cells_, gates_, forecast_;
};

// When a point is held back: the squared length of `whitening` times (errors - mean) is above `far`, from point `first` on, and fewer than
// `most` points before it were held.
struct Holding {
    std::span<const double> mean, whitening;
    double far;
    std::size_t most, first;

    // Whether the forecasts of `point` were far off, by the forecasts made at all points before.
    bool is_far(std::size_t point, std::span<const double> seen, std::span<const double> forecasts, std::span<double> error) const {
        const std::size_t channels = seen.size(), outputs = error.size();
        for (std::size_t k = 0; k < outputs / channels; ++k)
            for (std::size_t c = 0; c < channels; ++c)
                error[k * channels + c] = seen[c] - forecasts[(point - 1 - k) * outputs + k * channels + c] - mean[k * channels + c];
        double squared = 0.0;
        for (std::size_t row = 0; row < outputs; ++row) {
            double whitened = 0.0;
            for (std::size_t column = 0; column < outputs; ++column) whitened += whitening[row * outputs + column] * error[column];
            squared += whitened * whitened;
        }
        return !(squared <= far);
    }
};

// The forecasts made at each point: `ahead` x channels of them, the next point first. `forecasts` are those of a network that reads every
// point, and `held`, unless it is empty, those of one that reads the forecast of each point that is held back. The two are one until a
// point is held back, and again after `holding.first` points in a row that are not far off.
inline void lstm_forecasts(std::span<const double> values, const LstmShape& shape, std::span<const float> weights, const Holding& holding,
                           std::span<double> forecasts, std::span<double> held) {
    const std::size_t channels = shape.channels, points = values.size() / channels, outputs = shape.outputs;
    RunningLstm reader(shape, weights), holder = reader;
    std::vector<float> read(channels);
    std::vector<double> error(outputs);
    bool apart = false;
    std::size_t in_a_row = 0, usual = 0;
    const auto step = [&](RunningLstm& network, std::span<const double> input, std::span<double> all, std::size_t point) {
        for (std::size_t c = 0; c < channels; ++c) read[c] = static_cast<float>(input[c]);
        const std::span<const float> made = network.step(read);
        for (std::size_t k = 0; k < outputs; ++k) all[point * outputs + k] = made[k];
    };
    for (std::size_t point = 0; point < points; ++point) {
        const std::span<const double> seen = values.subspan(point * channels, channels);
        if (!held.empty()) {
            std::span<const double> input = seen;
            if (point >= holding.first && holding.is_far(point, seen, held, error)) {
                usual = 0;
                if (in_a_row < holding.most) {
                    if (!apart) holder = reader;
                    apart = true;
                    ++in_a_row;
                    input = std::span<const double>(held).subspan((point - 1) * outputs, channels);
                }
            } else {
                in_a_row = 0;
                apart = apart && ++usual < holding.first;
            }
            if (apart) step(holder, input, held, point);
        }
        step(reader, seen, forecasts, point);
        if (!held.empty() && !apart)
            for (std::size_t k = 0; k < outputs; ++k) held[point * outputs + k] = forecasts[point * outputs + k];
    }
}

}  // namespace rangewise

// The squared error of a stacked LSTM's forecasts and its gradient, by back-propagation through time.
//
// Eight sequences go through the network side by side, and a value of the network is eight numbers, one per sequence. Sums have the same
// order for every instruction set, and there is no call of a C library: the bits are the same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "lstm.hpp"
#include "ranges.hpp"

namespace rangewise {

// Sequences of `steps` points of a series (points x channels), which begin at `starts`. At each step from `warm_up` on, the next points are
// forecast. `masks`, unless they are empty, are factors for the outputs of each layer (layers x steps x sequences x hidden): dropout.
struct Sequences {
    std::span<const float> values;
    std::span<const std::int64_t> starts;
    std::size_t steps, warm_up;
    std::span<const float> masks;
};

// sums[c][r] += weights[k][r] * in[c][k] over all k, for a few rows r and columns c, whose sums stay in registers.
template <std::size_t rows, std::size_t columns>
RANGEWISE_ALWAYS_INLINE void add_tile(const float* weights, std::size_t width, std::size_t inputs, const float* in, std::size_t in_stride, float* out,
                                      std::size_t out_stride) {
    Lanes sums[columns][rows], read[columns];
    RANGEWISE_UNROLL
    for (std::size_t c = 0; c < columns; ++c)
        RANGEWISE_UNROLL
        for (std::size_t r = 0; r < rows; ++r) load(sums[c][r], out + c * out_stride + r * lanes);
    for (std::size_t k = 0; k < inputs; ++k) {
        RANGEWISE_UNROLL
        for (std::size_t c = 0; c < columns; ++c) load(read[c], in + c * in_stride + k * lanes);
        RANGEWISE_UNROLL
        for (std::size_t r = 0; r < rows; ++r)
            RANGEWISE_UNROLL
            for (std::size_t c = 0; c < columns; ++c) sums[c][r] += read[c] * weights[k * width + r];
    }
    RANGEWISE_UNROLL
    for (std::size_t c = 0; c < columns; ++c)
        RANGEWISE_UNROLL
        for (std::size_t r = 0; r < rows; ++r) store(out + c * out_stride + r * lanes, sums[c][r]);
}

template <std::size_t most, std::size_t columns>
RANGEWISE_ALWAYS_INLINE void add_last_rows(std::size_t rows, const float* weights, std::size_t width, std::size_t inputs, const float* in,
                                           std::size_t in_stride, float* out, std::size_t out_stride) {
    if (rows == most) return add_tile<most, columns>(weights, width, inputs, in, in_stride, out, out_stride);
    if constexpr (most > 1) add_last_rows<most - 1, columns>(rows, weights, width, inputs, in, in_stride, out, out_stride);
}

template <std::size_t tall, std::size_t columns>
RANGEWISE_ALWAYS_INLINE void add_rows(const float* weights, std::size_t width, std::size_t inputs, const float* in, std::size_t in_stride, float* out,
                                      std::size_t out_stride) {
    std::size_t row = 0;
    for (; row + tall <= width; row += tall) add_tile<tall, columns>(weights + row, width, inputs, in, in_stride, out + row * lanes, out_stride);
    add_last_rows<tall - 1, columns>(width - row, weights + row, width, inputs, in, in_stride, out + row * lanes, out_stride);
}

// out[n][r] += weights[k][r] * in[n][k] over all k, for `count` vectors n, which are `inputs` and `width` values long.
RANGEWISE_ALWAYS_INLINE void add_matrix_products(const float* weights, std::size_t width, std::size_t inputs, const float* in, float* out, std::size_t count) {
    constexpr std::size_t together = 3;
    const std::size_t in_stride = inputs * lanes, out_stride = width * lanes;
    std::size_t n = 0;
    for (; n + together <= count; n += together) add_rows<4, together>(weights, width, inputs, in + n * in_stride, in_stride, out + n * out_stride, out_stride);
    for (; n < count; ++n) add_rows<8, 1>(weights, width, inputs, in + n * in_stride, in_stride, out + n * out_stride, out_stride);
}

RANGEWISE_ALWAYS_INLINE float total(const float* eight) {
    return ((eight[0] + eight[4]) + (eight[2] + eight[6])) + ((eight[1] + eight[5]) + (eight[3] + eight[7]));
}

// Products of values and slopes at the same step, for all steps from `first` on of `blocks` blocks of eight sequences. `lag` 1 takes the
// values of the step before.
struct Steps {
    std::size_t blocks, steps, first, lag;
};

// gradient[i][r] += the sum over all steps and sequences of in[n][i] * slopes[n][r], for a few i and r.
template <std::size_t rows, std::size_t columns>
RANGEWISE_ALWAYS_INLINE void add_gradient_tile(const Steps& over, const float* in, std::size_t inputs, const float* slopes, std::size_t width, float* gradient) {
    Lanes sums[rows][columns], read[rows], slope;
    RANGEWISE_UNROLL
    for (std::size_t i = 0; i < rows; ++i)
        RANGEWISE_UNROLL
        for (std::size_t r = 0; r < columns; ++r) sums[i][r] = Lanes{};
    for (std::size_t block = 0; block < over.blocks; ++block)
        for (std::size_t step = over.first; step < over.steps; ++step) {
            const std::size_t n = block * over.steps + step;
            RANGEWISE_UNROLL
            for (std::size_t i = 0; i < rows; ++i) load(read[i], in + ((n - over.lag) * inputs + i) * lanes);
            RANGEWISE_UNROLL
            for (std::size_t r = 0; r < columns; ++r) {
                load(slope, slopes + (n * width + r) * lanes);
                RANGEWISE_UNROLL
                for (std::size_t i = 0; i < rows; ++i) sums[i][r] += read[i] * slope;
            }
        }
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t r = 0; r < columns; ++r) {
            float eight[lanes];
            store(eight, sums[i][r]);
            gradient[i * width + r] += total(eight);
        }
}

template <std::size_t columns>
RANGEWISE_ALWAYS_INLINE void add_gradient_columns(const Steps& over, const float* in, std::size_t inputs, const float* slopes, std::size_t width, float* gradient) {
    std::size_t i = 0;
    for (; i + 3 <= inputs; i += 3) add_gradient_tile<3, columns>(over, in + i * lanes, inputs, slopes, width, gradient + i * width);
    for (; i < inputs; ++i) add_gradient_tile<1, columns>(over, in + i * lanes, inputs, slopes, width, gradient + i * width);
}

// The gradient of weights[i][r]. The slopes of a few r at all steps are small enough to stay in the fastest memory.
RANGEWISE_ALWAYS_INLINE void add_gradient(const Steps& over, const float* in, std::size_t inputs, const float* slopes, std::size_t width, float* gradient) {
    std::size_t r = 0;
    for (; r + 4 <= width; r += 4) add_gradient_columns<4>(over, in, inputs, slopes + r * lanes, width, gradient + r);
    for (; r < width; ++r) add_gradient_columns<1>(over, in, inputs, slopes + r * lanes, width, gradient + r);
}

RANGEWISE_ALWAYS_INLINE void add_bias_gradient(const Steps& over, const float* slopes, std::size_t width, float* gradient) {
    for (std::size_t r = 0; r < width; ++r) {
        Lanes sum{}, slope;
        for (std::size_t block = 0; block < over.blocks; ++block)
            for (std::size_t step = over.first; step < over.steps; ++step) {
                load(slope, slopes + ((block * over.steps + step) * width + r) * lanes);
                sum += slope;
            }
        float eight[lanes];
        store(eight, sum);
        gradient[r] += total(eight);
    }
}

// The gates become their activations; the cells before (null at the first step) give the cells and the outputs.
RANGEWISE_ALWAYS_INLINE void activate(std::size_t size, float* __restrict gates, const float* __restrict before, float* __restrict cells,
                                      float* __restrict bent, float* __restrict outputs) {
    float *const forget = gates + size, *const candidate = forget + size, *const out = candidate + size;
    for (std::size_t j = 0; j < 2 * size; ++j) gates[j] = logistic(gates[j]);
    for (std::size_t j = 0; j < size; ++j) candidate[j] = vector_tanh(candidate[j]);
    for (std::size_t j = 0; j < size; ++j) out[j] = logistic(out[j]);
    if (before)
        for (std::size_t j = 0; j < size; ++j) cells[j] = forget[j] * before[j] + gates[j] * candidate[j];
    else
        for (std::size_t j = 0; j < size; ++j) cells[j] = gates[j] * candidate[j];
    for (std::size_t j = 0; j < size; ++j) bent[j] = vector_tanh(cells[j]);
    for (std::size_t j = 0; j < size; ++j) outputs[j] = out[j] * bent[j];
}

// The activations become the slopes of the gates, and `cell_slopes` those of the cells before.
RANGEWISE_ALWAYS_INLINE void activation_slopes(std::size_t size, float* __restrict gates, const float* __restrict before, const float* __restrict bent,
                                               const float* __restrict output_slopes, float* __restrict cell_slopes) {
    float* const forget = gates + size;
    float* const candidate = forget + size;
    float* const out = candidate + size;
    for (std::size_t j = 0; j < size; ++j) cell_slopes[j] += output_slopes[j] * out[j] * (1.0f - bent[j] * bent[j]);
    for (std::size_t j = 0; j < size; ++j) out[j] = output_slopes[j] * bent[j] * out[j] * (1.0f - out[j]);
    for (std::size_t j = 0; j < size; ++j) {
        const float in = gates[j], kept = forget[j], proposed = candidate[j], slope = cell_slopes[j];
        gates[j] = slope * proposed * in * (1.0f - in);
        candidate[j] = slope * in * (1.0f - proposed * proposed);
        cell_slopes[j] = slope * kept;
        forget[j] = before ? slope * before[j] * kept * (1.0f - kept) : 0.0f;
    }
}

// Blocks of eight sequences on their way through the network, some at a time, with all that the way back needs.
class LstmPass {
  public:
    LstmPass(const LstmShape& shape, std::span<const float> weights, const Sequences& sequences)
        : shape_(shape), sequences_(sequences), weights_(weights), layers_(shape.layers),
          blocks_((sequences.starts.size() + lanes - 1) / lanes), at_once_(std::min(blocks_, std::max<std::size_t>(1, most_vectors / sequences.steps))) {
        const std::size_t vectors = at_once_ * sequences.steps * lanes, hidden = shape.hidden;
        inputs_.resize(vectors * shape.channels);
        forecasts_.resize(vectors * shape.outputs);
        const float* next = weights.data();
        for (std::size_t k = 0; k < shape.layers; ++k) {
            Layer& layer = layers_[k];
            layer.weights = next;
            layer.inputs = shape.inputs(k);
            layer.gates.resize(vectors * shape.gates());
            layer.cells.resize(vectors * hidden);
            layer.bent.resize(vectors * hidden);
            layer.outputs.resize(vectors * hidden);
            if (!sequences.masks.empty()) layer.dropped.resize(vectors * hidden);
            next += shape.layer_weights(k);
        }
        head_ = next;
    }

    // Goes on to the next blocks; false after the last.
    bool next() {
        first_ += group_ * lanes;
        group_ = std::min(at_once_, blocks_ - first_ / lanes);
        return group_ > 0;
    }

    // The blocks at hand, and the sequence in a lane of one.
    std::size_t blocks() const { return group_; }
    std::size_t sequence(std::size_t block, std::size_t lane) const { return first_ + block * lanes + lane; }

    // The lanes after the last sequence repeat it.
    std::size_t read_sequence(std::size_t block, std::size_t lane) const {
        return std::min(sequence(block, lane), sequences_.starts.size() - 1);
    }

    // The forecasts at a step: (outputs, lanes).
    float* forecasts(std::size_t block, std::size_t step) {
        return forecasts_.data() + (block * sequences_.steps + step) * shape_.outputs * lanes;
    }

    RANGEWISE_ALWAYS_INLINE void forward() {
        const std::size_t hidden = shape_.hidden, gates = shape_.gates(), steps = sequences_.steps, channels = shape_.channels, vectors = group_ * steps;
        for (std::size_t block = 0; block < group_; ++block)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const float* const from = sequences_.values.data() + static_cast<std::size_t>(sequences_.starts[read_sequence(block, lane)]) * channels;
                float* const to = inputs_.data() + block * steps * channels * lanes + lane;
                for (std::size_t i = 0; i < steps * channels; ++i) to[i * lanes] = from[i];
            }
        const float* in = inputs_.data();
        for (std::size_t k = 0; k < shape_.layers; ++k) {
            Layer& layer = layers_[k];
            const float *const from_output = layer.weights + layer.inputs * gates, *const bias = from_output + hidden * gates;
            fill(bias, bias + gates, gates, layer.gates.data(), vectors);
            add_matrix_products(layer.weights, gates, layer.inputs, in, layer.gates.data(), vectors);
            for (std::size_t block = 0; block < group_; ++block)
                for (std::size_t step = 0; step < steps; ++step) {
                    const std::size_t n = block * steps + step, at = n * hidden * lanes;
                    float* const own = layer.gates.data() + n * gates * lanes;
                    if (step) add_matrix_products(from_output, gates, hidden, layer.outputs.data() + at - hidden * lanes, own, 1);
                    activate(hidden * lanes, own, step ? layer.cells.data() + at - hidden * lanes : nullptr, layer.cells.data() + at,
                             layer.bent.data() + at, layer.outputs.data() + at);
                }
            mask(k, layer.outputs.data(), layer.dropped.data());
            in = layer.passed_on();
        }
        const std::size_t first = sequences_.warm_up;
        for (std::size_t block = 0; block < group_; ++block) {
            fill(head_ + hidden * shape_.outputs, nullptr, shape_.outputs, forecasts(block, first), steps - first);
            add_matrix_products(head_, shape_.outputs, hidden, in + (block * steps + first) * hidden * lanes, forecasts(block, first), steps - first);
        }
    }

    // The slopes of the forecasts stand in their place: adds the gradient of all weights.
    RANGEWISE_ALWAYS_INLINE void backward(float* gradient) {
        const std::size_t hidden = shape_.hidden, gates = shape_.gates(), outputs = shape_.outputs, steps = sequences_.steps;
        slopes_.assign(group_ * steps * hidden * lanes, 0.0f);
        const Steps forecast{group_, steps, sequences_.warm_up, 0}, all{group_, steps, 0, 0}, after_first{group_, steps, 1, 1};
        float* own = gradient + (head_ - weights_.data());
        add_gradient(forecast, layers_.back().passed_on(), hidden, forecasts_.data(), outputs, own);
        add_bias_gradient(forecast, forecasts_.data(), outputs, own + hidden * outputs);
        transpose(head_, hidden, outputs);
        for (std::size_t block = 0; block < group_; ++block)
            add_matrix_products(turned_.data(), hidden, outputs, forecasts(block, sequences_.warm_up),
                                slopes_.data() + (block * steps + sequences_.warm_up) * hidden * lanes, steps - sequences_.warm_up);
        for (std::size_t k = shape_.layers; k-- > 0;) {
            Layer& layer = layers_[k];
            const std::size_t inputs = layer.inputs;
            mask(k, slopes_.data(), slopes_.data());
            transpose(layer.weights + inputs * gates, hidden, gates);
            for (std::size_t block = 0; block < group_; ++block) {
                cell_slopes_.assign(hidden * lanes, 0.0f);
                for (std::size_t step = steps; step-- > 0;) {
                    const std::size_t n = block * steps + step, at = n * hidden * lanes;
                    float* const slopes = layer.gates.data() + n * gates * lanes;
                    activation_slopes(hidden * lanes, slopes, step ? layer.cells.data() + at - hidden * lanes : nullptr, layer.bent.data() + at,
                                      slopes_.data() + at, cell_slopes_.data());
                    if (step) add_matrix_products(turned_.data(), hidden, gates, slopes, slopes_.data() + at - hidden * lanes, 1);
                }
            }
            own = gradient + (layer.weights - weights_.data());
            add_gradient(all, k ? layers_[k - 1].passed_on() : inputs_.data(), inputs, layer.gates.data(), gates, own);
            own += inputs * gates;
            add_gradient(after_first, layer.outputs.data(), hidden, layer.gates.data(), gates, own);
            own += hidden * gates;
            // Both biases of a gate are added to it: they have one gradient.
            add_bias_gradient(all, layer.gates.data(), gates, own);
            std::copy(own, own + gates, own + gates);
            if (k == 0) break;
            transpose(layer.weights, inputs, gates);
            std::fill(slopes_.begin(), slopes_.end(), 0.0f);
            add_matrix_products(turned_.data(), inputs, gates, layer.gates.data(), slopes_.data(), group_ * steps);
        }
    }

  private:
    // Enough vectors of eight to be worth one walk over the weights, and few enough to stay in a processor's cache.
    static constexpr std::size_t most_vectors = 256;

    struct Layer {
        const float* weights;
        std::size_t inputs;
        std::vector<float> gates, cells, bent, outputs, dropped;

        // What the next layer reads.
        RANGEWISE_ALWAYS_INLINE float* passed_on() { return dropped.empty() ? outputs.data() : dropped.data(); }
    };

    // Each of `count` vectors becomes the bias, or the sum of two.
    RANGEWISE_ALWAYS_INLINE static void fill(const float* bias, const float* other, std::size_t width, float* out, std::size_t count) {
        for (std::size_t n = 0; n < count; ++n)
            for (std::size_t r = 0; r < width; ++r) {
                const float sum = other ? bias[r] + other[r] : bias[r];
                for (std::size_t lane = 0; lane < lanes; ++lane) out[(n * width + r) * lanes + lane] = sum;
            }
    }

    RANGEWISE_ALWAYS_INLINE void mask(std::size_t layer, const float* from, float* to) const {
        if (sequences_.masks.empty()) return;
        const std::size_t hidden = shape_.hidden, steps = sequences_.steps, count = sequences_.starts.size();
        for (std::size_t block = 0; block < group_; ++block)
            for (std::size_t step = 0; step < steps; ++step)
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const float* const factors = sequences_.masks.data() + ((layer * steps + step) * count + read_sequence(block, lane)) * hidden;
                    const std::size_t at = (block * steps + step) * hidden * lanes + lane;
                    for (std::size_t j = 0; j < hidden; ++j) to[at + j * lanes] = from[at + j * lanes] * factors[j];
                }
    }

    RANGEWISE_ALWAYS_INLINE void transpose(const float* weights, std::size_t inputs, std::size_t width) {
        turned_.resize(inputs * width);
        for (std::size_t i = 0; i < inputs; ++i)
            for (std::size_t r = 0; r < width; ++r) turned_[r * inputs + i] = weights[i * width + r];
    }

    LstmShape shape_;
    Sequences sequences_;
    std::span<const float> weights_;
    std::vector<Layer> layers_;
    std::size_t blocks_, at_once_, first_ = 0, group_ = 0;
    const float* head_;
    std::vector<float> inputs_, forecasts_, slopes_, cell_slopes_, turned_;
};

#if RANGEWISE_X86
[[gnu::target("avx2")]] inline void forward_avx2(LstmPass& pass) { pass.forward(); }
[[gnu::target("avx2")]] inline void backward_avx2(LstmPass& pass, float* gradient) { pass.backward(gradient); }
#endif

inline void forward(LstmPass& pass) {
#if RANGEWISE_X86
    if (has_avx2()) return forward_avx2(pass);
#endif
    pass.forward();
}

inline void backward(LstmPass& pass, float* gradient) {
#if RANGEWISE_X86
    if (has_avx2()) return backward_avx2(pass, gradient);
#endif
    pass.backward(gradient);
}

// The mean squared error of the forecasts from `warm_up` on. `gradient` is empty, or becomes that of each weight.
inline double lstm_squared_error(const LstmShape& shape, std::span<const float> weights, const Sequences& sequences, std::span<float> gradient) {
    const std::size_t sequence_count = sequences.starts.size(), forecast_count = sequence_count * (sequences.steps - sequences.warm_up) * shape.outputs;
    const auto slope = static_cast<float>(2.0 / static_cast<double>(forecast_count));
    double sum = 0.0;
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    LstmPass pass(shape, weights, sequences);
    while (pass.next()) {
        forward(pass);
        for (std::size_t block = 0; block < pass.blocks(); ++block)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const bool counts = pass.sequence(block, lane) < sequence_count;
                const auto start = static_cast<std::size_t>(sequences.starts[pass.read_sequence(block, lane)]);
                for (std::size_t step = sequences.warm_up; step < sequences.steps; ++step) {
                    float* const made = pass.forecasts(block, step) + lane;
                    // The forecasts made at a step are of the points after it, all channels of one point after another.
                    const float* const next = sequences.values.data() + (start + step + 1) * shape.channels;
                    for (std::size_t r = 0; r < shape.outputs; ++r) {
                        const float error = counts ? made[r * lanes] - next[r] : 0.0f;
                        sum += static_cast<double>(error) * static_cast<double>(error);
                        made[r * lanes] = error * slope;
                    }
                }
            }
        if (!gradient.empty()) backward(pass, gradient.data());
    }
    return sum / static_cast<double>(forecast_count);
}

// The forecasts (sequences x outputs) that a network makes at the last step of each sequence, which it reads from its initial state.
inline void lstm_last_forecasts(const LstmShape& shape, std::span<const float> weights, const Sequences& sequences, std::span<float> made) {
    LstmPass pass(shape, weights, sequences);
    while (pass.next()) {
        forward(pass);
        for (std::size_t block = 0; block < pass.blocks(); ++block)
            for (std::size_t lane = 0; lane < lanes && pass.sequence(block, lane) < sequences.starts.size(); ++lane)
                for (std::size_t r = 0; r < shape.outputs; ++r)
                    made[pass.sequence(block, lane) * shape.outputs + r] = pass.forecasts(block, sequences.steps - 1)[r * lanes + lane];
    }
}

}  // namespace rangewise

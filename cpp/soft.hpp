// The model of probabilities instead of labels, in closed form, with its gradient: O(n), equal to the model where all are 0 or 1.
//
// Recall of a real range [a, b): alpha E + (1 - alpha) gamma(max(1, x)) S with the expected share S = sum w_t p_t, E = max p_t and the
// total rise x = p_a + sum (p_t - p_{t-1})+, which are existence and the number of runs under an evenly drawn threshold.
//
// Precision: sum p_t r_t gamma(max(1, y_t)) omega_t / sum p_t / len_t, with what a run around t is expected to be when points are drawn
// one by one: f_t = p_{t-1} (1 + f_{t-1}) points before, b_t = p_{t+1} (1 + b_{t+1}) behind, len_t = 1 + f_t + b_t, and y_t = r_t + cf_t + cb_t
// real ranges, cf_t = p_{t+1} (start_{t+1} + cf_{t+1}), cb_t = p_{t-1} (end_{t-1} + cb_{t-1}).
//
// The adjoint of such a recurrence is the recurrence in the other direction. States are kept at the borders of blocks only and made
// again inside of one, so that a pass reads the probabilities and little else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bias.hpp"
#include "objective.hpp"
#include "overlap.hpp"
#include "ranges.hpp"
#include "scratch.hpp"

namespace rangewise {

// A rule with what it needs between whole numbers: the slopes of a user's factors at 0, 1, 2, ...
struct SoftRule {
    const Rule& rule;
    std::span<const double> slopes;
};

inline void check_soft(const SoftRule& recall, const SoftRule& precision) {
    for (const SoftRule* side : {&recall, &precision}) {
        if (side->rule.as_points) continue;
        const Cardinality kind = side->rule.cardinality;
        if (side->rule.bias == Bias::sized || kind == Cardinality::by_length || kind == Cardinality::each)
            throw std::invalid_argument("a soft objective takes no sizes, and no factors by length");
        if (kind == Cardinality::table && (side->slopes.size() != side->rule.factors.size() || side->slopes.empty()))
            throw std::invalid_argument("one slope a factor is needed");
    }
    if (precision.rule.as_points) return;
    if (precision.rule.bias == Bias::middle || precision.rule.bias == Bias::table || precision.rule.cardinality == Cardinality::consistent)
        throw std::invalid_argument("no soft precision is known for this rule");
}

struct Factor {
    double value, slope;
};

// gamma(max(1, x)) and its slope; a user's own is the cubic between whole numbers that has their factors and slopes there.
inline Factor soft_factor(const SoftRule& side, double x, double length) {
    if (x <= 1.0) return {1.0, 0.0};
    switch (side.rule.cardinality) {
        case Cardinality::one: break;
        case Cardinality::reciprocal: return {1.0 / x, -1.0 / (x * x)};
        case Cardinality::consistent: {
            if (length < 2.0) break;
            const double rate = std::log1p(-1.0 / length), value = std::exp((x - 1.0) * rate);
            return {value, value * rate};
        }
        case Cardinality::table: {
            const auto k = static_cast<std::size_t>(x);
            const double u = x - static_cast<double>(k);
            if (k >= side.rule.factors.size()) throw std::out_of_range("the table of factors is too short");
            const double from = side.rule.factors[k], from_slope = side.slopes[k];
            if (u == 0.0) return {from, from_slope};
            if (k + 1 >= side.rule.factors.size()) throw std::out_of_range("the table of factors is too short");
            const double to = side.rule.factors[k + 1], to_slope = side.slopes[k + 1], rise = to - from;
            const double a = from_slope + to_slope - 2.0 * rise, b = 3.0 * rise - 2.0 * from_slope - to_slope;
            return {from + u * (from_slope + u * (b + u * a)), from_slope + u * (2.0 * b + 3.0 * u * a)};
        }
        case Cardinality::by_length:
        case Cardinality::each: break;  // refused by check_soft
    }
    return {1.0, 0.0};
}

// Sums over one row; they add up over rows.
struct SoftSums {
    double top = 0.0, bottom = 0.0, recall = 0.0;
    std::int64_t real_count = 0;
    void operator+=(const SoftSums& other) {
        top += other.top;
        bottom += other.bottom;
        recall += other.recall;
        real_count += other.real_count;
    }
    double precision_or(double nothing) const { return bottom > 0.0 ? top / bottom : nothing; }
    double recall_or(double nothing) const { return real_count ? recall / static_cast<double>(real_count) : nothing; }
};

// How the objective changes with each of the sums.
struct SumSlopes {
    double top, bottom, recall;
};

inline SumSlopes sum_slopes(const SoftSums& sums, const Slopes& slopes) {
    const double by_top = sums.bottom > 0.0 ? slopes.by_precision / sums.bottom : 0.0;
    return {by_top, sums.bottom > 0.0 ? -by_top * (sums.top / sums.bottom) : 0.0, sums.real_count ? slopes.by_recall / static_cast<double>(sums.real_count) : 0.0};
}

// Precision of one row. `Counts`: whether the number of real ranges in a run matters.
template <class T, bool Counts>
class SoftPrecision {
  public:
    SoftPrecision(Labels<T> p, Ranges real, bool real_points, const SoftRule& side)
        : p_(p), side_(side), marks_(p.size), top_slopes_(p.size), bottom_slopes_(p.size), before_((p.size + block - 1) / block), behind_(before_.size()) {
        // Points that count one by one, and runs that count by their length, both divide by the sum of p.
        by_points_ = side.rule.as_points || side.rule.weigh_by_length;
        bias_ = side.rule.as_points ? Bias::flat : side.rule.bias;
        std::fill_n(marks_.data(), p.size, std::uint8_t{0});
        for (const Range& range : real) {
            const auto start = static_cast<std::size_t>(range.start), stop = static_cast<std::size_t>(range.stop);
            std::fill(marks_.data() + start, marks_.data() + stop, static_cast<std::uint8_t>(real_points ? is_real | starts | ends : is_real));
            marks_[start] |= starts;
            marks_[stop - 1] |= ends;
        }
    }

    // The sums over all points, and the part of their slopes that later points bring to earlier ones.
    void forward(SoftSums& sums) {
        State at_start;
        for (std::size_t k = 0; k < before_.size(); ++k) {
            before_[k] = at_start;
            for (std::size_t t = k * block; t < end_of(k); ++t) at_start = after(at_start, t);
        }
        State behind;
        double top_by_points = 0.0, top_by_ranges = 0.0, bottom_by_points = 0.0;  // adjoints of f and cb, for the two sums
        for (std::size_t k = before_.size(); k-- > 0;) {
            fill_before(k);
            behind_[k] = behind;
            SoftSums part;
            for (std::size_t t = end_of(k); t-- > k * block;) {
                const State before = local_[t - k * block];
                const double p = p_.data[t];
                const Local here = local(t, before, behind);
                part.top += p * here.top;
                part.bottom += p * here.bottom;
                // What the later points say of f_{t+1} and cb_{t+1}, which p_t makes.
                double top = here.top + top_by_points * (1.0 + before.points);
                if constexpr (Counts) top += top_by_ranges * (ended(t) + before.ranges);
                top_slopes_[t] = top;
                bottom_slopes_[t] = here.bottom + bottom_by_points * (1.0 + before.points);
                top_by_points = p * (here.top_by_before + top_by_points);
                bottom_by_points = p * (here.bottom_by_length + bottom_by_points);
                if constexpr (Counts) top_by_ranges = p * (here.top_by_ranges + top_by_ranges);
                behind = step(behind, p, started(t));
            }
            sums.top += part.top;
            sums.bottom += part.bottom;
        }
    }

    // The gradient: what was kept, and what earlier points bring to later ones.
    void backward(const SumSlopes& slopes, T* gradient) {
        double by_points = 0.0, by_ranges = 0.0;  // adjoints of b and of cf
        for (std::size_t k = 0; k < before_.size(); ++k) {
            fill_before(k);
            State behind = behind_[k];
            State later[block];
            for (std::size_t t = end_of(k); t-- > k * block;) {
                later[t - k * block] = behind;
                behind = step(behind, p_.data[t], started(t));
            }
            for (std::size_t t = k * block; t < end_of(k); ++t) {
                const State after = later[t - k * block];
                const double p = p_.data[t];
                const Local here = local(t, local_[t - k * block], after);
                double slope = slopes.top * top_slopes_[t] + slopes.bottom * bottom_slopes_[t] + by_points * (1.0 + after.points);
                if constexpr (Counts) slope += by_ranges * (started(t) + after.ranges);
                gradient[t] = static_cast<T>(slope);
                by_points = p * (slopes.top * here.top_by_behind + slopes.bottom * here.bottom_by_length + by_points);
                if constexpr (Counts) by_ranges = p * (slopes.top * here.top_by_ranges + by_ranges);
            }
        }
    }

  private:
    static constexpr std::size_t block = 256;
    static constexpr std::uint8_t is_real = 1, starts = 2, ends = 4;

    // What a run is expected to have on one side of a point: points, and real ranges more than at the point itself.
    struct State {
        double points = 0.0, ranges = 0.0;
    };
    // A point's part in both sums, for each unit of p_t; and how p_t times that changes, for each unit of p_t.
    struct Local {
        double top = 0.0, bottom = 1.0, top_by_before = 0.0, top_by_behind = 0.0, top_by_ranges = 0.0, bottom_by_length = 0.0;
    };

    std::size_t end_of(std::size_t k) const { return std::min(p_.size, (k + 1) * block); }
    double started(std::size_t t) const { return (marks_[t] & starts) ? 1.0 : 0.0; }
    double ended(std::size_t t) const { return (marks_[t] & ends) ? 1.0 : 0.0; }
    static State step(State state, double p, double meets) {
        if constexpr (Counts) return {p * (1.0 + state.points), p * (meets + state.ranges)};
        else return {p * (1.0 + state.points), 0.0};
    }
    State after(State state, std::size_t t) const { return step(state, p_.data[t], ended(t)); }
    void fill_before(std::size_t k) {
        State state = before_[k];
        for (std::size_t t = k * block; t < end_of(k); ++t) {
            local_[t - k * block] = state;
            state = after(state, t);
        }
    }

    Local local(std::size_t t, State before, State behind) const {
        Local here;
        const double length = 1.0 + before.points + behind.points;
        const double share = 1.0 / length;
        if (!by_points_) {
            here.bottom = share;
            here.bottom_by_length = -share * share;
        }
        if (!(marks_[t] & is_real)) return here;
        // omega_t = points(t) * q(length): the weight of t's place over the sum of weights, times the length where that counts.
        double size = 1.0, by_own_side = 0.0;  // `by_own_side`: through the points that stand in the weight of t's place
        double by_length = 0.0;
        switch (bias_) {
            case Bias::flat:
                if (!by_points_) size = share, by_length = -share * share;
                break;
            case Bias::front:
            case Bias::back: {
                const double weight = 1.0 + (bias_ == Bias::front ? behind.points : before.points);
                const double more = 1.0 / (length + 1.0), q = by_points_ ? 2.0 * more : 2.0 * share * more;
                size = weight * q;
                by_own_side = q;
                by_length = by_points_ ? -size * more : -size * (share + more);
                break;
            }
            case Bias::middle:
            case Bias::table:
            case Bias::sized: break;  // refused by check_soft
        }
        double factor = 1.0;
        if constexpr (Counts) {
            const Factor found = soft_factor(side_, 1.0 + before.ranges + behind.ranges, length);
            factor = found.value;
            here.top_by_ranges = found.slope * size;
        }
        here.top = factor * size;
        here.top_by_before = factor * (by_length + (bias_ == Bias::back ? by_own_side : 0.0));
        here.top_by_behind = factor * (by_length + (bias_ == Bias::front ? by_own_side : 0.0));
        return here;
    }

    Labels<T> p_;
    const SoftRule& side_;
    Scratch<std::uint8_t> marks_;
    Scratch<double> top_slopes_, bottom_slopes_;
    std::vector<State> before_, behind_;  // at the first point of each block, and at the last
    State local_[block];
    Bias bias_ = Bias::flat;
    bool by_points_ = false;
};

// Recall of one row.
template <class T>
class SoftRecall {
  public:
    SoftRecall(Labels<T> p, Ranges real, bool predicted_points, const SoftRule& side)
        : p_(p), real_(real), predicted_points_(predicted_points), side_(side) {}

    void forward(SoftSums& sums) const {
        for (std::size_t j = 0; j < real_.size(); ++j) {
            const Found found = look(j);
            if (side_.rule.as_points) {
                sums.recall += found.sum;
                sums.real_count += real_[j].length();
            } else {
                const double alpha = side_.rule.alpha;
                sums.recall += alpha * found.most + (1.0 - alpha) * found.factor.value * found.size;
                ++sums.real_count;
            }
        }
    }

    // Adds to the gradient.
    void backward(double slope, T* gradient) const {
        for (std::size_t j = 0; j < real_.size(); ++j) {
            const Range range = real_[j];
            const auto add = [&](std::int64_t t, double value) { gradient[t] = static_cast<T>(gradient[t] + slope * value); };
            if (side_.rule.as_points) {
                for (std::int64_t t = range.start; t < range.stop; ++t) add(t, 1.0);
                continue;
            }
            const Found found = look(j);
            const double alpha = side_.rule.alpha, rest = 1.0 - alpha, by_pieces = rest * found.size * found.factor.slope;
            add(found.place, alpha);
            bool rose = true;
            for (std::int64_t t = range.start; t < range.stop; ++t) {
                const bool rises = t + 1 < range.stop && p_.data[t + 1] > p_.data[t];
                const double pieces = predicted_points_ ? 1.0 : static_cast<double>(rose) - static_cast<double>(rises);
                add(t, rest * found.factor.value * weight(j, t - range.start) / found.whole + by_pieces * pieces);
                rose = rises;
            }
        }
    }

  private:
    struct Found {
        double sum, size, whole, most;
        std::int64_t place;  // of the highest probability
        Factor factor;
    };

    Found look(std::size_t j) const {
        const Range range = real_[j];
        double sum = 0.0, weighed = 0.0, rise = 0.0, last = 0.0, most = -1.0;
        std::int64_t place = range.start;
        for (std::int64_t t = range.start; t < range.stop; ++t) {
            const double p = p_.data[t];
            sum += p;
            if (!side_.rule.as_points) weighed += weight(j, t - range.start) * p;
            rise += std::max(0.0, p - last);
            last = p;
            if (p > most) most = p, place = t;
        }
        if (side_.rule.as_points) return {sum, 0.0, 1.0, most, place, {1.0, 0.0}};
        const double whole = total(j);
        const Factor factor = soft_factor(side_, predicted_points_ ? sum : rise, static_cast<double>(range.length()));
        return {sum, weighed / whole, whole, most, place, factor};
    }
    double weight(std::size_t j, std::int64_t before) const {
        const Rule& rule = side_.rule;
        if (rule.bias == Bias::table) {
            const double* cumulative = rule.weights.data() + rule.offsets[j];
            return cumulative[before + 1] - cumulative[before];
        }
        const std::int64_t length = real_[j].length();
        return static_cast<double>(prefix_weight<std::int64_t>(rule.bias, before + 1, length) - prefix_weight<std::int64_t>(rule.bias, before, length));
    }
    double total(std::size_t j) const {
        const Rule& rule = side_.rule;
        if (rule.bias == Bias::table) return rule.weights[static_cast<std::size_t>(rule.offsets[j] + real_[j].length())];
        return static_cast<double>(prefix_weight<std::int64_t>(rule.bias, real_[j].length(), real_[j].length()));
    }

    Labels<T> p_;
    Ranges real_;
    bool predicted_points_;
    const SoftRule& side_;
};

template <class T, bool Counts>
void soft_objective_as(const Batch<T>& batch, const SoftRule& recall, const SoftRule& precision, const Objective& objective, std::size_t threads,
                       std::span<double> values, T* gradient) {
    struct Row {
        Row(const Batch<T>& batch, std::size_t row, const SoftRule& whole, const SoftRule& precision)
            : rule(batch.rule(whole.rule, row)), side{rule, whole.slopes}, recall(batch.row(row), batch.real(row), precision.rule.as_points, side),
              precision(batch.row(row), batch.real(row), whole.rule.as_points, precision) {}
        Rule rule;
        SoftRule side;
        SoftRecall<T> recall;
        SoftPrecision<T, Counts> precision;
        SoftSums sums;
    };
    const auto forward = [&](std::size_t row) {
        auto made = std::make_unique<Row>(batch, row, recall, precision);
        made->recall.forward(made->sums);
        made->precision.forward(made->sums);
        return made;
    };
    const auto slopes_of = [&](const SoftSums& sums, double& value) {
        const Slopes found = target_at(objective, sums.precision_or(objective.zero_division), sums.recall_or(objective.zero_division));
        value = found.value;
        return sum_slopes(sums, found);
    };
    const auto backward = [&](Row& made, std::size_t row, const SumSlopes& slopes) {
        if (gradient == nullptr) return;
        made.precision.backward(slopes, gradient + row * batch.length());
        made.recall.backward(slopes.recall, gradient + row * batch.length());
    };
    if (!objective.pooled) {
        for_each_row(batch.rows(), batch.length(), threads, [&](std::size_t row) {
            const auto made = forward(row);
            backward(*made, row, slopes_of(made->sums, values[row]));
        });
        return;
    }
    std::vector<std::unique_ptr<Row>> made(batch.rows());
    for_each_row(batch.rows(), batch.length(), threads, [&](std::size_t row) { made[row] = forward(row); });
    SoftSums all;
    for (const auto& row : made) all += row->sums;  // in their order, whatever the threads did
    const SumSlopes slopes = slopes_of(all, values[0]);
    for_each_row(batch.rows(), batch.length(), threads, [&](std::size_t row) { backward(*made[row], row, slopes); });
}

// The objective of each row, or of all together where it is pooled, and its gradient unless that is null.
template <class T>
void soft_objective(const Batch<T>& batch, const SoftRule& recall, const SoftRule& precision, const Objective& objective, std::size_t threads,
                    std::span<double> values, T* gradient) {
    check_soft(recall, precision);
    if (precision.rule.as_points || precision.rule.cardinality == Cardinality::one)
        soft_objective_as<T, false>(batch, recall, precision, objective, threads, values, gradient);
    else soft_objective_as<T, true>(batch, recall, precision, objective, threads, values, gradient);
}

}  // namespace rangewise

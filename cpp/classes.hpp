// Runs of classes, in order of time: their numbers, and the ranges of each class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "many.hpp"
#include "ranges.hpp"

namespace rangewise {

// A counting sort: `codes` are the classes of the runs between `borders`, 0, 1, ..., and `first.size() - 1` for what is no class.
// The ranges of class c become those from first[c] to first[c + 1], in order of time; `ranges` has room for as many as there are runs.
inline void group_runs(Borders borders, std::span<const std::int64_t> codes, std::span<Range> ranges, std::span<std::int64_t> first) {
    const std::size_t classes = first.size() - 1;
    std::fill(first.begin(), first.end(), 0);
    for (const std::int64_t code : codes) {
        if (static_cast<std::uint64_t>(code) > classes) throw std::out_of_range("a run has the code of no class");
        if (static_cast<std::size_t>(code) < classes) ++first[static_cast<std::size_t>(code) + 1];
    }
    for (std::size_t c = 0; c < classes; ++c) first[c + 1] += first[c];
    for (std::size_t run = 0; run < codes.size(); ++run) {
        const auto code = static_cast<std::size_t>(codes[run]);
        if (code < classes) ranges[static_cast<std::size_t>(first[code]++)] = {borders[run], borders[run + 1]};
    }
    // Each has moved on to where the next one begins.
    for (std::size_t c = classes; c > 0; --c) first[c] = first[c - 1];
    first[0] = 0;
}

// Numbers the distinct values in ascending order: `codes` gets the number of each value, `firsts` the index at which each distinct value
// first occurs. Returns false if the values span `most` integers or more, for which a table would be too large.
template <class T>
bool number_values(std::span<const T> values, std::size_t most, std::span<std::int64_t> codes, std::vector<std::int64_t>& firsts) {
    if (values.empty()) return true;
    T low = values[0], high = values[0];
    for (const T value : values) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const auto above_lowest = [low](T value) { return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(low); };
    if (above_lowest(high) >= most) return false;
    constexpr std::int64_t unset = -1;
    std::vector<std::int64_t> table(above_lowest(high) + 1, unset);
    for (std::size_t i = values.size(); i-- > 0;) table[above_lowest(values[i])] = static_cast<std::int64_t>(i);
    for (std::int64_t& place : table) {
        if (place == unset) continue;
        firsts.push_back(place);
        place = static_cast<std::int64_t>(firsts.size()) - 1;
    }
    for (std::size_t i = 0; i < values.size(); ++i) codes[i] = table[above_lowest(values[i])];
    return true;
}

}  // namespace rangewise

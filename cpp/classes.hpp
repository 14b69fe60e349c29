// Runs of classes, in order of time, as the ranges of each class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

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

}  // namespace rangewise

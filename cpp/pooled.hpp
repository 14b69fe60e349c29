// Scores of many series in one sweep: between two series stands a point that is never switched on, so that no run of predicted points
// reaches from one into the next, and all else stays as it is for one series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "many.hpp"

namespace rangewise {

// Where the i-th score stands when every series but the first is preceded by one point more. Called for 0, 1, ... in order.
class SeriesPlaces {
  public:
    explicit SeriesPlaces(Borders borders) : borders_(borders) {}
    std::size_t operator()(std::size_t i) {
        if (static_cast<std::int64_t>(i) >= borders_[series_ + 1]) ++series_;
        return i + series_;
    }

  private:
    Borders borders_;
    std::size_t series_ = 0;
};

// The points that stand between series.
inline std::size_t gaps(Borders borders) { return borders.size() > 2 ? borders.size() - 2 : 0; }

}  // namespace rangewise

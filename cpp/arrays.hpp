// NumPy arrays as the kernel's spans, for the files that bind it to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "many.hpp"
#include "pooled.hpp"
#include "ranges.hpp"
#include "scratch.hpp"
#include "sort.hpp"

namespace nb = nanobind;

namespace rangewise {

using AnyLabels = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using RangeArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A label, score or probability that is none. Python sees an InvalidValueError whose text is the index.
class InvalidValue : public std::exception {
  public:
    explicit InvalidValue(std::size_t index) : text_(std::to_string(index)) {}
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

inline Ranges view(const RangeArray& array) {
    return {reinterpret_cast<const Range*>(array.data()), array.shape(0)};
}

// An array that the kernel fills and Python then owns.
template <class T>
class OwnedArray {
  public:
    explicit OwnedArray(std::size_t size) : data_(size), size_(size) {}
    OwnedArray(Scratch<T>&& data, std::size_t size) : data_(std::move(data)), size_(size) {}
    std::span<T> span() { return {data_.data(), size_}; }
    nb::ndarray<nb::numpy, T, nb::ndim<1>> release() {
        T* raw = data_.release();
        nb::capsule owner(raw, [](void* memory) noexcept { MemoryBlock::free(memory); });
        return {raw, {size_}, owner};
    }

  private:
    Scratch<T> data_;
    std::size_t size_;
};

// Edges as an (n, columns) array that Python owns.
template <class Shape>
nb::object release_edges(EdgeBuffer& edges, std::initializer_list<std::size_t> shape) {
    edges.reserve(1);  // a capsule wants an address, also around nothing
    std::int64_t* raw = edges.release();
    nb::capsule owner(raw, [](void* memory) noexcept { std::free(memory); });
    return nb::cast(nb::ndarray<nb::numpy, const std::int64_t, Shape>(raw, shape, owner));
}

// Calls `use` with the labels as their own type; false when no kernel exists for it.
template <class Use>
bool with_type(const AnyLabels& array, Use use) {
    const auto as = [&]<class T>(T) {
        use(Labels<T>{static_cast<const T*>(array.data()), array.shape(0), array.shape(0) > 1 ? static_cast<std::ptrdiff_t>(array.stride(0)) : 1});
        return true;
    };
    const nb::dlpack::dtype type = array.dtype();
    if (type.lanes != 1) return false;
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    if (code == nb::dlpack::dtype_code::Bool || code == nb::dlpack::dtype_code::UInt) {
        switch (type.bits) {
            case 8: return as(std::uint8_t{});
            case 16: return as(std::uint16_t{});
            case 32: return as(std::uint32_t{});
            case 64: return as(std::uint64_t{});
        }
    } else if (code == nb::dlpack::dtype_code::Int) {
        switch (type.bits) {
            case 8: return as(std::int8_t{});
            case 16: return as(std::int16_t{});
            case 32: return as(std::int32_t{});
            case 64: return as(std::int64_t{});
        }
    } else if (code == nb::dlpack::dtype_code::Float) {
        switch (type.bits) {
            case 32: return as(float{});
            case 64: return as(double{});
        }
    }
    return false;
}

template <class T>
std::span<const T> span_of(const std::optional<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& array) {
    if (!array) return {};
    return {array->data(), array->shape(0)};
}

inline void check_borders(const Integers& borders, std::size_t points) {
    const std::size_t size = borders.shape(0);
    bool rising = size > 0 && borders.data()[0] == 0 && borders.data()[size - 1] == static_cast<std::int64_t>(points);
    for (std::size_t k = 1; k < size; ++k) rising &= borders.data()[k - 1] < borders.data()[k];
    if (!rising) throw nb::value_error("borders rise from 0 to the number of points");
    if (points > most_column_points) throw nb::value_error("a batch takes up to 2**33 points");
}

inline Borders view(const Integers& borders) {
    return {borders.data(), borders.shape(0)};
}

// Where scores stand in time: one after the other; in many series between `borders`, with a point that is never on between two series;
// or at the ascending `rows` of a series of `points` points, whose other points are never on.
struct Timeline {
    std::optional<Integers> borders, rows;
    std::size_t points;

    Timeline(const AnyLabels& scores, const std::optional<Integers>& borders, const std::optional<Integers>& rows, std::size_t length)
        : borders(borders), rows(rows), points(rows ? length : scores.shape(0)) {
        if (borders && rows) throw nb::value_error("give borders or rows");
        if (borders) {
            check_borders(*borders, scores.shape(0));
            points += gaps(view(*borders));
        }
        if (points > most_sorted_points) throw nb::value_error("a curve takes fewer than 2**31 points");
        if (!rows) return;
        const std::size_t size = rows->shape(0);
        bool rising = size == scores.shape(0) && (size == 0 || (rows->data()[0] >= 0 && static_cast<std::size_t>(rows->data()[size - 1]) < length));
        for (std::size_t k = 1; k < size; ++k) rising &= rows->data()[k - 1] < rows->data()[k];
        if (!rising) throw nb::value_error("rows rise within the points, one for each score");
    }
    void check_inside(Ranges real) const {
        if (real.empty()) return;
        if (real.front().start < 0) throw nb::value_error("a real range starts before the first score");
        if (static_cast<std::size_t>(real.back().stop) > points) throw nb::value_error("a real range stops after the last score");
    }
};

// Calls `use(values, place)` without the GIL, with where each of the scores stands in time; throws InvalidValue for NaN.
template <class Use>
void with_places(const AnyLabels& scores, const Timeline& timeline, Use use) {
    const bool known = with_type(scores, [&](const auto& values) {
        nb::gil_scoped_release unlocked;
        const std::size_t nan = first_nan(values);
        if (nan < values.size) throw InvalidValue(nan);
        if (timeline.borders) use(values, SeriesPlaces(view(*timeline.borders)));
        else if (timeline.rows) use(values, [rows = timeline.rows->data()](std::size_t i) { return static_cast<std::size_t>(rows[i]); });
        else use(values, [](std::size_t i) { return i; });
    });
    if (!known) throw nb::type_error("scores are integers, float32 or float64");
}

// Calls `use(sorted)` without the GIL.
template <class Use>
void with_sorted(const AnyLabels& scores, const Timeline& timeline, Use use) {
    with_places(scores, timeline, [&](const auto& values, auto place) { use(SortedPoints(values, place)); });
}

}  // namespace rangewise

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rows of numbers between C++ and numpy.

#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::python {

template <typename Number>
using RowArgument =
    nanobind::ndarray<const Number, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <typename Number>
using Row = nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>, nanobind::c_contig>;

template <typename Number>
std::span<const Number> span_of(const RowArgument<Number>& row) {
  return {row.data(), row.size()};
}

template <typename Number>
std::vector<Number> vector_of(const RowArgument<Number>& row) {
  return {row.data(), row.data() + row.size()};
}

/// A numpy array that owns the numbers.
template <typename Number>
Row<Number> row_of(std::vector<Number> numbers) {
  auto* kept = new std::vector<Number>(std::move(numbers));
  const nanobind::capsule owner(
      kept, [](void* memory) noexcept { delete static_cast<std::vector<Number>*>(memory); });
  return Row<Number>(kept->data(), {kept->size()}, owner);
}

} // namespace thalweg::python

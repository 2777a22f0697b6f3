// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>

namespace thalweg::examples::stencil3d {

/// What all blocks know of the problem.
struct Problem {
  std::int64_t side = 0;    ///< of the grid, in cells
  std::int64_t uneven = 1;  ///< the last blocks have so many times as much to do as the first ones
  bool is_ramp = true;      ///< blocks between have something between; else what the first or the last has
  std::int64_t repeats = 1; ///< of the first blocks' computing in a step, as if it were a costlier one
};
inline Problem problem; // of the process

/// Cells of a box of the grid, from 1 on, with a layer around them. At first they say where they are.
class Cells {
public:
  Cells() = default;
  explicit Cells(Brick const& box)
      : sides_{box[0].size() + 2, box[1].size() + 2, box[2].size() + 2},
        values_(static_cast<std::size_t>(sides_[0] * sides_[1] * sides_[2])) {
    each_of(inner(), [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      std::int64_t const where = 31 * (box[0].begin + x) + 17 * (box[1].begin + y) + 7 * (box[2].begin + z);
      (*this)(x, y, z) = static_cast<double>(where % 64);
    });
  }
  double& operator()(std::int64_t x, std::int64_t y, std::int64_t z) { return values_[place(x, y, z)]; }
  double operator()(std::int64_t x, std::int64_t y, std::int64_t z) const { return values_[place(x, y, z)]; }
  Brick inner() const { return {{{1, sides_[0] - 1}, {1, sides_[1] - 1}, {1, sides_[2] - 1}}}; }
  /// The outermost inner cells towards a neighbor, or the layer there. Its side is as neighbor() has it.
  [[nodiscard]] Brick face(int side, bool is_layer) const {
    Brick face = inner();
    Range& across = face[static_cast<std::size_t>(side) / 2];
    std::int64_t const out = is_layer ? 1 : 0;
    std::int64_t const plane = side % 2 == 0 ? across.begin - out : across.end - 1 + out;
    across = {plane, plane + 1};
    return face;
  }
  /// Each inner cell becomes the mean of itself and its six neighbors.
  void relax_into(Cells& next) const {
    each_of(inner(), [&, y1 = sides_[2], x1 = sides_[1] * sides_[2]](auto... at) {
      double const* const cell = &values_[place(at...)];
      next.values_[place(at...)] =
          (1.0 / 7) * (*cell + cell[-x1] + cell[x1] + cell[-y1] + cell[y1] + cell[-1] + cell[1]);
    });
  }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(sides_, values_);
  }

private:
  [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>((x * sides_[1] + y) * sides_[2] + z);
  }
  std::array<std::int64_t, 3> sides_{};
  std::vector<double> values_;
};

/// A box of the grid: an object that may move to another rank.
class Block : public thalweg::element<Block, 3> {
public:
  Block() : now_(box()), next_(now_) {}
  /// The outer cells of a neighbor, before step `step`.
  void face(std::int64_t step, int side, std::span<double const> values) {
    faces_.put(static_cast<std::uint64_t>(step), {side, {values.begin(), values.end()}});
  }
  /// So many steps. Neighbors' blocks are as far, or one step ahead.
  thalweg::task run(std::int64_t steps) {
    for (std::int64_t const end = step_ + steps; step_ < end; ++step_) {
      for (int neighbors = send_faces(); neighbors > 0; --neighbors) {
        auto const [side, values] = co_await faces_.take(static_cast<std::uint64_t>(step_));
        auto value = values.begin();
        each_of(now_.face(side, true), [&](auto... at) { now_(at...) = *value++; });
      }
      for (std::int64_t repeat = repeats(); repeat > 0; --repeat)
        now_.relax_into(next_);
      std::swap(now_, next_);
    }
  }
  [[nodiscard]] Cells const& cells() const { return now_; }
  [[nodiscard]] Brick box() const { return part_of(problem.side, array().shape(), at()); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(now_, next_, step_);
  }

private:
  using Face = std::pair<int, std::vector<double>>; // the neighbor's side, and its cells
  int send_faces() {
    int neighbors = 0;
    for (int side = 0; side < 6; ++side)
      if (auto const there = neighbor(side)) {
        std::vector<double> values;
        each_of(now_.face(side, false), [&](auto... at) { values.push_back(now_(at...)); });
        there->call<&Block::face>(step_, side ^ 1, values);
        ++neighbors;
      }
    return neighbors;
  }
  /// The last blocks in the first dimension have most to do.
  [[nodiscard]] std::int64_t repeats() const {
    std::int64_t const others = std::max<std::int64_t>(array().shape()[0] - 1, 1);
    if (problem.is_ramp)
      return problem.repeats * (others + (problem.uneven - 1) * at()[0]) / others;
    return problem.repeats * (2 * at()[0] > others ? problem.uneven : 1);
  }

  Cells now_;
  Cells next_;
  std::int64_t step_ = 0;
  thalweg::inbox<Face> faces_; ///< by step; empty at fences, where blocks may move
};

} // namespace thalweg::examples::stencil3d

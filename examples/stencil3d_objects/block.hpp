#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <cereal/types/vector.hpp>

#include "common/blocks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

namespace thalweg::examples::stencil3d {

/// What all blocks know of the problem.
struct Problem {
  std::int64_t side = 0;    ///< of the grid, in cells
  std::int64_t uneven = 1;  ///< the last blocks have so many times as much to do as the first ones
  bool is_ramp = true;      ///< blocks between have something between; else what the first or the last has
  std::int64_t repeats = 1; ///< of the first blocks' computing in a step, as if it were a costlier one
};
inline Problem problem; // of the process

/// Cells of a box, with a layer around them.
class Cells {
public:
  Cells() = default;
  explicit Cells(std::array<Range, 3> const& box)
      : sides_{box[0].size() + 2, box[1].size() + 2, box[2].size() + 2},
        values_(static_cast<std::size_t>(sides_[0] * sides_[1] * sides_[2])) {}

  [[nodiscard]] std::int64_t side(int d) const { return sides_[static_cast<std::size_t>(d)]; }
  double& operator()(std::int64_t x, std::int64_t y, std::int64_t z) { return values_[place(x, y, z)]; }
  double operator()(std::int64_t x, std::int64_t y, std::int64_t z) const { return values_[place(x, y, z)]; }

  /// use(cell) for the cells of a plane across dimension d, without its edges, in a fixed order.
  template <typename Use>
  void each_of_plane(int d, std::int64_t plane, Use&& use) {
    int const first = d == 0 ? 1 : 0;
    int const second = d == 2 ? 1 : 2;
    for (std::int64_t a = 1; a + 1 < side(first); ++a)
      for (std::int64_t b = 1; b + 1 < side(second); ++b) {
        std::array<std::int64_t, 3> at{};
        at[static_cast<std::size_t>(d)] = plane;
        at[static_cast<std::size_t>(first)] = a;
        at[static_cast<std::size_t>(second)] = b;
        use((*this)(at[0], at[1], at[2]));
      }
  }
  /// Each inner cell becomes the mean of itself and its six neighbors.
  void relax_into(Cells& next) const;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(sides_[0], sides_[1], sides_[2], values_);
  }

private:
  [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>((x * sides_[1] + y) * sides_[2] + z);
  }
  std::array<std::int64_t, 3> sides_{};
  std::vector<double> values_;
};

/// What a cell is at first.
inline double first_value(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<double>((x * 31 + y * 17 + z * 7) % 64);
}

/// A box of the grid: an object, of which a rank has several, and which may move to another one.
class Block : public thalweg::element<Block, 3> {
public:
  Block();
  /// So many steps. Neighbors' blocks are as far, or one step ahead.
  thalweg::task run(std::int64_t steps);
  /// The outer cells of a neighbor, before step `step`.
  void face(std::int64_t step, int side, std::span<double const> values);

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(now_, next_, step_);
  }
  [[nodiscard]] Cells const& cells() const { return now_; }
  [[nodiscard]] std::array<Range, 3> box() const;

private:
  struct Face {
    int side = 0; ///< 2 d: below in dimension d; 2 d + 1: above
    std::vector<double> values;
  };
  [[nodiscard]] std::int64_t repeats() const;
  int send_faces();

  Cells now_;
  Cells next_;
  std::int64_t step_ = 0;
  thalweg::inbox<Face> faces_; ///< by step; empty at fences, where blocks may move
};

} // namespace thalweg::examples::stencil3d

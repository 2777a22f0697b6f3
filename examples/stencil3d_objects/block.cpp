#include "stencil3d_objects/block.hpp"

#include <utility>

namespace thalweg::examples::stencil3d {

void Cells::relax_into(Cells& next) const {
  constexpr double seventh = 1.0 / 7;
  for (std::int64_t x = 1; x + 1 < side(0); ++x)
    for (std::int64_t y = 1; y + 1 < side(1); ++y)
      for (std::int64_t z = 1; z + 1 < side(2); ++z)
        next(x, y, z) =
            seventh * ((*this)(x, y, z) + (*this)(x - 1, y, z) + (*this)(x + 1, y, z) + (*this)(x, y - 1, z) +
                       (*this)(x, y + 1, z) + (*this)(x, y, z - 1) + (*this)(x, y, z + 1));
}

std::array<Range, 3> Block::box() const {
  std::array<Range, 3> box;
  for (std::size_t d = 0; d < 3; ++d)
    box[d] = part_of({0, problem.side}, array().shape()[d], at()[d]);
  return box;
}

Block::Block() : now_(box()), next_(box()) {
  std::array<Range, 3> const own = box();
  for (std::int64_t x = 1; x + 1 < now_.side(0); ++x)
    for (std::int64_t y = 1; y + 1 < now_.side(1); ++y)
      for (std::int64_t z = 1; z + 1 < now_.side(2); ++z)
        now_(x, y, z) = first_value(own[0].begin + x - 1, own[1].begin + y - 1, own[2].begin + z - 1);
}

// The last blocks in the first dimension have most to do.
std::int64_t Block::repeats() const {
  std::int64_t const others = std::max<std::int64_t>(array().shape()[0] - 1, 1);
  if (problem.is_ramp)
    return problem.repeats * (others + (problem.uneven - 1) * at()[0]) / others;
  return problem.repeats * (2 * at()[0] > others ? problem.uneven : 1);
}

int Block::send_faces() {
  int neighbors = 0;
  std::vector<double> values;
  for (int side = 0; side < 6; ++side) {
    int const d = side / 2;
    bool const above = side % 2 == 1;
    auto there = at();
    there[static_cast<std::size_t>(d)] += above ? 1 : -1;
    if (there[static_cast<std::size_t>(d)] < 0 ||
        there[static_cast<std::size_t>(d)] >= array().shape()[static_cast<std::size_t>(d)])
      continue;
    ++neighbors;
    values.clear();
    now_.each_of_plane(d, above ? now_.side(d) - 2 : 1, [&](double cell) { values.push_back(cell); });
    array()[there].call<&Block::face>(step_, side ^ 1, values);
  }
  return neighbors;
}

void Block::face(std::int64_t step, int side, std::span<double const> values) {
  faces_.put(static_cast<std::uint64_t>(step), {side, {values.begin(), values.end()}});
}

thalweg::task Block::run(std::int64_t steps) {
  for (std::int64_t const end = step_ + steps; step_ < end; ++step_) {
    for (int neighbors = send_faces(); neighbors > 0; --neighbors) {
      Face const face = co_await faces_.take(static_cast<std::uint64_t>(step_));
      int const d = face.side / 2;
      auto value = face.values.begin();
      now_.each_of_plane(d, face.side % 2 == 1 ? now_.side(d) - 1 : 0,
                         [&](double& cell) { cell = *value++; });
    }
    for (std::int64_t repeat = repeats(); repeat > 0; --repeat)
      now_.relax_into(next_);
    std::swap(now_, next_);
  }
}

} // namespace thalweg::examples::stencil3d

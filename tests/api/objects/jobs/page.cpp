// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <algorithm>
#include <cereal/types/vector.hpp>
#include <cstdio>

constexpr int cells = 16; // of a block, in each dimension, with one more around them on each side
constexpr int row = cells + 2;

struct Face {
  int side; // 2 d: below in dimension d; 2 d + 1: above
  std::vector<double> values;
};

struct Block : thalweg::element<Block, 3> { // 3: blocks have three indices
  std::vector<double> now = std::vector<double>(row * row * row);
  std::vector<double> next = now;
  std::int64_t step = 0;
  thalweg::inbox<Face> faces;

  Block() { now[cell(1, 1, 1)] = 1 + at()[0] + at()[1] + at()[2]; }

  static std::size_t cell(int x, int y, int z) { return static_cast<std::size_t>((x * row + y) * row + z); }

  template <typename Use> // for each cell of a plane across dimension d
  void each(int d, int plane, Use use) {
    for (int a = 1; a <= cells; ++a)
      for (int b = 1; b <= cells; ++b)
        use(now[d == 0 ? cell(plane, a, b) : d == 1 ? cell(a, plane, b) : cell(a, b, plane)]);
  }

  void face(std::int64_t of_step, int side, std::span<const double> values) { // an entry method
    faces.put(static_cast<std::uint64_t>(of_step), {side, {values.begin(), values.end()}});
  }

  thalweg::task run(int steps) { // another one, which waits for messages
    for (int i = 0; i < steps; ++i, ++step) {
      int neighbors = 0;
      for (int side = 0; side < 6; ++side) {
        const auto there = neighbor(side);
        if (!there) // the block is at the array's border
          continue;
        std::vector<double> values;
        each(side / 2, side % 2 == 0 ? 1 : cells, [&](double value) { values.push_back(value); });
        there->call<&Block::face>(step, side ^ 1, values); // returns at once
        ++neighbors;
      }
      for (; neighbors > 0; --neighbors) { // other blocks run meanwhile
        const Face face = co_await faces.take(static_cast<std::uint64_t>(step));
        auto value = face.values.begin();
        each(face.side / 2, face.side % 2 == 0 ? 0 : cells + 1, [&](double& outer) { outer = *value++; });
      }
      for (int x = 1; x <= cells; ++x)
        for (int y = 1; y <= cells; ++y)
          for (int z = 1; z <= cells; ++z)
            next[cell(x, y, z)] = (now[cell(x, y, z)] + now[cell(x - 1, y, z)] + now[cell(x + 1, y, z)] +
                                   now[cell(x, y - 1, z)] + now[cell(x, y + 1, z)] + now[cell(x, y, z - 1)] +
                                   now[cell(x, y, z + 1)]) /
                                  7;
      std::swap(now, next);
    }
    double most = *std::ranges::max_element(now);
    most = co_await array().reduce(thalweg::maximum(), most); // of all blocks of all ranks
    if (at() == thalweg::coordinates<3>{0, 0, 0})
      std::printf("step %d: at most %.4f\n", static_cast<int>(step), most);
  }

  template <typename Archive> // what travels when the block moves to another rank
  void serialize(Archive& archive) {
    archive(now, next, step);
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    thalweg::array<Block> blocks(MPI_COMM_WORLD, {4, 2, 2}); // 16 of them, however many ranks there are
    for (int period = 0; period < 4; ++period) {
      if (blocks.rank() == 0)
        blocks.broadcast<&Block::run>(5);
      blocks.fence(); // all have run; blocks move to where there is time, if that pays
    }
  } // arrays end before MPI does
  MPI_Finalize();
}

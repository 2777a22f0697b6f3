// Random programs of calls, sections, reductions and fences, between elements that move, against the same
// without any.

#include "checks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/vector.hpp>
#include <chrono>
#include <cstdlib>
#include <random>

namespace {

using checks::require;

std::uint64_t mixed(std::uint64_t one) {
  one ^= one >> 33;
  one *= 0xff51afd7ed558ccdU;
  one ^= one >> 33;
  return one;
}

/// What a call leads to is a function of what it carries: so an oracle can follow it.
struct Walk {
  std::uint64_t seed;
  int hops;
  std::uint64_t next(std::uint64_t elements) const { return mixed(seed) % elements; }
  Walk follow() const { return {mixed(seed + 1), hops - 1}; }
};

struct Cell : thalweg::element<Cell> {
  std::uint64_t visits = 0;
  std::uint64_t marks = 0; // the same whatever the order of visits
  std::uint64_t total = 0;
  std::vector<std::uint64_t> luggage;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(visits, marks, total, luggage);
  }
  void visit(const Walk& walk) {
    ++visits;
    marks += mixed(walk.seed);
    if (visits % 16 == 0)
      luggage.push_back(visits);
    if (at()[0] % 4 == 1) { // some have more to do
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
      while (std::chrono::steady_clock::now() < until) {
      }
    }
    if (walk.hops > 0)
      array()[{static_cast<std::int64_t>(walk.next(array().size()))}].call<&Cell::visit>(walk.follow());
  }
  void mark(std::uint64_t by) { marks += by; }
  void add() { array().contribute<&Cell::has_total>(thalweg::sum(), visits); }
  void has_total(std::uint64_t of_all) { total = of_all; }
};

struct Twin {
  std::uint64_t visits = 0;
  std::uint64_t marks = 0;
};

void follow(std::vector<Twin>& twins, std::uint64_t first, Walk walk) {
  for (std::uint64_t at = first;; at = walk.next(twins.size()), walk = walk.follow()) {
    ++twins[at].visits;
    twins[at].marks += mixed(walk.seed);
    if (walk.hops == 0)
      return;
  }
}

/// Gives how many elements have moved.
std::uint64_t run_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t elements = 1 + random() % 60;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {static_cast<std::int64_t>(elements)});
  std::vector<Twin> twins(elements);
  std::uint64_t moves = 0;
  const std::uint64_t phases = 2 + random() % 5;
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    for (int walks = 0; walks < 40; ++walks) {
      const Walk walk{random(), static_cast<int>(random() % 60)};
      const std::uint64_t first = random() % elements;
      const int caller = static_cast<int>(random() % static_cast<std::uint64_t>(cells.ranks()));
      if (caller == cells.rank())
        cells[{static_cast<std::int64_t>(first)}].call<&Cell::visit>(walk);
      follow(twins, first, walk);
    }
    const auto period = static_cast<std::int64_t>(1 + random() % 5);
    auto some = cells.section([&](const auto& at) { return at[0] % period == 0; });
    if (cells.rank() == static_cast<int>(random() % static_cast<std::uint64_t>(cells.ranks())))
      some.call<&Cell::mark>(phase);
    for (std::uint64_t one = 0; one < elements; one += static_cast<std::uint64_t>(period))
      twins[one].marks += phase;
    if (random() % 4 == 0)
      cells.finish();
    thalweg_fence_options eager{};
    eager.threshold = 0.01;
    eager.steps = 1e6; // so that it pays
    moves += cells.fence(eager).entered;
    if (cells.rank() == 0)
      cells.broadcast<&Cell::add>();
    cells.finish();
  }
  std::uint64_t total = 0;
  for (const Twin& twin : twins)
    total += twin.visits;
  std::int64_t here = 0;
  cells.each([&](const Cell& cell, const auto& at) {
    const Twin& twin = twins[static_cast<std::size_t>(at[0])];
    require(cell.at() == at, "%s", "an element does not know its place");
    require(cell.visits == twin.visits && cell.marks == twin.marks, "seed %llu: element %lld differs",
            static_cast<unsigned long long>(seed), static_cast<long long>(at[0]));
    require(cell.total == total, "%s", "a sum over elements that moved is wrong");
    require(cell.luggage.size() == cell.visits / 16, "%s", "an element has lost something");
    ++here;
  });
  std::int64_t everywhere = 0;
  MPI_Allreduce(&here, &everywhere, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  require(everywhere == static_cast<std::int64_t>(elements), "%s", "elements are lost, or there twice");
  return moves;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* const wanted = std::getenv("THALWEG_TEST_PROGRAMS");
  const std::uint64_t programs = wanted == nullptr ? 10 : std::strtoull(wanted, nullptr, 10) / 20;
  std::uint64_t moves = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed)
    moves += run_program(seed);
  std::uint64_t all = 0;
  MPI_Allreduce(&moves, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  require(ranks == 1 || all > 0, "%s", "nothing has moved");
  if (rank == 0)
    std::printf("all right, %llu moves\n", static_cast<unsigned long long>(all));
  MPI_Finalize();
}

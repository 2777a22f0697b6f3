// SPDX-License-Identifier: BSD-3-Clause

// Random programs of calls, sections, broadcasts, reductions, tasks and fences, between elements that move at
// fences and at any time, against the same without any.

#include "checks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/vector.hpp>
#include <chrono>
#include <random>

namespace {

using checks::mixed;
using checks::require;

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
  std::uint64_t waited = 0;
  std::vector<std::uint64_t> luggage;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(visits, marks, total, waited, luggage);
  }
  void visit(const Walk& walk) {
    ++visits;
    marks += mixed(walk.seed);
    if (visits % 16 == 0)
      luggage.push_back(visits);
    if (is_restless && mixed(walk.seed + 2) % 8 == 0)
      move_to(static_cast<int>(mixed(walk.seed + 3) % static_cast<std::uint64_t>(array().ranks())));
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
  thalweg::task wait_for(std::uint64_t value) { // it stays meanwhile, if it wanted to move
    waited += co_await array().reduce(thalweg::sum(), value);
    waited += co_await array().reduce(thalweg::maximum(), value + static_cast<std::uint64_t>(at()[0]));
  }
  void pack_up() { luggage.resize(luggage.size() + 3000); } // no message of a stream any more
  static inline bool is_restless = false;
};

struct Twin {
  std::uint64_t visits = 0;
  std::uint64_t marks = 0;
  std::uint64_t waited = 0;
  std::size_t packed = 0;
};

void follow(std::vector<Twin>& twins, std::uint64_t first, Walk walk) {
  for (std::uint64_t at = first;; at = walk.next(twins.size()), walk = walk.follow()) {
    ++twins[at].visits;
    twins[at].marks += mixed(walk.seed);
    if (walk.hops == 0)
      return;
  }
}

template <typename IsMine>
void move_some(thalweg::array<Cell>& cells, std::vector<Twin>& twins, std::mt19937_64& random,
               const IsMine& is_mine) {
  const std::uint64_t number = random() % twins.size();
  const auto one = cells[{static_cast<std::int64_t>(number)}];
  const std::uint64_t what = random() % 16;
  const int to = static_cast<int>(random() % static_cast<std::uint64_t>(cells.ranks()));
  if (what > 2)
    return;
  const bool packs = what == 0 && twins[number].packed == 0;
  if (packs)
    twins[number].packed += 3000;
  if (!is_mine())
    return;
  if (packs)
    one.call<&Cell::pack_up>();
  (what == 1 ? one.urgent() : one).migrate(to);
}

// Every element is there once, and is as its twin.
void check_against(const std::vector<Twin>& twins, thalweg::array<Cell>& cells, std::uint64_t seed) {
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
    require(cell.waited == twin.waited, "seed %llu: element %lld has waited for something else",
            static_cast<unsigned long long>(seed), static_cast<long long>(at[0]));
    require(cell.luggage.size() == cell.visits / 16 + twin.packed, "%s", "an element has lost something");
    ++here;
  });
  std::int64_t everywhere = 0;
  MPI_Allreduce(&here, &everywhere, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  require(everywhere == static_cast<std::int64_t>(twins.size()), "%s", "elements are lost, or there twice");
}

/// Gives how many elements have moved.
std::uint64_t run_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t elements = 1 + random() % 60;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {static_cast<std::int64_t>(elements)});
  std::vector<Twin> twins(elements);
  std::uint64_t moves = 0;
  const std::uint64_t phases = 2 + random() % 5;
  Cell::is_restless = random() % 4 != 0;
  const auto ranks = static_cast<std::uint64_t>(cells.ranks());
  const auto is_mine = [&] { return cells.rank() == static_cast<int>(random() % ranks); };
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    for (int walks = 0; walks < 40; ++walks) {
      const Walk walk{random(), static_cast<int>(random() % 60)};
      const std::uint64_t first = random() % elements;
      if (is_mine())
        cells[{static_cast<std::int64_t>(first)}].call<&Cell::visit>(walk);
      follow(twins, first, walk);
      move_some(cells, twins, random, is_mine);
    }
    const bool is_first = is_mine(); // all of these are under way together, with what moves
    for (std::uint64_t waits = random() % 3; waits > 0; --waits) {
      if (is_first)
        cells.broadcast<&Cell::wait_for>(waits);
      for (Twin& twin : twins)
        twin.waited += waits * elements + waits + elements - 1;
    }
    const auto period = static_cast<std::int64_t>(1 + random() % 5);
    auto some = cells.section([&](const auto& at) { return at[0] % period == 0; });
    if (is_mine())
      some.call<&Cell::mark>(phase);
    for (std::uint64_t one = 0; one < elements; one += static_cast<std::uint64_t>(period))
      twins[one].marks += phase;
    if (random() % 4 == 0)
      cells.finish();
    thalweg_fence_options eager{};
    eager.threshold = 0.01;
    eager.scheme = static_cast<thalweg_fence_scheme>(random() % 6);
    eager.steps = random() % 2 == 0 ? 1e6 : 1e-9; // so that it pays, or does not
    const thalweg_fence_outcome outcome = cells.fence(eager);
    const bool may_move = eager.scheme != thalweg_fence_stay && eager.steps > 1;
    require(may_move || (outcome.was_worth == 0 && outcome.left == 0),
            "a fence has moved elements, seed %llu", static_cast<unsigned long long>(seed));
    require(eager.scheme != thalweg_fence_stay || ranks == 1 ||
                cells.explain().find("stay: no element moves") != std::string::npos,
            "a fence that stays is not explained: %s", cells.explain().c_str());
    moves += outcome.entered;
    if (cells.rank() == 0)
      cells.broadcast<&Cell::add>();
    cells.finish();
  }
  check_against(twins, cells, seed);
  return moves;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t programs = checks::random_programs(10, 20);
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

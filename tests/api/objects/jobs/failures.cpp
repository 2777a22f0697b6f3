// SPDX-License-Identifier: BSD-3-Clause

// Random programs in which an entry method throws while elements move, wait, reduce and send in brackets: all
// ranks hear of it, and behind it every element is there once, with all that arrays promise.

#include "checks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/vector.hpp>
#include <chrono>
#include <random>
#include <stdexcept>

namespace {

using checks::mixed;
using checks::require;

struct Cell : thalweg::element<Cell> {
  std::uint64_t marks = 0;
  std::uint64_t total = 0;
  std::uint64_t waited = 0;
  std::vector<std::uint64_t> luggage;
  thalweg::inbox<int> box;
  int heard = 0;
  static inline thalweg::association<Cell>* halo = nullptr;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(marks, total, waited, luggage);
  }
  std::uint64_t number() const { return static_cast<std::uint64_t>(at()[0]); }
  void visit(std::uint64_t seed, int hops, int last) {
    if (hops == last)
      throw std::runtime_error("it had to");
    if (mixed(seed + 1) % 16 == 0)
      luggage.resize(3000); // no message of a stream any more
    if (mixed(seed + 2) % 3 == 0)
      move_to(static_cast<int>(mixed(seed + 3) % static_cast<std::uint64_t>(array().ranks())));
    if (mixed(seed + 4) % 8 == 0)
      add(seed);
    if (mixed(seed + 6) % 16 == 0) // where the last one is still open, this throws
      halo->begin();
    if (mixed(seed + 6) % 32 == 0)
      exchange_and_end();
    array()[{static_cast<std::int64_t>(mixed(seed) % array().size())}].call<&Cell::visit>(mixed(seed + 5),
                                                                                          hops + 1, last);
  }
  void add(std::uint64_t) { array().contribute<&Cell::has_total>(thalweg::sum(), number() + 1); }
  void has_total(std::uint64_t of_all) { total = of_all; }
  void mark(std::uint64_t by) { marks += by; }
  void exchange() {
    halo->begin();
    exchange_and_end();
  }
  void exchange_and_end() {
    (*halo)[{static_cast<std::int64_t>((number() + 1) % array().size())}].call<&Cell::mark>(std::uint64_t{8});
    halo->end();
  }
  thalweg::task listen() { // all the time
    for (;;)
      heard += co_await box.take();
  }
  void tell(int what) { box.put(0, what); }
  void begin() { marks = total = waited = 0; }
  thalweg::task wait() { waited = co_await array().reduce(thalweg::maximum(), number()); }
};

/// Whose serializer throws, on the way out or in.
struct Stubborn : thalweg::element<Stubborn> {
  std::uint64_t visits = 0; // it is copied byte by byte, if not for serialize()
  static inline bool stays = false;
  static inline bool may_enter = true;

  template <typename Archive>
  void serialize(Archive& archive) {
    if (Archive::is_saving::value && stays)
      throw std::runtime_error("it stays");
    if (Archive::is_loading::value && !may_enter)
      throw std::runtime_error("it may not enter");
    archive(visits);
  }
  void visit() { ++visits; }
  void work() { // the first ones have more to do
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(at()[0] < 4 ? 2 : 0);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  std::uint64_t answer(int of) {
    if (of < 0)
      throw std::runtime_error("no answer");
    return visits;
  }
  struct refusal {
    std::uint64_t operator()(std::uint64_t, std::uint64_t) const { throw std::runtime_error("no sum"); }
  };
  void add() { array().contribute<&Stubborn::has_sum>(refusal(), visits); }
  void has_sum(std::uint64_t) {}
};

std::uint64_t of_all(std::uint64_t own) {
  std::uint64_t sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void must_be_whole(thalweg::array<Cell>& cells, std::uint64_t seed, int phase) {
  const auto name = static_cast<unsigned long long>(seed);
  const std::uint64_t here = of_all(cells.local());
  require(here == cells.size(), "seed %llu: %llu elements are left of %llu", name,
          static_cast<unsigned long long>(here), static_cast<unsigned long long>(cells.size()));
  if (cells.rank() == 0)
    cells.broadcast<&Cell::begin>();
  cells.finish();
  if (cells.rank() == cells.ranks() - 1) {
    cells.broadcast<&Cell::mark>(std::uint64_t{1});
    cells.section([](const auto& at) { return at[0] % 2 == 0; }).call<&Cell::mark>(std::uint64_t{2});
    for (std::uint64_t one = 0; one < cells.size(); ++one)
      cells[{static_cast<std::int64_t>(one)}].call<&Cell::mark>(std::uint64_t{4});
    cells.broadcast<&Cell::add>(std::uint64_t{0});
    cells.broadcast<&Cell::wait>();
    cells.broadcast<&Cell::exchange>();
    cells[{0}].call<&Cell::tell>(1);
  }
  cells.finish();
  cells.each([&](const Cell& cell, const auto& at) {
    require(cell.marks == (at[0] % 2 == 0 ? 15U : 13U), "seed %llu: marks of element %d: %d", name,
            static_cast<int>(at[0]), static_cast<int>(cell.marks));
    require(at[0] != 0 || cell.heard == phase + 1, "seed %llu: heard %d times", name, cell.heard);
    require(cell.total == cells.size() * (cells.size() + 1) / 2, "seed %llu: a sum is %d", name,
            static_cast<int>(cell.total));
    require(cell.waited == cells.size() - 1, "seed %llu: a maximum is %d", name,
            static_cast<int>(cell.waited));
  });
}

void run_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {static_cast<std::int64_t>(2 + random() % 40)});
  const std::array strategies{"direct", "mesh", "grid", "hypercube", "stream", "auto"};
  thalweg::association<Cell> halo(cells, strategies[random() % strategies.size()]);
  Cell::halo = &halo;
  if (cells.rank() == 0)
    cells[{0}].call<&Cell::listen>();
  cells.finish();
  for (int phase = 0; phase < 4; ++phase) {
    for (int walk = 0; walk < 10; ++walk) {
      const std::uint64_t seed_of_walk = random();
      if (cells.rank() == static_cast<int>(random() % static_cast<std::uint64_t>(cells.ranks())))
        cells[{static_cast<std::int64_t>(seed_of_walk % cells.size())}].call<&Cell::visit>(
            seed_of_walk, 0, 20 + static_cast<int>(seed_of_walk % 50));
    }
    const bool is_fence = random() % 2 == 0;
    const auto failed = checks::failure_of([&] { is_fence ? (void)cells.fence() : cells.finish(); });
    require(std::string(failed.what()).find("Cell::visit of element [") != std::string::npos,
            "no element is named in: %s", failed.what());
    must_be_whole(cells, seed, phase);
  }
}

template <typename Work>
void must_say(const char* what, Work work) {
  const auto failed = checks::failure_of(work);
  require(std::string(failed.what()).find(what) != std::string::npos, "%s is not in: %s", what,
          failed.what());
}

void fence_unevenly(thalweg::array<Stubborn>& some, thalweg_fence_scheme scheme) {
  if (some.rank() == 0)
    some.broadcast<&Stubborn::work>();
  thalweg_fence_options eager{};
  eager.steps = 1e6;
  eager.scheme = scheme;
  some.fence(eager);
}

void test_serializers() {
  thalweg::array<Stubborn> some(MPI_COMM_WORLD, {12});
  if (some.ranks() == 1)
    return;
  const bool is_first = some.rank() == 0;
  Stubborn::stays = true;
  must_say("element [2] cannot be written: it stays", [&] {
    if (is_first)
      some[{2}].migrate(some.ranks() - 1);
    some.finish();
  });
  must_say("] cannot be written: it stays",
           [&] { thalweg::checkpoint(MPI_COMM_WORLD, "stubborn-checkpoint"); });
  for (const auto scheme : {thalweg_fence_sweep, thalweg_fence_alias, thalweg_fence_greedy})
    must_say("] cannot be written: it stays", [&] {
      for (;;) // until it pays
        fence_unevenly(some, scheme);
    });
  Stubborn::stays = false;
  require(of_all(some.local()) == some.size(), "%s", "elements were lost that could not be written");
  must_say("Stubborn::answer of element [11] threw: no answer", [&] {
    if (is_first)
      (void)some[{11}].ask<&Stubborn::answer>(-1);
    some.finish();
  });
  must_say("threw: no sum", [&] {
    if (is_first)
      some.broadcast<&Stubborn::add>();
    some.finish();
  });
  if (is_first)
    some.section([](const auto& at) { return at[0] > 5; }).call<&Stubborn::visit>();
  some.finish();
  some.each([](const Stubborn& one, const auto& at) {
    require(one.visits == (at[0] > 5 ? 1U : 0U), "%s", "a call");
  });

  Stubborn::may_enter = false;
  must_say("reading of element [4] threw: it may not enter", [&] {
    if (is_first)
      some[{4}].migrate((static_cast<int>(some[{4}].rank()) + 1) % some.ranks());
    some.finish();
  });
  if (is_first)
    some.broadcast<&Stubborn::visit>(); // nothing hangs over those that are gone
  some.finish();
  Stubborn::may_enter = true;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t programs = checks::random_programs(10, 20);
  for (std::uint64_t seed = 1; seed <= programs; ++seed)
    run_program(seed);
  test_serializers();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}

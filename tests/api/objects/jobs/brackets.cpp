// SPDX-License-Identifier: BSD-3-Clause

// Random programs of elements that call each other in brackets, with every strategy, against an oracle: calls
// of elements and of sections, of two arrays, short and long, tasks between begin and end, brackets that some
// never end, elements that move at any time and at fences, and entry methods that throw.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <csignal>
#include <random>
#include <sstream>

namespace {

using checks::mixed;
using checks::require;

struct Other : thalweg::element<Other> {
  std::uint64_t marks = 0;
  static constexpr bool moves = true;
  void mark(std::uint64_t by) { marks += by; }
};

/// What an element does in a round; everybody can compute it.
struct Plan {
  std::uint64_t seed;
  std::uint64_t elements;
  std::uint64_t calls(std::uint64_t from) const { return mixed(seed + from) % 6; }
  std::uint64_t to(std::uint64_t from, std::uint64_t call) const {
    return mixed(seed + 1000 * from + call) % elements;
  }
  std::uint64_t value(std::uint64_t from, std::uint64_t call) const { return mixed(seed ^ (from + call)); }
  bool is_long(std::uint64_t from) const { return mixed(seed + 7 * from) % 16 == 0; }
  bool moves(std::uint64_t from) const { return mixed(seed + 5 * from) % 8 == 0; }
  std::uint64_t period() const { return 1 + mixed(seed) % 5; }
};
constexpr std::uint64_t long_argument = 3000; // words: no message of a stream any more

struct Cell : thalweg::element<Cell> {
  std::uint64_t marks = 0;
  static constexpr bool moves = true;
  static inline thalweg::association<Cell>* halo = nullptr;
  static inline thalweg::array<Other>* others = nullptr;

  std::uint64_t number() const { return static_cast<std::uint64_t>(at()[0]); }
  void mark(std::uint64_t by) { marks += by; }
  void mark_long(std::span<const std::uint64_t> values) {
    require(values.size() == long_argument && values.front() == values.back(), "%s",
            "a long argument is cut");
    marks += values.front();
  }
  void go(const Plan& plan) {
    halo->begin();
    send(plan);
    halo->end();
    move(plan);
  }
  void go_on_elsewhere(const Plan& plan) { // it may end its bracket on another rank than it began it
    halo->begin();
    send(plan);
    move(plan);
    array()[at()].call<&Cell::end_late>(0);
  }
  void move(const Plan& plan) {
    if (plan.moves(number()))
      move_to(static_cast<int>(mixed(plan.seed + number()) % static_cast<std::uint64_t>(array().ranks())));
  }
  void send(const Plan& plan) {
    for (std::uint64_t call = 0; call < plan.calls(number()); ++call) {
      const auto to = static_cast<std::int64_t>(plan.to(number(), call));
      const std::uint64_t value = plan.value(number(), call);
      (*halo)[{to}].call<&Cell::mark>(value);
      (*halo)((*others)[{to}]).call<&Other::mark>(value + 1);
    }
    if (plan.is_long(number()))
      (*halo)[{static_cast<std::int64_t>(plan.to(number(), 0))}].call<&Cell::mark_long>(
          std::vector<std::uint64_t>(long_argument, number()));
    if (number() % 8 == 0) {
      auto some = array().section(
          [&](const auto& one) { return static_cast<std::uint64_t>(one[0]) % plan.period() == 0; });
      (*halo)(some).call<&Cell::mark>(number() + 1);
      if (plan.is_long(number() + 1))
        (*halo)(some).call<&Cell::mark_long>(std::vector<std::uint64_t>(long_argument, number()));
    }
  }
  void end_late(int) { halo->end(); }
  void never_ends(std::uint64_t to) {
    halo->begin();
    (*halo)[{static_cast<std::int64_t>(to)}].call<&Cell::mark>(1);
    if (number() != 0)
      halo->end();
  }
  void end_now() { // of the one that has not
    if (number() == 0)
      halo->end();
  }
  thalweg::task go_slowly(Plan plan) {
    halo->begin();
    co_await array().reduce(thalweg::sum(), 1);
    send(plan);
    halo->end();
  }
  void misuse() {
    checks::failure_of([&] { halo->end(); });
    checks::failure_of([&] { (*halo)[{0}].call<&Cell::mark>(1U); });
    halo->begin();
    checks::failure_of([&] { halo->begin(); });
    halo->end();
  }
  void dies(const Plan& plan) {
    halo->begin();
    send(plan);
    if (number() == 17)
      std::raise(SIGKILL);
    halo->end();
  }
  void fails(std::uint64_t who) {
    halo->begin();
    (*halo)[{0}].call<&Cell::mark>(1U);
    if (number() == who)
      throw std::runtime_error("it had to");
    halo->end();
  }
};

struct Twins {
  std::vector<std::uint64_t> cells;
  std::vector<std::uint64_t> others;

  void go(const Plan& plan) {
    for (std::uint64_t from = 0; from < cells.size(); ++from) {
      for (std::uint64_t call = 0; call < plan.calls(from); ++call) {
        cells[plan.to(from, call)] += plan.value(from, call);
        others[plan.to(from, call)] += plan.value(from, call) + 1;
      }
      if (plan.is_long(from))
        cells[plan.to(from, 0)] += from;
      for (std::uint64_t one = 0; from % 8 == 0 && one < cells.size(); one += plan.period())
        cells[one] += from + 1 + (plan.is_long(from + 1) ? from : 0);
    }
  }
  void check(thalweg::array<Cell>& these, thalweg::array<Other>& those, std::uint64_t seed) const {
    these.each([&](const Cell& cell, const auto& at) {
      require(cell.marks == cells[static_cast<std::size_t>(at[0])], "seed %llu: cell %lld differs",
              static_cast<unsigned long long>(seed), static_cast<long long>(at[0]));
    });
    those.each([&](const Other& other, const auto& at) {
      require(other.marks == others[static_cast<std::size_t>(at[0])], "seed %llu: other %lld differs",
              static_cast<unsigned long long>(seed), static_cast<long long>(at[0]));
    });
  }
};

void run_program(std::uint64_t seed, const char* strategy) {
  std::mt19937_64 random(seed);
  const std::uint64_t elements = 1 + random() % 60;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {static_cast<std::int64_t>(elements)});
  thalweg::array<Other> others(MPI_COMM_WORLD, {static_cast<std::int64_t>(elements)});
  thalweg::association<Cell> halo(cells, strategy);
  Cell::halo = &halo;
  Cell::others = &others;
  Twins twins{std::vector<std::uint64_t>(elements), std::vector<std::uint64_t>(elements)};
  const auto is_mine = [&] {
    return cells.rank() == static_cast<int>(random() % static_cast<std::uint64_t>(cells.ranks()));
  };
  for (int phase = 0; phase < 4; ++phase) {
    for (std::uint64_t rounds = 1 + random() % 5; rounds > 0; --rounds) {
      const Plan plan{random(), elements};
      twins.go(plan);
      const std::uint64_t kind = random() % 6;
      if (kind < 2) // brackets stay open, so no others may begin
        cells.finish();
      if (is_mine()) {
        if (kind == 0)
          cells.broadcast<&Cell::go_slowly>(plan);
        else if (kind == 1)
          cells.broadcast<&Cell::go_on_elsewhere>(plan);
        else
          cells.broadcast<&Cell::go>(plan);
      }
      if (kind < 2)
        cells.finish();
    }
    thalweg_fence_options eager{};
    eager.threshold = 0.01;
    eager.steps = 1e6;
    eager.scheme = thalweg_fence_greedy;
    if (random() % 2 == 0)
      cells.fence(eager);
    else
      cells.finish();
    twins.check(cells, others, seed);
  }
  if (cells.rank() == 0) // the others' calls wait for an end that comes a phase later
    cells.broadcast<&Cell::never_ends>(seed % elements);
  cells.finish();
  twins.cells[seed % elements] += elements;
  twins.check(cells, others, seed);
  if (cells.rank() == 0)
    cells.broadcast<&Cell::end_now>();
  cells.finish();
  if (cells.rank() == cells.ranks() - 1)
    cells.broadcast<&Cell::misuse>();
  cells.fence();
  twins.check(cells, others, seed);
}

/// Fences try strategies out; what is said tells which. Moves of elements, which follow the clock, let trials
/// begin anew four times in each situation, so nobody knows at which fence the first comes to its end.
void test_switching() {
  constexpr std::uint64_t elements = 40;
  constexpr std::uint64_t min_fences = 20;
  constexpr std::uint64_t max_fences = 200;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {elements});
  thalweg::array<Other> others(MPI_COMM_WORLD, {elements});
  thalweg::association<Cell> halo(cells, "auto");
  Cell::halo = &halo;
  Cell::others = &others;
  Twins twins{std::vector<std::uint64_t>(elements), std::vector<std::uint64_t>(elements)};
  bool is_tried = cells.ranks() == 1;
  for (std::uint64_t fence = 0; fence < min_fences || (!is_tried && fence < max_fences); ++fence) {
    for (std::uint64_t round = 0; round < 3; ++round) {
      const Plan plan{100 * fence + round, elements};
      twins.go(plan);
      if (cells.rank() == 0)
        cells.broadcast<&Cell::go>(plan);
    }
    cells.fence();
    twins.check(cells, others, fence);
    is_tried |= std::string(cells.explain()).find("stream is tried") != std::string::npos;
  }
  require(is_tried, "%s", cells.explain().c_str());
}

/// The associations that try something from this fence on.
std::vector<int> trying(const std::string& text, int fence) {
  const std::string begin = "fence " + std::to_string(fence) + ": association ";
  std::vector<int> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin) && line.find(" is tried: ") != std::string::npos)
      all.push_back(std::stoi(line.substr(begin.size())));
  return all;
}

/// Two associations of one step: each tries, and never both from the same fence on. Fences' loads are of many
/// situations, each with trials of its own, so nobody knows at which fence the second one's turn comes.
void test_turns() {
  constexpr std::uint64_t elements = 40;
  constexpr int min_fences = 40;
  constexpr int max_fences = 200;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {elements});
  thalweg::array<Other> others(MPI_COMM_WORLD, {elements});
  thalweg::association<Cell> halo(cells);
  thalweg::association<Cell> other_halo(cells, "auto");
  Cell::others = &others;
  Twins twins{std::vector<std::uint64_t>(elements), std::vector<std::uint64_t>(elements)};
  int tried[2] = {0, 0};
  const auto have_tried = [&] { return cells.ranks() == 1 || (tried[0] > 0 && tried[1] > 0); };
  for (int fence = 1; fence <= min_fences || (!have_tried() && fence <= max_fences); ++fence) {
    for (thalweg::association<Cell>* const one : {&halo, &other_halo}) {
      Cell::halo = one;
      const Plan plan{static_cast<std::uint64_t>(fence), elements};
      twins.go(plan);
      if (cells.rank() == 0)
        cells.broadcast<&Cell::go>(plan);
      cells.finish();
    }
    thalweg_fence_options options{};
    options.scheme = thalweg_fence_stay;
    cells.fence(options);
    const std::string said = cells.explain();
    const std::vector<int> now = trying(said, fence);
    require(now.size() <= 1, "two try at once: %s", said.c_str());
    for (const int number : now)
      ++tried[number];
  }
  twins.check(cells, others, 1);
  require(have_tried(), "%s", cells.explain().c_str());
}

/// More come and go than an array may have at a time.
void test_lives() {
  constexpr std::uint64_t elements = 40;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {elements});
  thalweg::array<Other> others(MPI_COMM_WORLD, {elements});
  Cell::others = &others;
  Twins twins{std::vector<std::uint64_t>(elements), std::vector<std::uint64_t>(elements)};
  for (std::uint64_t life = 0; life < 100; ++life) {
    thalweg::association<Cell> halo(cells, life % 2 == 0 ? "mesh" : "direct");
    Cell::halo = &halo;
    const Plan plan{life, elements};
    twins.go(plan);
    if (cells.rank() == 0)
      cells.broadcast<&Cell::go>(plan);
    cells.fence();
  }
  twins.check(cells, others, 1);
  cells.finish(); // the last one's bit is free
  std::vector<std::unique_ptr<thalweg::association<Cell>>> living;
  for (int one = 0; one < 32; ++one)
    living.push_back(std::make_unique<thalweg::association<Cell>>(cells, "direct"));
  const auto one_more = [&] { thalweg::association<Cell>(cells, "direct"); };
  const std::string full = checks::failure_of(one_more).what();
  require(full.find("32 associations") != std::string::npos, "%s", full.c_str());
  living.pop_back();
  require(checks::failure_of(one_more).what() == full, "%s", "a bit is used while messages may be left");
  cells.finish();
  one_more();
}

void test_failures(const char* strategy) {
  for (const std::uint64_t who : {0U, 5U, 11U}) {
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {12});
    thalweg::association<Cell> halo(cells, strategy);
    Cell::halo = &halo;
    if (cells.rank() == 0)
      cells.broadcast<&Cell::fails>(who);
    const auto failed = checks::failure_of([&] { cells.finish(); });
    require(std::string(failed.what()).find("Cell::fails of element [" + std::to_string(who)) !=
                std::string::npos,
            "no element is named in: %s", failed.what());
    cells.finish(); // nothing is left of it
  }
}

/// One rank dies while others wait for the rest of its brackets.
void be_killed(const char* strategy) {
  constexpr std::uint64_t elements = 40;
  thalweg::array<Cell> cells(MPI_COMM_WORLD, {elements});
  thalweg::array<Other> others(MPI_COMM_WORLD, {elements});
  thalweg::association<Cell> halo(cells, strategy);
  Cell::halo = &halo;
  Cell::others = &others;
  for (std::uint64_t round = 0; round < 50 && cells.rank() == 0; ++round) {
    const Plan plan{round, elements};
    if (round == 25)
      cells.broadcast<&Cell::dies>(plan);
    else
      cells.broadcast<&Cell::go>(plan);
  }
  cells.fence();
}

} // namespace

// Without arguments: all programs. With a strategy: a job of which a rank is killed.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1)
    be_killed(argv[1]);
  const std::uint64_t programs = checks::random_programs(4, 50);
  for (const char* strategy : {"direct", "mesh", "grid", "hypercube", "stream", "auto"}) {
    for (std::uint64_t seed = 1; seed <= programs; ++seed)
      run_program(seed, strategy);
    test_failures(strategy);
  }
  test_switching();
  test_turns();
  test_lives();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {3});
    const auto failed = checks::failure_of([&] { thalweg::association<Cell>(cells, "meh"); });
    require(std::string(failed.what()).find("\"meh\"") != std::string::npos, "%s", failed.what());
  }
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}

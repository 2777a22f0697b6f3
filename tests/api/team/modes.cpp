// SPDX-License-Identifier: BSD-3-Clause

// modes [FAULT]: random programs of collectives in all modes of synchronization, with puts and gets around
// them, on a team, a second one of the same ranks and parts of it, against an oracle that all ranks compute.
// Some ranks have their buffers in symmetric memory, some do not.
//
// Before a call with `all` at its beginning, ranks put something into the inputs of others, and those that
// return know that all have come. After a call with `all` at its end, ranks get others' outputs and put
// something into them. With a fault, calls get less than that, and the oracle must notice:
//   before: mine for all; after: mine for all

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using checks::mixed;
using checks::require;
using thalweg::team;
using Ends = thalweg::synchronization;
using Word = std::uint64_t;

constexpr std::size_t most_ranks = 8;
constexpr std::size_t largest = 6000; // elements of a unit
enum Kind { broadcast, scatter, gather, reduce, allgather, alltoall, allreduce, scan, kinds };

std::string fault;
int found = 0;

struct Round {
  Word number = 0;
  Kind kind = broadcast;
  int root = 0;
  std::size_t n = 0;
  thalweg::call_synchronization when;
  bool is_started = false;
  int late = 0;
  unsigned symmetric = 0; // the ranks whose buffers are
  bool is(int rank) const { return (symmetric >> rank & 1U) != 0; }
};

class Program {
public:
  explicit Program(team& on)
      : t_(on), ranks_(static_cast<std::size_t>(on.size())), input_(on.allocate<double>(largest * ranks_)),
        output_(on.allocate<double>(largest * ranks_)), come_(on.allocate<Word>(ranks_)),
        own_input_(largest * ranks_), own_output_(largest * ranks_) {
    require(ranks_ <= most_ranks, "%d ranks are too many", on.size());
  }
  void end() {
    t_.release(come_);
    t_.release(output_);
    t_.release(input_);
  }

  void run(Word seed) {
    plan(seed);
    fill();
    t_.barrier();
    if (t_.rank() == round_.late)
      std::this_thread::sleep_for(std::chrono::microseconds(mixed(seed) % 3000));
    store_before();
    call();
    if (round_.when.after == Ends::all)
      look_at_others();
    if (round_.when.after != Ends::none)
      check_own(false);
    if (round_.when.after == Ends::all)
      store_after();
    t_.barrier();
    check_own(round_.when.after == Ends::all);
    t_.barrier();
  }

private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  bool has_result(int rank) const {
    return (round_.kind != gather && round_.kind != reduce) || rank == round_.root;
  }
  std::size_t units_in() const { return round_.kind == scatter || round_.kind == alltoall ? ranks_ : 1; }
  std::size_t units_out() const {
    return round_.kind == gather || round_.kind == allgather || round_.kind == alltoall ? ranks_ : 1;
  }
  // A broadcast's root gives its output.
  bool gives(int rank) const {
    return (round_.kind != broadcast && round_.kind != scatter) || rank == round_.root;
  }
  thalweg::symmetric_memory<double>& given_memory() { return round_.kind == broadcast ? output_ : input_; }
  std::span<double> input() {
    const std::span<double> all = round_.is(t_.rank()) ? input_.span() : std::span<double>(own_input_);
    return all.first(round_.n * units_in());
  }
  std::span<double> output() {
    const std::span<double> all = round_.is(t_.rank()) ? output_.span() : std::span<double>(own_output_);
    return all.first(round_.n * units_out());
  }

  void plan(Word seed) {
    Word state = mixed(seed * 977 + 5);
    const auto below = [&state](Word n) { return (state = mixed(state + 0x9e3779b97f4a7c15U)) / 7 % n; };
    static constexpr std::size_t sizes[] = {1, 3, 100, 1000, largest};
    static constexpr Ends ends[] = {Ends::none, Ends::mine, Ends::all};
    round_.number = seed + 1;
    round_.kind = static_cast<Kind>(below(kinds));
    round_.root = static_cast<int>(below(ranks_));
    round_.n = sizes[below(5)];
    round_.when = {ends[below(3)], ends[below(3)]};
    round_.is_started = below(3) == 0;
    round_.late = static_cast<int>(below(ranks_));
    const Word who = below(4); // nobody, everybody, or some
    round_.symmetric = who == 0 ? 0 : who == 1 ? ~0U : static_cast<unsigned>(below(256));
    if (fault == "before")
      round_.when.before = Ends::all;
    if (fault == "after")
      round_.when.after = Ends::all;
    if (!fault.empty())
      round_.symmetric = ~0U;
  }

  double value(int rank, std::size_t i) const {
    return static_cast<double>(mixed(round_.number * 64 + index(rank)) % 997 + i % 1000);
  }
  // Of rank `by`, into the memory of the next one: each has a place of its own.
  int next(int by) const { return (by + 1) % t_.size(); }
  bool stores_before(int by) const {
    return round_.when.before == Ends::all && round_.is(next(by)) && gives(next(by)) && next(by) != by;
  }
  bool stores_after(int by) const {
    return round_.when.after == Ends::all && round_.is(next(by)) && has_result(next(by)) && next(by) != by;
  }
  double stored_before(int by) const { return 5000 + static_cast<double>(round_.number % 100) + by; }
  double stored_after(int by) const { return 9000 + static_cast<double>(round_.number % 100) + by; }
  // Element i of what a rank gives.
  double given(int rank, std::size_t i) const {
    const int by = (rank + t_.size() - 1) % t_.size();
    return i == 0 && stores_before(by) ? stored_before(by) : value(rank, i);
  }

  double result(int rank, std::size_t i) const {
    double sum = 0;
    switch (round_.kind) {
    case broadcast:
      return given(round_.root, i);
    case scatter:
      return given(round_.root, index(rank) * round_.n + i);
    case gather:
    case allgather:
      return given(static_cast<int>(i / round_.n), i % round_.n);
    case alltoall:
      return given(static_cast<int>(i / round_.n), index(rank) * round_.n + i % round_.n);
    default:
      for (int from = 0; from <= (round_.kind == scan ? rank : t_.size() - 1); ++from)
        sum += given(from, i);
      return sum;
    }
  }

  void fill() {
    std::ranges::fill(output(), -1);
    for (std::size_t i = 0; i < input().size(); ++i)
      input()[i] = value(t_.rank(), i);
    if (round_.kind == broadcast && t_.rank() == round_.root)
      for (std::size_t i = 0; i < round_.n; ++i)
        output()[i] = value(t_.rank(), i);
  }

  void store_before() {
    for (int to = 0; to < t_.size(); ++to)
      t_.put(come_, to, index(t_.rank()), std::span<const Word>(&round_.number, 1));
    const double one = stored_before(t_.rank());
    if (stores_before(t_.rank()))
      t_.put(given_memory(), next(t_.rank()), 0, std::span<const double>(&one, 1));
  }

  template <typename On>
  auto start(On& on, thalweg::call_synchronization when) {
    const std::span<const double> in = input();
    switch (round_.kind) {
    case broadcast:
      return on.broadcast(output(), round_.root, when);
    case scatter:
      return on.scatter(in, output(), round_.root, when);
    case gather:
      return on.gather(in, output(), round_.root, when);
    case reduce:
      return on.reduce(in, output(), round_.root, MPI_SUM, when);
    case allgather:
      return on.allgather(in, output(), when);
    case alltoall:
      return on.alltoall(in, output(), when);
    case allreduce:
      return on.allreduce(in, output(), MPI_SUM, when);
    default:
      return on.scan(in, output(), MPI_SUM, when);
    }
  }

  void call() {
    thalweg::call_synchronization when = round_.when;
    if (fault == "before" && when.before == Ends::all)
      when.before = Ends::mine;
    if (fault == "after" && when.after == Ends::all)
      when.after = Ends::mine;
    if (round_.is_started) {
      thalweg::team_starter starter = t_.start();
      start(starter, when).wait();
    } else {
      start(t_, when);
    }
    if (round_.when.before == Ends::all && round_.when.after != Ends::none)
      for (const Word& word : come_.span())
        expect(std::atomic_ref<Word>(const_cast<Word&>(word)).load() >= round_.number,
               "ends before all came");
  }
  /// All of them, but for the place that the rank before them may put something into by now.
  void look_at_others() {
    for (int rank = 0; rank < t_.size(); ++rank) {
      if (!round_.is(rank) || !has_result(rank) || rank == t_.rank())
        continue;
      std::vector<double> got(round_.n * units_out());
      t_.get(output_, rank, 0, std::span(got));
      check(rank, got, false);
    }
  }
  void store_after() {
    const double one = stored_after(t_.rank());
    if (stores_after(t_.rank()))
      t_.put(output_, next(t_.rank()), round_.n * units_out() - 1, std::span<const double>(&one, 1));
  }

  void check_own(bool is_at_the_end) {
    if (has_result(t_.rank()))
      check(t_.rank(), output(), is_at_the_end);
  }
  void check(int rank, std::span<const double> got, bool is_at_the_end) {
    const int by = (rank + t_.size() - 1) % t_.size();
    bool is_right = true;
    for (std::size_t i = 0; i + 1 < got.size() || (i < got.size() && !stores_after(by)); ++i)
      is_right = is_right && got[i] == result(rank, i);
    expect(is_right, "has not brought what it promises");
    if (is_at_the_end && stores_after(by))
      expect(got.back() == stored_after(by), "overwrites what was put after it");
  }

  void expect(bool is_right, const char* otherwise) {
    if (is_right)
      return;
    require(!fault.empty(),
            "round %lu on %d ranks, kind %d of %zu, root %d, before %d, after %d, in symmetric %x: %s",
            static_cast<unsigned long>(round_.number), t_.size(), static_cast<int>(round_.kind), round_.n,
            round_.root, static_cast<int>(round_.when.before), static_cast<int>(round_.when.after),
            round_.symmetric, otherwise);
    ++found;
  }

  team& t_;
  std::size_t ranks_;
  thalweg::symmetric_memory<double> input_;
  thalweg::symmetric_memory<double> output_;
  thalweg::symmetric_memory<Word> come_;
  std::vector<double> own_input_;
  std::vector<double> own_output_;
  Round round_;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    fault = argc > 1 ? argv[1] : "";
    team all(MPI_COMM_WORLD);
    team again(MPI_COMM_WORLD);
    team part = all.split(all.rank() % 2);
    Program whole(all), other(again), in_part(part);
    const Word programs = fault.empty() ? checks::random_programs(200, 1) : 2000;
    int noticed = 0;
    for (Word seed = 0; seed < programs && noticed == 0; ++seed) {
      (seed % 8 == 3 && fault.empty() ? in_part : seed % 4 == 1 ? other : whole).run(seed);
      noticed = fault.empty() ? 0 : all.allreduce(found, MPI_SUM);
    }
    require(fault.empty() || noticed > 0, "nobody notices the fault %s", fault.c_str());
    in_part.end();
    other.end();
    whole.end();
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}

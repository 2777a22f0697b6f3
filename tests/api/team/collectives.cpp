// SPDX-License-Identifier: BSD-3-Clause

// Every collective of a team, in every synchronization mode, on symmetric and on private memory, waiting and
// several at once: all elements are checked.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <algorithm>
#include <vector>

namespace {

using checks::element;
using checks::require;
using thalweg::call_synchronization;
using thalweg::synchronization;
using thalweg::team;

constexpr std::size_t sizes[] = {0, 1, 5, 7, 500, 5000, 70000};

constexpr synchronization ends[] = {synchronization::none, synchronization::mine, synchronization::all};

std::vector<call_synchronization> modes() {
  std::vector<call_synchronization> all;
  for (const synchronization before : ends)
    for (const synchronization after : ends)
      all.push_back({before, after});
  return all;
}

/// Buffers of one collective: a unit, and one for each rank.
struct Buffers {
  std::span<double> mine;
  std::span<double> all;
  std::span<double> result;
};

double total(int call, int first, int last, std::size_t i) {
  double sum = 0;
  for (int rank = first; rank < last; ++rank)
    sum += element(call, rank, 0, i);
  return sum;
}

class Checker {
public:
  Checker(team& of, std::size_t n, bool symmetric) : team_(of), n_(n) {
    const auto ranks = static_cast<std::size_t>(of.size());
    if (symmetric) {
      memory_ = of.allocate<double>(n * (2 * ranks + 2));
      place(memory_.span());
    } else {
      private_.resize(n * (2 * ranks + 2));
      place(private_);
    }
  }

  void run(call_synchronization when) {
    ++call_;
    broadcast(when);
    scatter(when);
    gather(when);
    allgather(when);
    alltoall(when);
    reduce(when);
    allreduce(when);
    scan(when);
    exscan(when);
    reduce_scatter(when);
  }

  void end() {
    if (memory_.data() != nullptr)
      team_.release(memory_);
  }

private:
  void place(std::span<double> memory) {
    const std::size_t ranks = static_cast<std::size_t>(team_.size());
    buffers_.mine = memory.subspan(0, n_);
    buffers_.result = memory.subspan(n_, n_);
    buffers_.all = memory.subspan(2 * n_, ranks * n_);
    others_ = memory.subspan((2 + ranks) * n_, ranks * n_);
  }

  int root() const { return call_ % team_.size(); }

  // Nobody writes into what is filled here before all have come; nothing is looked at before it is there.
  void fill(std::span<double> buffer, int to_step) {
    for (std::size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = n_ == 0 ? 0 : element(call_, team_.rank(), to_step * static_cast<int>(i / n_), i % n_);
  }
  void begin(std::span<double> input, int to_step, std::span<double> output) {
    team_.barrier();
    fill(input, to_step);
    std::ranges::fill(output, -1);
    team_.barrier();
  }
  void end_of(call_synchronization when) {
    if (when.after == synchronization::none)
      team_.barrier();
  }
  void look(const char* what, std::span<const double> got, auto expected) {
    for (std::size_t i = 0; i < got.size(); ++i)
      require(got[i] == expected(i), "%s of %zu on %d ranks: element %zu is %g, not %g", what, n_,
              team_.size(), i, got[i], expected(i));
  }

  void broadcast(call_synchronization when) {
    begin(buffers_.mine, 0, {});
    team_.broadcast(buffers_.mine, root(), when);
    end_of(when);
    look("broadcast", buffers_.mine, [&](std::size_t i) { return element(call_, root(), 0, i); });
  }
  void scatter(call_synchronization when) {
    begin(buffers_.all, 1, buffers_.result);
    team_.scatter(buffers_.all, buffers_.result, root(), when);
    end_of(when);
    look("scatter", buffers_.result, [&](std::size_t i) { return element(call_, root(), team_.rank(), i); });
  }
  void gather(call_synchronization when) {
    begin(buffers_.mine, 0, buffers_.all);
    team_.gather(buffers_.mine, buffers_.all, root(), when);
    end_of(when);
    if (team_.rank() == root())
      look("gather", buffers_.all,
           [&](std::size_t i) { return element(call_, static_cast<int>(i / n_), 0, i % n_); });
  }
  void allgather(call_synchronization when) {
    begin(buffers_.mine, 0, buffers_.all);
    team_.allgather(buffers_.mine, buffers_.all, when);
    end_of(when);
    look("allgather", buffers_.all,
         [&](std::size_t i) { return element(call_, static_cast<int>(i / n_), 0, i % n_); });
  }
  void alltoall(call_synchronization when) {
    begin(buffers_.all, 1, others_);
    team_.alltoall(buffers_.all, others_, when);
    end_of(when);
    look("alltoall", others_,
         [&](std::size_t i) { return element(call_, static_cast<int>(i / n_), team_.rank(), i % n_); });
  }
  void reduce(call_synchronization when) {
    begin(buffers_.mine, 0, buffers_.result);
    team_.reduce(buffers_.mine, buffers_.result, root(), MPI_SUM, when);
    end_of(when);
    if (team_.rank() == root())
      look("reduce", buffers_.result, [&](std::size_t i) { return total(call_, 0, team_.size(), i); });
  }
  void allreduce(call_synchronization when) {
    begin(buffers_.mine, 0, buffers_.result);
    team_.allreduce(buffers_.mine, buffers_.result, MPI_SUM, when);
    end_of(when);
    look("allreduce", buffers_.result, [&](std::size_t i) { return total(call_, 0, team_.size(), i); });
    begin(buffers_.mine, 0, {});
    team_.allreduce(buffers_.mine, buffers_.mine, MPI_SUM, when);
    end_of(when);
    look("allreduce in place", buffers_.mine,
         [&](std::size_t i) { return total(call_, 0, team_.size(), i); });
  }
  void scan(call_synchronization when) {
    begin(buffers_.mine, 0, buffers_.result);
    team_.scan(buffers_.mine, buffers_.result, MPI_SUM, when);
    end_of(when);
    look("scan", buffers_.result, [&](std::size_t i) { return total(call_, 0, team_.rank() + 1, i); });
  }
  void exscan(call_synchronization when) {
    begin(buffers_.mine, 0, buffers_.result);
    team_.exscan(buffers_.mine, buffers_.result, MPI_SUM, when);
    end_of(when);
    if (team_.rank() > 0)
      look("exscan", buffers_.result, [&](std::size_t i) { return total(call_, 0, team_.rank(), i); });
  }
  void reduce_scatter(call_synchronization when) {
    begin(buffers_.all, 1, buffers_.result);
    team_.reduce_scatter(buffers_.all, buffers_.result, MPI_SUM, when);
    end_of(when);
    look("reduce_scatter", buffers_.result, [&](std::size_t i) {
      double sum = 0;
      for (int rank = 0; rank < team_.size(); ++rank)
        sum += element(call_, rank, team_.rank(), i);
      return sum;
    });
  }

  team& team_;
  std::size_t n_;
  thalweg::symmetric_memory<double> memory_;
  std::vector<double> private_;
  Buffers buffers_;
  std::span<double> others_;
  int call_ = 0;
};

void check_all(team& of, bool all_sizes) {
  for (const bool symmetric : {true, false})
    for (const std::size_t n : sizes) {
      if (!all_sizes && n > 500)
        continue;
      Checker checker(of, n, symmetric);
      for (const call_synchronization when : modes())
        checker.run(when);
      checker.end();
    }
}

// Many at once, more than a team keeps under way, finished in another order than started.
void check_many(team& of) {
  constexpr int count = 200;
  constexpr std::size_t n = 40;
  std::vector<std::vector<double>> in(count, std::vector<double>(n));
  std::vector<std::vector<double>> out(count, std::vector<double>(n));
  std::vector<thalweg::request> requests;
  for (int call = 0; call < count; ++call) {
    auto& given = in[static_cast<std::size_t>(call)];
    for (std::size_t i = 0; i < n; ++i)
      given[i] = element(call, of.rank(), 0, i);
    auto& result = out[static_cast<std::size_t>(call)];
    if (call % 2 == 0)
      requests.push_back(of.start().allreduce(given, std::span<double>(result), MPI_SUM,
                                              call % 3 == 0 ? thalweg::strict : call_synchronization{}));
    else
      requests.push_back(of.start().broadcast(std::span<double>(given), call % of.size()));
  }
  std::ranges::reverse(requests);
  requests.front().test(); // makes progress, whatever it says
  thalweg::wait_all(requests);
  for (int call = 0; call < count; ++call) {
    const auto& got =
        call % 2 == 0 ? out[static_cast<std::size_t>(call)] : in[static_cast<std::size_t>(call)];
    for (std::size_t i = 0; i < n; ++i) {
      const double wanted =
          call % 2 == 0 ? total(call, 0, of.size(), i) : element(call, call % of.size(), 0, i);
      require(got[i] == wanted, "call %d of many: element %zu is %g, not %g", call, i, got[i], wanted);
    }
  }
}

// A barrier that was started is past when all ranks have come.
void check_started_barriers(team& of) {
  auto come = of.allocate<int>(1);
  come[0] = 1;
  thalweg::request first = of.start().barrier();
  thalweg::request second = of.start().barrier();
  thalweg::wait_all(first, second);
  require(first.test() && second.test(), "%s", "a barrier that was waited for goes on");
  for (int rank = 0; rank < of.size(); ++rank)
    if (const int* const theirs = come.at(rank))
      require(*theirs == 1, "rank %d has not come to a barrier that is past", rank);
  of.release(come);
}

// Broadcasts that follow each other without waiting, and then a barrier.
void check_loose_row(team& of) {
  auto rows = of.allocate<double>(100);
  for (int round = 0; round < 20; ++round) {
    if (of.rank() == 0)
      for (int call = 0; call < 10; ++call)
        for (std::size_t i = 0; i < 10; ++i)
          rows[static_cast<std::size_t>(call) * 10 + i] = element(round * 10 + call, 0, 0, i);
    for (std::size_t call = 0; call < 10; ++call)
      of.broadcast(rows.span().subspan(call * 10, 10), 0, thalweg::loose);
    of.barrier();
    for (int call = 0; call < 10; ++call)
      for (std::size_t i = 0; i < 10; ++i)
        require(rows[static_cast<std::size_t>(call) * 10 + i] == element(round * 10 + call, 0, 0, i),
                "round %d, broadcast %d: element %zu is wrong", round, call, i);
    of.barrier();
  }
  of.release(rows);
}

// Maps x to a x + b: composition does not commute, and its result tells the order.
void compose(void* left, void* right, int* count, MPI_Datatype*) {
  auto* const inner = static_cast<std::int64_t*>(left);
  auto* const outer = static_cast<std::int64_t*>(right);
  for (int i = 0; i + 1 < *count * 2; i += 2) {
    outer[i + 1] = outer[i] * inner[i + 1] + outer[i + 1];
    outer[i] = outer[i] * inner[i];
  }
}

void check_order_of_combination(team& of) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &op);
  for (const thalweg_collective what : {thalweg_collective_allreduce, thalweg_collective_scan}) {
    const std::int64_t mine[2] = {3, of.rank() + 1};
    std::int64_t got[2] = {};
    thalweg_team* raw = nullptr;
    require(thalweg_team_create(MPI_COMM_WORLD, &raw) == 0, "%s", thalweg_error_message());
    thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
    call.collective = what;
    call.input = mine;
    call.output = got;
    call.count = 1;
    call.type = pair;
    call.op = op;
    require(thalweg_team_start(raw, &call, nullptr) == 0, "%s", thalweg_error_message());
    std::int64_t a = 1;
    std::int64_t b = 0;
    const int last = what == thalweg_collective_scan ? of.rank() : of.size() - 1;
    for (int rank = 0; rank <= last; ++rank) {
      b = 3 * b + rank + 1;
      a *= 3;
    }
    require(got[0] == a && got[1] == b, "composition is (%lld, %lld), not (%lld, %lld)",
            static_cast<long long>(got[0]), static_cast<long long>(got[1]), static_cast<long long>(a),
            static_cast<long long>(b));
    thalweg_team_free(&raw);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

void check_teams(team& all) {
  std::vector<int> backwards;
  for (int rank = all.size() - 1; rank > 0; --rank)
    backwards.push_back(rank);
  if (team part = all.subset(backwards)) {
    require(part.size() == all.size() - 1 && part.rank() == all.size() - 1 - all.rank(),
            "rank %d of %d in a subset", part.rank(), part.size());
    check_all(part, false);
  } else {
    require(all.rank() == 0, "%s", "left out of a subset");
  }
  team row = all.row(2);
  team column = all.column(2);
  require(row.size() <= 2 && column.rank() == all.rank() / 2, "rank %d of its column", column.rank());
  check_all(row, false);
  check_all(column, false);
  // Blocks 0 to 7 go round the ranks from the last but one on.
  std::vector<int> owners;
  for (int block = 0; block < 8; ++block)
    owners.push_back((all.size() + block - 2) % all.size());
  if (all.size() >= 2)
    if (team owning = all.of_blocks(owners))
      require(owning.rank() == (all.rank() + 2) % all.size(), "rank %d among owners", owning.rank());
}

void check_reach(team& all) {
  auto memory = all.allocate<double>(3);
  memory[1] = all.rank();
  all.barrier();
  for (int rank = 0; rank < all.size(); ++rank)
    if (const double* const theirs = memory.at(rank))
      require(theirs[1] == rank, "rank %d's memory holds %g", rank, theirs[1]);
  require(memory.at(all.rank()) == memory.data(), "%s", "one's own memory is elsewhere");
  require(memory.at(all.size()) == nullptr, "%s", "a rank that is none was reached");
  all.release(memory);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    check_all(all, true);
    check_many(all);
    check_started_barriers(all);
    check_loose_row(all);
    check_order_of_combination(all);
    check_teams(all);
    check_reach(all);
    all.use("broadcast=knomial:radix=3;allreduce=two_level;barrier=recursive_doubling;alltoall=bruck");
    check_all(all, false);
    require(all.allreduce(all.rank(), MPI_MAX) == all.size() - 1, "%s", "the largest rank");
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}

// SPDX-License-Identifier: BSD-3-Clause

// What objects promise: calls with arguments of all kinds arrive once, tasks wait, reductions and answers
// come.

#include "checks.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <numeric>

namespace {

using checks::require;

/// A mean, of which the elements hear as text.
struct Mean {
  using parts = std::vector<double>; // sum and count
  parts operator()(parts one, const parts& other) const {
    std::ranges::transform(one, other, one.begin(), std::plus());
    return one;
  }
  std::string finish(const parts& of_all) const {
    ++made;
    return std::to_string(of_all[0] / of_all[1]);
  }
  static inline int made = 0; // on this rank
};

struct Cell : thalweg::element<Cell, 2> {
  std::int64_t hits = 0;
  double sum = 0;
  std::uint64_t bytes = 0;
  std::int64_t reduced = 0;
  thalweg::inbox<int> numbers;
  std::vector<int> order;

  std::int64_t id() const { return 1000 * at()[0] + at()[1]; }
  void hit() { ++hits; }
  void row(int side, std::span<const double> values, const std::string& text) {
    hits += side;
    require(reinterpret_cast<std::uintptr_t>(values.data()) % alignof(double) == 0, "%s", "an unaligned row");
    sum = std::accumulate(values.begin(), values.end(), sum);
    bytes += text.size();
  }
  void table(const std::map<std::string, int>& values) { hits += values.at("seven"); }
  void pass(int hops) {
    ++hits;
    const auto shape = array().shape();
    if (hops > 0)
      array()[{(at()[0] + 1) % shape[0], (at()[1] + hops) % shape[1]}].call<&Cell::pass>(hops - 1);
  }
  void big(std::vector<std::uint64_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      require(values[i] == i * 3, "%s", "a large argument has changed");
    bytes += values.size();
  }
  void put(int number) { numbers.put(0, number); }
  void note(int number) { order.push_back(number); }
  std::int64_t tell(int plus) const { return id() + plus; }
  thalweg::task run(int rounds) {
    const auto shape = array().shape();
    const std::int64_t all = shape[0] * shape[1];
    for (int round = 0; round < rounds; ++round) {
      array()[{(at()[0] + 1) % shape[0], at()[1]}].call<&Cell::put>(round);
      const int got = co_await numbers.take();
      require(got == round, "%s", "numbers of one element are out of order");
      const auto count = co_await array().reduce(thalweg::sum(), std::int64_t{1});
      require(count == all, "a sum over %lld elements is %lld", static_cast<long long>(all),
              static_cast<long long>(count));
      const auto least = co_await array().reduce(thalweg::minimum(), id() + round);
      require(least == round, "%s", "a minimum is wrong");
      const std::int64_t told = co_await array()[{0, at()[1]}].ask<&Cell::tell>(round);
      require(told == at()[1] + round, "%s", "an answer is wrong");
    }
    const auto text = co_await array().reduce(Mean(), mean_part(1));
    require(text == std::to_string((static_cast<double>(shape[1]) - 1) / 2), "a mean is %s", text.c_str());
    array().contribute<&Cell::has_mean>(Mean(), mean_part(0));
    array().contribute<&Cell::total>(thalweg::maximum(), id());
  }
  void total(std::int64_t most) { reduced = most; }
  Mean::parts mean_part(std::size_t d) const { return {static_cast<double>(at()[d]), 1.0}; }
  void has_mean(const std::string& text) { mean = text; }
  std::string mean;
};

template <typename Value>
Value sum_over_ranks(Value own) {
  Value all{};
  MPI_Allreduce(&own, &all, 1,
                sizeof(Value) == sizeof(double) && std::is_floating_point_v<Value> ? MPI_DOUBLE : MPI_INT64_T,
                MPI_SUM, MPI_COMM_WORLD);
  return all;
}

void test_calls(thalweg::array<Cell>& cells) {
  const auto shape = cells.shape();
  const std::vector<double> values{1.5, 2.5, 3};
  std::int64_t local = 0;
  for (std::int64_t x = 0; x < shape[0]; ++x)
    for (std::int64_t y = 0; y < shape[1]; ++y) {
      cells[{x, y}].call<&Cell::hit>();
      cells[{x, y}].call<&Cell::row>(2, values, "text");
      cells[{x, y}].call<&Cell::table>(std::map<std::string, int>{{"seven", 7}, {"one", 1}});
    }
  cells[{0, 0}].call<&Cell::pass>(1000);
  cells.finish();
  double sum = 0;
  cells.each([&](const Cell& cell, const auto&) {
    local += cell.hits;
    sum += cell.sum;
  });
  const auto elements = static_cast<std::int64_t>(cells.size());
  const auto all = sum_over_ranks(local);
  require(all == cells.ranks() * elements * 10 + cells.ranks() * 1001LL, "%lld hits",
          static_cast<long long>(all));
  require(sum_over_ranks(sum) == cells.ranks() * static_cast<double>(elements) * 7, "%s", "rows were lost");
}

void test_large(thalweg::array<Cell>& cells) {
  std::vector<std::uint64_t> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i * 3;
  std::uint64_t expected = 0;
  for (std::int64_t y = 0; y < cells.shape()[1]; ++y)
    for (const std::size_t size : {std::size_t{3}, std::size_t{5000}, values.size()}) {
      cells[{cells.shape()[0] - 1, y}].call<&Cell::big>(
          std::vector(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size)));
      expected += size;
    }
  std::int64_t before = 0;
  std::int64_t after = 0;
  cells.each([&](const Cell& cell, const auto&) { before += static_cast<std::int64_t>(cell.bytes); });
  cells.finish();
  cells.each([&](const Cell& cell, const auto&) { after += static_cast<std::int64_t>(cell.bytes); });
  require(sum_over_ranks(after - before) == cells.ranks() * static_cast<std::int64_t>(expected), "%s",
          "large arguments were lost");
}

void test_tasks(thalweg::array<Cell>& cells) {
  Mean::made = 0;
  if (cells.rank() == cells.ranks() - 1)
    cells.broadcast<&Cell::run>(20);
  cells.finish();
  const auto shape = cells.shape();
  const std::string mean = std::to_string((static_cast<double>(shape[0]) - 1) / 2);
  const std::int64_t made = sum_over_ranks(std::int64_t{Mean::made});
  require(made == 2, "%lld means were made", static_cast<long long>(made));
  cells.each([&](const Cell& cell, const auto&) {
    require(cell.reduced == 1000 * (shape[0] - 1) + shape[1] - 1, "%s", "not all have the result");
    require(cell.mean == mean, "a mean is %s", cell.mean.c_str());
  });
}

void test_sections(thalweg::array<Cell>& cells, thalweg::section_route route) {
  cells.each([&](Cell& cell, const auto&) { cell.hits = 0; });
  auto even = cells.section([](const auto& at) { return at[1] % 2 == 0; });
  even.along(route);
  if (cells.rank() == cells.ranks() / 2)
    even.call<&Cell::row>(5, std::vector<double>{1}, "");
  cells.finish();
  cells.each([&](const Cell& cell, const auto& at) {
    require(cell.hits == (at[1] % 2 == 0 ? 5 : 0), "%s", "a section has other elements");
  });
}

void test_priorities(thalweg::array<Cell>& cells) {
  if (cells.rank() == 0) {
    for (int i = 0; i < 10; ++i)
      cells[{0, 0}].call<&Cell::note>(i);
    cells[{0, 0}].urgent().call<&Cell::note>(-1);
  }
  cells.finish();
  if (cells.rank() == 0)
    cells.each([&](const Cell& cell, const auto& at) {
      if (at[0] == 0 && at[1] == 0)
        require(cell.order.size() == 11 && cell.order.front() == -1 && cell.order.back() == 9, "%s",
                "what is urgent runs first, all else in order");
    });
}

void test_answers(thalweg::array<Cell>& cells) {
  auto answer = cells[{cells.shape()[0] - 1, 0}].ask<&Cell::tell>(7);
  auto forgotten = std::make_optional(cells[{0, 0}].ask<&Cell::tell>(7));
  forgotten.reset();
  checks::failure_of([&] { answer.get(); });
  cells.finish();
  require(answer.get() == 1000 * (cells.shape()[0] - 1) + 7, "%s", "an answer is wrong");
}

void test_misuse(thalweg::array<Cell>& cells) {
  checks::failure_of([&] { cells[{-1, 0}].call<&Cell::hit>(); });
  checks::failure_of([&] { cells[{0, cells.shape()[1]}].call<&Cell::hit>(); });
  checks::failure_of([&] { (void)thalweg::array<Cell>(MPI_COMM_WORLD, {0, 3}); });
}

void test_neighbors(thalweg::array<Cell>& cells) {
  cells.each([&](const Cell& cell, const auto& at) {
    for (int side = 0; side < 4; ++side) {
      auto expected = at;
      auto& one = expected[static_cast<std::size_t>(side / 2)];
      one += side % 2 == 0 ? -1 : 1;
      const bool exists = one >= 0 && one < cells.shape()[static_cast<std::size_t>(side / 2)];
      const auto found = cell.neighbor(side);
      require(found.has_value() == exists && (!exists || found->number() == cells[expected].number()),
              "side %d of [%lld, %lld] has another neighbor", side, static_cast<long long>(at[0]),
              static_cast<long long>(at[1]));
    }
  });
}

void test_shapes() {
  for (std::int64_t elements = 1; elements < 1000; ++elements) {
    const auto [x, y, z] = thalweg::shape_of<3>(elements);
    require(x * y * z == elements && x >= y && y >= z, "a shape of %lld elements",
            static_cast<long long>(elements));
  }
  require(thalweg::shape_of<3>(64) == thalweg::coordinates<3>{4, 4, 4}, "%s", "no cube");
  require(thalweg::shape_of<2>(24) == thalweg::coordinates<2>{6, 4}, "%s", "sides differ much");
}

// A rank that waits in a fence holds up no message of the program's: a long one needs its receiver's help.
void test_waiting(thalweg::array<Cell>& cells) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2)
    return;
  for (const bool is_fence : {true, false}) {
    std::vector<char> message(8 << 20);
    const int bytes = static_cast<int>(message.size());
    MPI_Request receive = MPI_REQUEST_NULL;
    if (rank == 0)
      MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &receive);
    if (rank == 1)
      MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (is_fence)
      cells.fence();
    else
      cells.finish();
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const std::array<std::int64_t, 2> shape :
       {std::array<std::int64_t, 2>{1, 1}, {3, 2}, {8, 5}, {40, 40}}) {
    thalweg::array<Cell> cells(MPI_COMM_WORLD, shape);
    test_calls(cells);
    test_large(cells);
    test_tasks(cells);
    for (const auto route :
         {thalweg::section_route::direct, thalweg::section_route::ring, thalweg::section_route::tree})
      test_sections(cells, route);
    test_priorities(cells);
    test_answers(cells);
    test_waiting(cells);
    test_misuse(cells);
    test_neighbors(cells);
  }
  test_shapes();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}

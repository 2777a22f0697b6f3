// SPDX-License-Identifier: BSD-3-Clause

// Every strategy of the index, run for real: ranks as threads over loopback, random data, results held
// against the operation's definition. The verifier proves schedules; this shows that the engine does what
// schedules say.

#include "arithmetic_operator.hpp"
#include "engine/execution.hpp"
#include "print_strategy.hpp"
#include "schedule/buffers.hpp"
#include "shared_group.hpp"
#include "strategies/prover.hpp"
#include "transport/doubles/loopback.hpp"

#include <exception>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace thalweg::engine {
namespace {

using schedule::Operation;
using schedule::Problem;
using strategies::Strategy;

using Row = std::vector<Affine>;

/// What each rank gives and must get; outputs that are nobody's business are empty.
struct Case {
  Problem problem;
  std::int64_t unit_elements = 1;
  std::vector<Row> inputs;
  std::vector<Row> expected;
};

Affine folded(const Case& test, const AffineOperator& op, Rank begin, Rank end, std::int64_t element) {
  Affine result = test.inputs[static_cast<std::size_t>(begin)][static_cast<std::size_t>(element)];
  for (Rank rank = begin + 1; rank < end; ++rank)
    result = op.apply(result, test.inputs[static_cast<std::size_t>(rank)][static_cast<std::size_t>(element)]);
  return result;
}

/// The input element that belongs at a place of a data-moving operation's output.
Affine moved(const Case& test, Rank rank, std::int32_t unit, std::int64_t i) {
  const auto input = [&](Rank from, std::int32_t from_unit) {
    return test
        .inputs[static_cast<std::size_t>(from)][static_cast<std::size_t>(from_unit * test.unit_elements + i)];
  };
  switch (test.problem.operation) {
  case Operation::broadcast:
    return input(test.problem.root, 0);
  case Operation::gather:
  case Operation::allgather:
    return input(unit, 0);
  case Operation::scatter:
    return input(test.problem.root, rank);
  case Operation::alltoall:
    return input(unit, rank);
  default:
    break;
  }
  const auto& all = *test.problem.neighborhoods;
  const auto& sources = all[static_cast<std::size_t>(rank)].sources;
  const Rank from = sources[static_cast<std::size_t>(unit)];
  if (test.problem.operation == Operation::neighbor_allgather)
    return input(from, 0);
  auto nth = std::count(sources.begin(), sources.begin() + unit, from);
  const auto& destinations = all[static_cast<std::size_t>(from)].destinations;
  std::int32_t d = 0;
  while (destinations[static_cast<std::size_t>(d)] != rank || nth-- > 0)
    ++d;
  return input(from, d);
}

Case make_case(const Strategy& strategy, const Problem& problem, std::int64_t unit_elements,
               std::uint32_t seed) {
  Case test{problem, unit_elements, {}, {}};
  const AffineOperator op(problem.commutative);
  std::mt19937_64 random(seed);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    const bool broadcasts = problem.operation == Operation::broadcast && rank == problem.root;
    Row row(static_cast<std::size_t>((broadcasts ? 1 : input_units(problem, rank)) * unit_elements));
    for (Affine& element : row)
      element = {random() | 1, random()};
    test.inputs.push_back(std::move(row));
  }
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Row row;
    const std::int32_t units =
        problem.operation == Operation::exscan && rank == 0 ? 0 : output_units(problem, rank);
    for (std::int32_t unit = 0; unit < units; ++unit)
      for (std::int64_t i = 0; i < unit_elements; ++i)
        switch (strategy.operation) {
        case Operation::reduce:
        case Operation::allreduce:
          row.push_back(folded(test, op, 0, problem.ranks, i));
          break;
        case Operation::scan:
          row.push_back(folded(test, op, 0, rank + 1, i));
          break;
        case Operation::exscan:
          row.push_back(folded(test, op, 0, rank, i));
          break;
        case Operation::reduce_scatter:
          row.push_back(folded(test, op, 0, problem.ranks, rank * unit_elements + i));
          break;
        default:
          row.push_back(moved(test, rank, unit, i));
        }
    test.expected.push_back(std::move(row));
  }
  return test;
}

enum class Way { run, progress };

Row execute(const Case& test, const Strategy& strategy, transport::Transport& transport, Way way,
            Operator& op) {
  const Rank rank = transport.rank();
  const schedule::Schedule schedule = build(strategy, test.problem, rank);
  const Plan plan(schedule,
                  uniform_layouts(test.problem, schedule.pieces, test.unit_elements, sizeof(Affine)),
                  {sizeof(Affine), transport.max_granule()});
  Row input = test.inputs[static_cast<std::size_t>(rank)];
  Row output(static_cast<std::size_t>(output_units(test.problem, rank) * test.unit_elements));
  if (test.problem.operation == Operation::broadcast && rank == test.problem.root)
    output = input;
  std::vector<std::byte> scratch(static_cast<std::size_t>(plan.scratch_bytes()));
  std::vector<std::byte> staging(static_cast<std::size_t>(plan.staging_bytes()));
  const auto batch = transport.make_batch();
  Execution execution(plan, *batch);
  execution.start({reinterpret_cast<std::byte*>(input.data()), reinterpret_cast<std::byte*>(output.data()),
                   scratch.data(), staging.data()},
                  TagSupply(transport.tag_limit()).for_call(), &op);
  if (way == Way::run)
    execution.run();
  else
    while (!execution.progress())
      std::this_thread::yield();
  EXPECT_EQ(input, test.inputs[static_cast<std::size_t>(rank)]) << "input was written";
  return output;
}

/// Runs all ranks, each as a thread with an operator of its own, and returns their outputs.
template <typename MakeOperator>
std::vector<Row> execute_all(const Strategy& strategy, const Case& test,
                             const std::vector<std::unique_ptr<transport::Transport>>& transports, Way way,
                             MakeOperator&& make_operator) {
  std::vector<Row> outputs(transports.size());
  std::vector<std::string> errors(transports.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < transports.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        auto op = make_operator();
        outputs[rank] = execute(test, strategy, *transports[rank], way, op);
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& error : errors)
    EXPECT_EQ(error, "");
  return outputs;
}

void check(const Strategy& strategy, const Case& test,
           const std::vector<std::unique_ptr<transport::Transport>>& transports, Way way) {
  const std::vector<Row> outputs =
      execute_all(strategy, test, transports, way, [&] { return AffineOperator(test.problem.commutative); });
  for (std::size_t rank = 0; rank < transports.size(); ++rank)
    if (!test.expected[rank].empty()) {
      EXPECT_EQ(outputs[rank], test.expected[rank]) << "rank " << rank;
    }
}

template <typename Work>
void over_any_transport(std::int32_t ranks, std::uint32_t seed, Work&& work) {
  if (seed % 3 == 0) {
    transport::SharedGroup group(ranks);
    work(group.transports());
  } else {
    work(transport::make_loopback(ranks, seed % 2 == 0 ? transport::Protocol::eager
                                                       : transport::Protocol::rendezvous));
  }
}

class EveryStrategy : public testing::TestWithParam<const Strategy*> {};

TEST_P(EveryStrategy, DoesWhatItsOperationSays) {
  std::uint32_t seed = 1;
  for (const std::int32_t ranks : {1, 2, 3, 5, 8, 12})
    for (const Problem& problem : obligations(*GetParam(), ranks, strategies::Roots::sample)) {
      // Few elements leave pieces empty; more cut them unevenly; many make messages that transports treat as
      // long.
      const std::int64_t unit_elements = seed % 12 == 0 ? 700 : std::int64_t{1} + seed % 4 * 6;
      SCOPED_TRACE(strategies::describe(*GetParam(), problem) + ", seed " + std::to_string(seed));
      const Case test = make_case(*GetParam(), problem, unit_elements, seed);
      const Way way = seed % 5 == 0 ? Way::progress : Way::run;
      over_any_transport(ranks, seed,
                         [&](const auto& transports) { check(*GetParam(), test, transports, way); });
      ++seed;
      if (HasFailure())
        return;
    }
}

class EveryAllReduce : public testing::TestWithParam<const Strategy*> {};

// Operators that commute but for bits, such as the maximum where there are NaNs. Short messages and long
// ones, which transports cut into parts.
TEST_P(EveryAllReduce, GivesAllRanksTheSameBitsWhateverTheOperator) {
  std::uint32_t seed = 1;
  for (const std::int32_t ranks : {2, 3, 4, 5, 6, 7, 8, 12})
    for (const Problem& problem : obligations(*GetParam(), ranks, strategies::Roots::sample)) {
      SCOPED_TRACE(strategies::describe(*GetParam(), problem) + ", seed " + std::to_string(seed));
      const Case test = make_case(*GetParam(), problem, seed % 12 == 0 ? 700 : 7, seed);
      std::vector<Row> outputs;
      over_any_transport(ranks, seed, [&](const auto& transports) {
        outputs = execute_all(*GetParam(), test, transports, seed % 5 == 0 ? Way::progress : Way::run,
                              [] { return RecordingOperator(); });
      });
      for (std::size_t rank = 1; rank < outputs.size(); ++rank)
        EXPECT_EQ(outputs[rank], outputs[0]) << "rank " << rank;
      ++seed;
      if (HasFailure())
        return;
    }
}

std::vector<const Strategy*> pointers(bool all) {
  std::vector<const Strategy*> result;
  for (const Strategy& strategy : strategies::all())
    if (all || strategy.operation == Operation::allreduce)
      result.push_back(&strategy);
  return result;
}

std::string name_of(const testing::TestParamInfo<const Strategy*>& instance) {
  return std::string(schedule::name(instance.param->operation)) + "_" + std::string(instance.param->name);
}

INSTANTIATE_TEST_SUITE_P(Index, EveryStrategy, testing::ValuesIn(pointers(true)), name_of);
INSTANTIATE_TEST_SUITE_P(Index, EveryAllReduce, testing::ValuesIn(pointers(false)), name_of);

} // namespace
} // namespace thalweg::engine

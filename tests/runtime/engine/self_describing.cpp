// SPDX-License-Identifier: BSD-3-Clause

// Messages that describe themselves: every schedule that passes blocks on, with sizes that only their senders
// and receivers know.

#include "engine/self_describing.hpp"

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

using Bytes = std::vector<std::byte>;
using Sizes = std::vector<std::vector<std::int64_t>>; ///< of what goes from a rank to another one

/// Some blocks are empty, some are longer than what messages begin with.
Sizes random_sizes(const Problem& problem, std::mt19937& random) {
  Sizes sizes(static_cast<std::size_t>(problem.ranks));
  constexpr std::int64_t long_bytes = 20'000;
  for (auto& row : sizes)
    for (Rank to = 0; to < problem.ranks; ++to)
      row.push_back(random() % 3 == 0
                        ? 0
                        : static_cast<std::int64_t>(random() % (random() % 8 == 0 ? long_bytes : 200)));
  return sizes;
}

std::byte content(Rank from, Rank to, std::int64_t i) {
  return static_cast<std::byte>(from * 37 + to * 11 + i);
}

/// Units of a rank's side, with gaps between them: from whom to whom each goes.
struct Units {
  std::vector<std::pair<Rank, Rank>> routes;
  Layout layout;
  std::size_t bytes = 0;

  Units(std::vector<std::pair<Rank, Rank>> from_to, const Sizes& sizes, std::size_t gap)
      : routes(std::move(from_to)) {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> lengths;
    for (const auto& [from, to] : routes) {
      offsets.push_back(static_cast<std::int64_t>(bytes));
      lengths.push_back(sizes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)]);
      bytes += static_cast<std::size_t>(lengths.back()) + gap;
    }
    layout = Layout::separate(offsets, lengths, 1, 1);
  }

  Bytes contents() const {
    Bytes all(bytes);
    for (std::int32_t unit = 0; unit < std::ssize(routes); ++unit)
      for (std::int64_t i = 0; i < layout.bytes(unit); ++i)
        all[static_cast<std::size_t>(layout.begin(unit) + i)] = content(
            routes[static_cast<std::size_t>(unit)].first, routes[static_cast<std::size_t>(unit)].second, i);
    return all;
  }
};

/// Gathers and scatters name what a rank sends to the root, or gets from it.
std::vector<std::pair<Rank, Rank>> routes(const Problem& problem, Rank rank, bool of_input) {
  const std::int32_t units = of_input ? input_units(problem, rank) : output_units(problem, rank);
  std::vector<std::pair<Rank, Rank>> found;
  for (Rank unit = 0; unit < units; ++unit)
    if (problem.operation == Operation::alltoall)
      found.push_back(of_input ? std::pair{rank, unit} : std::pair{unit, rank});
    else if (problem.operation == Operation::gather)
      found.emplace_back(of_input ? rank : unit, problem.root);
    else
      found.emplace_back(problem.root, of_input ? unit : rank);
  return found;
}

void run_rank(const Problem& problem, const Strategy& strategy, transport::Transport& transport,
              const std::vector<Sizes>& calls) {
  const Rank rank = transport.rank();
  const schedule::Schedule schedule = build(strategy, problem, rank);
  const auto batch = transport.make_batch();
  SelfDescribingExecution execution(schedule, *batch);
  TagSupply tags(transport.tag_limit());
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const Units given(routes(problem, rank, true), calls[call], call % 2 * 3);
    const Units wanted(routes(problem, rank, false), calls[call], call / 2 % 2 * 5);
    Bytes input = given.contents();
    Bytes output(wanted.bytes);
    execution.start({input.data(), given.layout}, {output.data(), wanted.layout}, tags.for_call());
    if (call % 3 == 0)
      execution.run();
    else
      while (!execution.progress())
        std::this_thread::yield();
    EXPECT_EQ(output, wanted.contents()) << "rank " << rank << ", call " << call;
    EXPECT_EQ(input, given.contents()) << "input was written";
  }
}

void run_all(const Problem& problem, const Strategy& strategy,
             const std::vector<std::unique_ptr<transport::Transport>>& transports,
             const std::vector<Sizes>& calls) {
  std::vector<std::string> errors(transports.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < transports.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        run_rank(problem, strategy, *transports[rank], calls);
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(errors, std::vector<std::string>(transports.size()));
}

class SelfDescribing : public testing::TestWithParam<const Strategy*> {};

TEST_P(SelfDescribing, BringsBlocksOfAnySizes) {
  std::mt19937 random(7);
  for (const std::int32_t ranks : {1, 2, 3, 5, 8, 12})
    for (Problem problem : obligations(*GetParam(), ranks, strategies::Roots::sample)) {
      problem.unit_bytes = 0; // there is no one size
      SCOPED_TRACE(strategies::describe(*GetParam(), problem));
      std::vector<Sizes> calls;
      for (int call = 0; call < 4; ++call)
        calls.push_back(random_sizes(problem, random));
      if (random() % 3 == 0) {
        transport::SharedGroup group(ranks);
        run_all(problem, *GetParam(), group.transports(), calls);
      } else {
        const auto protocol =
            random() % 2 == 0 ? transport::Protocol::eager : transport::Protocol::rendezvous;
        run_all(problem, *GetParam(), transport::make_loopback(ranks, protocol), calls);
      }
      if (HasFailure())
        return;
    }
}

std::vector<const Strategy*> with_equal_blocks() {
  std::vector<const Strategy*> result;
  for (const Operation operation : {Operation::gather, Operation::scatter, Operation::alltoall})
    for (const Strategy& strategy : strategies::of(operation))
      if (!strategy.unequal_blocks)
        result.push_back(&strategy);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Index, SelfDescribing, testing::ValuesIn(with_equal_blocks()),
                         [](const auto& instance) {
                           return std::string(schedule::name(instance.param->operation)) + "_" +
                                  std::string(instance.param->name);
                         });

TEST(SelfDescribingMessage, RefusesBlocksThatAreLongerThanTheirPlace) {
  const Strategy& mesh = strategies::find(Operation::alltoall, "mesh2d");
  const Problem problem = obligations(mesh, 2, strategies::Roots::sample).front();
  for (const std::int64_t bytes : {10, 20'000}) {
    const auto transports = transport::make_loopback(2, transport::Protocol::eager);
    const auto run = [&](Rank rank, std::int64_t awaited) {
      const schedule::Schedule schedule = build(mesh, problem, rank);
      const auto batch = transports[static_cast<std::size_t>(rank)]->make_batch();
      SelfDescribingExecution execution(schedule, *batch);
      Bytes input(static_cast<std::size_t>(2 * bytes));
      Bytes output(static_cast<std::size_t>(2 * bytes));
      execution.start({input.data(), Layout::uniform(bytes, 1, 1)},
                      {output.data(), Layout::uniform(awaited, 1, 1)},
                      TagSupply(transports[0]->tag_limit()).for_call());
      execution.progress();
      return execution.progress();
    };
    run(0, bytes);
    EXPECT_THROW(run(1, bytes - 1), transport::TruncationError) << bytes;
  }
}

} // namespace
} // namespace thalweg::engine

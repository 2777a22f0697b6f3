#include "simulate/schedules.hpp"

#include "core/error.hpp"
#include "model/closed_forms.hpp"
#include "model/predict.hpp"
#include "programs.hpp"
#include "simulate/simulation.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::simulate {
namespace {

machine::Figure exactly(double value) {
  return {value, value, value};
}

/// A machine of whole nanoseconds on which a message has no other costs than LogGP's.
machine::Machine ideal_machine() {
  machine::MessageCost cost;
  cost.latency = exactly(2500e-9);
  cost.send = cost.receive = exactly(1500e-9);
  cost.gap = exactly(1000e-9);
  cost.gap_per_byte = exactly(2e-9);
  machine::Machine machine;
  machine.levels = {{.level = machine::Level::network, .ranges = {cost}}};
  machine.copy = machine.combine = {{.bytes_max = 1 << 30, .per_byte = exactly(0)}};
  machine.cores = 1;
  return machine;
}

strategies::Sample sample(const std::string& selection, std::int32_t ranks, std::int64_t bytes) {
  return strategies::make_sample(selection, {.ranks = ranks, .ranks_per_node = 1, .unit_bytes = bytes});
}

Ticks simulated(const strategies::Sample& one, std::int64_t bytes, const machine::Machine& machine) {
  return simulate(program_of(one, bytes, machine).program, {}).result.finish;
}

constexpr const char* selections[] = {
    "barrier=dissemination", "allreduce=recursive_doubling",
    "allreduce=ring",        "allgather=recursive_doubling",
    "allgather=ring",        "alltoall=pairwise",
    "broadcast=binomial",    "reduce=binomial",
};

// Where a rank has a core and a link of its own, and nothing meets, the model's walk says the same.
TEST(SimulatedSchedules, AgreeWithTheModelWhereNothingIsShared) {
  const machine::Machine machine = ideal_machine();
  for (const char* selection : selections)
    for (const std::int32_t ranks : {2, 8, 16})
      for (const std::int64_t bytes : {8, 4096}) {
        const strategies::Sample one = sample(selection, ranks, bytes);
        std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
        std::iota(nodes.begin(), nodes.end(), 0);
        const double seconds =
            model::predict(strategies::build_all(one), bytes, {.machine = machine, .nodes = nodes}).seconds;
        EXPECT_NEAR(static_cast<double>(simulated(one, bytes, machine)) * 1e-9, seconds, 50e-9)
            << selection << ", " << ranks << " ranks, " << bytes << " bytes";
      }
}

TEST(SimulatedSchedules, AgreeWithTheEquationsOfThePapers) {
  const machine::Machine machine = ideal_machine();
  for (const char* selection : selections)
    for (const std::int32_t ranks : {2, 16, 1024}) {
      const strategies::Sample one = sample(selection, ranks, 4096);
      const auto form = model::closed_form(one.strategy->name, one.problem, machine);
      if (!form)
        continue;
      EXPECT_NEAR(static_cast<double>(simulated(one, 4096, machine)) * 1e-9 / form->seconds, 1, 1e-2)
          << selection << ", " << ranks << " ranks";
    }
}

// One rank stands for all where all are alike.
TEST(SimulatedSchedules, AreTheSameWhenFolded) {
  int folded = 0;
  for (const strategies::Strategy& strategy : strategies::all())
    for (const std::int32_t ranks : {16, 48}) {
      const std::string selection =
          std::string(schedule::name(strategy.operation)) + "=" + std::string(strategy.name);
      std::optional<strategies::Sample> one;
      try {
        one = sample(selection, ranks, 4800);
      } catch (const Error&) {
        continue;
      }
      const StrategyProgram small = program_of(*one, {.unit_bytes = 4800}, LogGops{}, 0);
      if (small.program.folded == 0)
        continue;
      ++folded;
      const Result alone = simulate(small.program, {}).result;
      const Result all = simulate(program_of(*one, {.unit_bytes = 4800}, LogGops{}).program, {}).result;
      EXPECT_EQ(alone.finish, all.finish) << selection << ", " << ranks << " ranks";
      EXPECT_EQ(alone.ends, all.ends) << selection << ", " << ranks << " ranks";
      EXPECT_EQ(alone.busy, all.busy) << selection << ", " << ranks << " ranks";
    }
  EXPECT_GE(folded, 10);
}

TEST(SimulatedSchedules, AreRefusedWhereTheyAreTooLarge) {
  EXPECT_THROW(
      program_of(sample("allgather=ring", 50000, 8), {.unit_bytes = 8}, LogGops{}, ~std::uint64_t{0}), Error);
}

} // namespace
} // namespace thalweg::simulate

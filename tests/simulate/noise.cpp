#include "simulate/noise.hpp"

#include "core/error.hpp"
#include "simulate/critical_path.hpp"
#include "simulate/patterns.hpp"
#include "simulate/program_builder.hpp"
#include "simulate/simulation.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::simulate {
namespace {

/// When the processor begins its first detour, from 0 on; work of a nanosecond finds it out.
Ticks phase_of(const Noise& noise, std::uint64_t processor) {
  for (Ticks time = 0; time < 2 * noise.period; ++time)
    if (noise.detours(processor, time, 1) == noise.duration &&
        noise.detours(processor, time + 1, 1) < noise.duration)
      return time;
  return -1;
}

// Step by step: each nanosecond is work, or the processor is away.
TEST(Noise, IsWhatCountingSays) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto period = static_cast<Ticks>(random() % 40 + 2);
    const Noise noise{period, static_cast<Ticks>(random()) % (period - 1) + 1, random()};
    const std::uint64_t processor = random();
    const Ticks phase = phase_of(noise, processor) % period;
    ASSERT_GE(phase, 0);
    const auto begin = static_cast<Ticks>(random() % 1000 + 100);
    const auto work = static_cast<Ticks>(random() % 300);
    Ticks time = begin;
    for (Ticks done = 0; done < work; ++time)
      done += (time + period - phase) % period >= noise.duration ? 1 : 0;
    EXPECT_EQ(noise.detours(processor, begin, work), time - begin - work) << period << " " << noise.duration;
  }
}

TEST(Noise, TakesItsPartOfLongComputations) {
  ProgramBuilder builder(1);
  builder.compute(1'000'000'000);
  builder.end_rank();
  const Program program = builder.finish();
  const Noise noise{1'000'000, 250'000, 3};
  const Result found = simulate(program, {.noise = noise}).result;
  EXPECT_NEAR(static_cast<double>(found.finish), 1e9 / 0.75, 1e6);
  EXPECT_EQ(found.busy[0], 1'000'000'000);
  EXPECT_EQ(by_kind(found.path)[static_cast<std::size_t>(CostKind::noise)], found.finish - 1'000'000'000);
}

TEST(Noise, IsOnThePathWithoutPauses) {
  for (const std::string_view name : sample_names()) {
    const Program program =
        sample_program(name, 16, 4000, [](std::int64_t bytes) { return LogGops{.S = 1 << 20}.cost(bytes); });
    const Result quiet = simulate(program, {}).result;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const SimulationOptions options{.noise = {20'000, 3'000, seed}};
      const Result found = simulate(program, options).result;
      const auto kinds = by_kind(found.path);
      EXPECT_EQ(std::accumulate(kinds.begin(), kinds.end(), Ticks{0}), found.finish) << name;
      EXPECT_GT(found.finish, quiet.finish) << name;
      EXPECT_EQ(found.busy, quiet.busy) << name;
      EXPECT_EQ(fingerprint(found), fingerprint(simulate(program, options).result)) << name;
    }
  }
}

TEST(Noise, IsReadFromText) {
  const Noise read = parse_noise("1000000,25000,7");
  EXPECT_EQ(read.period, 1'000'000);
  EXPECT_EQ(read.duration, 25'000);
  EXPECT_EQ(read.seed, 7U);
  EXPECT_EQ(parse_noise("10,9").seed, 1U);
  std::mt19937 random(2);
  for (const std::string_view text :
       {"", "10", "10,10", "10,0", "-10,5", "10,5,", "10,5,-1", "10,5,7,8", "a,b", "10,5 "})
    EXPECT_THROW(parse_noise(text), Error) << text;
  for (int round = 0; round < 2000; ++round) {
    std::string text = "1000,25,7";
    for (auto changes = random() % 3 + 1; changes > 0; --changes)
      text[random() % text.size()] = "0123456789,-x "[random() % 14];
    try {
      const Noise noise = parse_noise(text);
      EXPECT_LT(noise.duration, noise.period) << text;
    } catch (const Error&) {
      continue;
    }
  }
}

} // namespace
} // namespace thalweg::simulate

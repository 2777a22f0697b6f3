// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/noise.hpp"

#include "base/error.hpp"
#include "simulate/program_builder.hpp"
#include "simulate/simulation.hpp"
#include "simulate/workloads.hpp"

#include <algorithm>
#include <fmt/format.h>
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

/// What `noise` says of the processor, nanosecond by nanosecond: whether one that has work is away.
std::vector<bool> moments_away(const Noise& noise, std::uint64_t processor, Ticks count) {
  std::vector<bool> away;
  for (Ticks time = 0; time < count; ++time)
    away.push_back(noise.detours(processor, time, 1) > 0);
  return away;
}

void expect_counted(const Noise& noise, std::uint64_t processor, Ticks begin, Ticks work) {
  const std::vector<bool> away = moments_away(noise, processor, begin + 20 * work + 2000);
  Ticks time = begin;
  for (Ticks done = 0; done < work; ++time)
    done += away.at(static_cast<std::size_t>(time)) ? 0 : 1;
  EXPECT_EQ(noise.detours(processor, begin, work), time - begin - work) << begin << " " << work;
}

TEST(Noise, AtRandomMomentsIsWhatCountingSays) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const auto period = static_cast<Ticks>(random() % 40 + 2);
    const Ticks duration = static_cast<Ticks>(random()) % std::max<Ticks>(1, period * 4 / 5) + 1;
    const Noise noise{period, std::min(duration, period - 1), random(), true};
    const std::uint64_t processor = random();
    expect_counted(noise, processor, static_cast<Ticks>(random() % 500),
                   static_cast<Ticks>(random() % 100 + 1));
    const std::vector<bool> away = moments_away(noise, processor, 20 * period);
    for (Ticks first = 0; first < 20 * period; first += period)
      EXPECT_EQ(std::count(away.begin() + first, away.begin() + first + period, true), noise.duration);
  }
}

/// A file of some processors with detours that leave a quarter of the time and more.
std::string measured_text(std::mt19937& random) {
  std::string text = "thalweg-noise\n";
  for (auto processors = random() % 3 + 1; processors > 0; --processors) {
    Ticks end = 0;
    std::string lines;
    for (auto detours = random() % 5; detours > 0; --detours) {
      const Ticks begin = end + static_cast<Ticks>(random() % 30);
      const auto duration = static_cast<Ticks>(random() % 20 + 1);
      end = begin + duration;
      lines += fmt::format("{} {} # one\n", begin, duration);
    }
    text += fmt::format("processor {}\n{}", end + 30, lines);
  }
  return text;
}

TEST(Noise, AsMeasuredIsWhatCountingSays) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const Noise noise = parse_noise(measured_text(random));
    expect_counted(noise, random(), static_cast<Ticks>(random() % 500),
                   static_cast<Ticks>(random() % 100 + 1));
  }
}

TEST(Noise, AsMeasuredIsReadFromText) {
  std::mt19937 random(5);
  for (const std::string_view text :
       {"thalweg-noise", "thalweg-noise 2\nprocessor 5", "thalweg-noise\n0 5",
        "thalweg-noise\nprocessor 5\n0 5", "thalweg-noise\nprocessor 9\n0 3\n2 3",
        "thalweg-noise\nprocessor 9\n8 2", "thalweg-noise\nprocessor 0", "thalweg-noise\nprocessor 9\n1",
        "thalweg-noise\nprocessor 9\n1 2 3", "thalweg-noise\nprocessor 9\n-1 2"})
    EXPECT_THROW(parse_noise(text), Error) << text;
  for (int round = 0; round < 2000; ++round) {
    std::string text = measured_text(random);
    for (auto changes = random() % 3 + 1; changes > 0; --changes)
      text[random() % text.size()] = "0123456789 -#\npx"[random() % 16];
    try {
      EXPECT_GE(parse_noise(text).detours(random(), 7, 50), 0) << text;
    } catch (const Error&) {
      continue;
    }
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
  EXPECT_FALSE(read.is_random);
  EXPECT_TRUE(parse_noise("random:10,9").is_random);
  std::mt19937 random(2);
  for (const std::string_view text : {"", "10", "10,10", "10,0", "-10,5", "10,5,", "10,5,-1", "10,5,7,8",
                                      "a,b", "10,5 ", "random:", "random:10"})
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

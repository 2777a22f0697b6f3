// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/recording.hpp"

#include "base/error.hpp"
#include "damaged.hpp"

#include <gtest/gtest.h>
#include <random>

namespace thalweg::pattern {
namespace {

Recording random_recording(std::mt19937& random) {
  Recording recording;
  recording.ranks = static_cast<std::int32_t>(random() % 9 + 1);
  recording.seconds = static_cast<double>(random() % 100) / 8;
  recording.command = "./app -n 100";
  for (auto site = random() % 4 + 1; site > 0; --site)
    recording.sites.push_back({"call", "MPI_Isend", "halo.c:" + std::to_string(site) + " (exchange)"});
  for (auto phase = random() % 4; phase > 0; --phase) {
    RecordedPhase made{std::to_string(phase), random() % 5, {}};
    for (auto count = random() % 20; count > 0; --count)
      made.sent.push_back({static_cast<std::int32_t>(random()) % recording.ranks & 0xff,
                           static_cast<std::int32_t>(random() % static_cast<unsigned>(recording.ranks)),
                           random(), random() % 100,
                           static_cast<std::uint32_t>(random() % recording.sites.size())});
    std::erase_if(made.sent, [&](const Sent& sent) { return sent.from >= recording.ranks; });
    recording.phases.push_back(std::move(made));
  }
  return recording;
}

TEST(Recording, ReadsWhatItWrote) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const Recording recording = random_recording(random);
    EXPECT_EQ(parse_recording(to_text(recording), "a file"), recording);
  }
}

TEST(Recording, KeepsTextsOnTheirLine) {
  Recording recording{2, 0, "./app 'two\nlines'", {{"call", "MPI_Send", "a\nranks 7"}}, {}};
  const Recording read = parse_recording(to_text(recording), "a file");
  EXPECT_EQ(read.ranks, 2);
  EXPECT_EQ(read.command, "./app 'two lines'");
}

TEST(Recording, PatternIsOfOneTime) {
  const Recording recording{2,
                            1,
                            "",
                            {{"call", "MPI_Send", ""}, {"call", "MPI_Isend", ""}},
                            {{"2", 10, {{0, 1, 100, 20, 0}, {0, 1, 300, 20, 1}, {1, 1, 5, 5, 0}}}}};
  const Pattern pattern = pattern_of(recording);
  ASSERT_EQ(pattern.phases.size(), 1U);
  EXPECT_EQ(pattern.phases[0].repeats, 10);
  ASSERT_EQ(pattern.phases[0].matrix.edges().size(), 1U);
  EXPECT_EQ(pattern.phases[0].matrix.edges()[0], (Edge{0, 1, 40, 4}));
}

TEST(Recording, RefusesByLine) {
  const std::string head = "thalweg-pattern 1\nranks 2\n";
  for (const std::string& text :
       {std::string(), std::string("thalweg-pattern 2\n"), head + "0 1 1 1 0\n",
        head + "phase 1 a\n0 1 1 1 0\n", head + "site 1 call f x\n",
        head + "site 0 call f\nphase 1 a\n0 2 1 1 0\n", head + "site 0 call f\nphase 1 a\n0 1 1 1\n",
        head + "site 0 call f\nphase 1 a\n0 1 -1 1 0\n", head + "phase x a\n", head + "ranks 99999999999\n",
        head + "seconds nan\n", head + "other\n"}) {
    expect_refused(text, parse_recording);
  }
}

TEST(Recording, SurvivesAnyText) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string text = to_text(random_recording(random));
    damage(text, random);
    try {
      const Recording recording = parse_recording(text, "a file");
      EXPECT_EQ(pattern_of(recording).tasks, recording.ranks);
    } catch (const Error&) {
      continue;
    }
  }
}

} // namespace
} // namespace thalweg::pattern

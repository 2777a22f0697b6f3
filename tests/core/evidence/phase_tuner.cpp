// SPDX-License-Identifier: BSD-3-Clause

// Programs whose options are as fast as chance has it, on machines that the model knows badly: where they
// end, and what finding it costs.

#include "evidence/phase_tuner.hpp"

#include "evidence/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace thalweg::evidence {
namespace {

/// What a phase takes with an option: so much, and so much for its load.
struct Speed {
  double fixed = 0;
  double per_load = 0;
};

/// A program whose phases last some 1 ms, with a model that is wrong by a factor for each option.
class Program {
public:
  Program(std::uint32_t seed, std::size_t options, PhaseTuner::Terms terms = {})
      : random_(seed), tuner_(options, terms) {
    for (std::size_t option = 0; option < options; ++option)
      speeds_.push_back({1e-4 * factor(0.7), 1e-3 * factor(0.7)});
    modeled_ = speeds_;
    set_wrong(0.3);
  }
  /// The model is wrong by so much; the logarithm's standard deviation.
  void set_wrong(double spread) {
    wrong_.clear();
    for (std::size_t option = 0; option < speeds_.size(); ++option)
      wrong_.push_back(factor(spread));
  }
  /// All are as fast, and the model knows.
  void set_equal() {
    std::ranges::fill(speeds_, Speed{1e-4, 1e-3});
    modeled_ = speeds_;
    set_wrong(0);
  }
  void add_option(double times) {
    speeds_.push_back({times * 1e-4, times * 1e-3});
    modeled_.push_back(speeds_.front());
    wrong_.push_back(1);
    tuner_.add_option(predictions().back());
  }

  double factor(double spread) { return std::exp(spread * normal()); }
  double seconds(std::size_t option) const { return speeds_[option].fixed + speeds_[option].per_load * load; }
  std::size_t fastest() const {
    std::size_t best = 0;
    for (std::size_t option = 1; option < speeds_.size(); ++option)
      best = seconds(option) < seconds(best) ? option : best;
    return best;
  }
  /// How many times as long the best known option takes as the fastest of those that were ever in use.
  double loss() const {
    double least = seconds(tuner_.best());
    for (const std::size_t option : used_)
      least = std::min(least, seconds(option));
    return seconds(tuner_.best()) / least;
  }
  bool has_used_the_models_first() const {
    const std::vector<double> predicted = predictions();
    return used_.contains(static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin()));
  }

  /// Runs one with the option that is to be used; gives which.
  std::size_t phase() {
    const std::size_t used = tuner_.current();
    used_.insert(used);
    double taken = seconds(used) * (1 + noise * std::abs(normal()));
    if (std::bernoulli_distribution(disturbed)(random_))
      taken *= 10;
    if (tuner_.is_due()) {
      tuner_.enter(situation, predictions());
      tuner_.observe(taken, taken);
    } else {
      tuner_.skip();
    }
    return used;
  }
  /// How many of so many phases went to options that are not the best known.
  int run(int phases) {
    int trials = 0;
    for (int number = 0; number < phases; ++number) {
      const bool is_trial = tuner_.current() != tuner_.best();
      phase();
      trials += is_trial ? 1 : 0;
    }
    return trials;
  }
  void slow_down(std::size_t option, double times) {
    speeds_[option].fixed *= times;
    speeds_[option].per_load *= times;
  }
  PhaseTuner& tuner() { return tuner_; }

  double load = 1;
  double noise = 0;     // of all phases: it only adds
  double disturbed = 0; // part of the phases that take ten times as long
  Situation situation{};

private:
  double normal() { return std::normal_distribution<double>(0, 1)(random_); }
  std::vector<double> predictions() const {
    std::vector<double> all;
    for (std::size_t option = 0; option < speeds_.size(); ++option)
      all.push_back((modeled_[option].fixed + modeled_[option].per_load * load) / wrong_[option]);
    return all;
  }

  std::mt19937 random_;
  std::vector<Speed> speeds_;
  std::vector<Speed> modeled_; // what the model thinks of them, but for a factor
  std::vector<double> wrong_;
  std::set<std::size_t> used_;
  PhaseTuner tuner_;
};

TEST(PhaseTuner, EndsWithTheFastestOfThoseThatTheModelExpectsSomethingOf) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    Program program(seed, 1 + seed % 7);
    program.run(25);
    EXPECT_FALSE(program.tuner().is_open()) << "seed " << seed << ": the search has no end";
    EXPECT_LE(program.loss(), 1.0001 * Limits::gain) << "seed " << seed;
    EXPECT_TRUE(program.has_used_the_models_first()) << "seed " << seed;
  }
}

TEST(PhaseTuner, AGoodModelFindsTheFastest) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Program program(seed, 5);
    program.set_wrong(0.1);
    program.run(25);
    EXPECT_LE(program.seconds(program.tuner().best()),
              1.0001 * Limits::gain * program.seconds(program.fastest()))
        << "seed " << seed;
  }
}

TEST(PhaseTuner, TrialsTakeFewPhases) {
  constexpr int options = 5;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Program program(seed, options);
    program.noise = 0.1;
    EXPECT_LE(program.run(20), 3 * (options - 1)) << "seed " << seed << ": the first search";
    EXPECT_LE(program.run(5000), 5000 / 25) << "seed " << seed << ": all looks together";
  }
}

TEST(PhaseTuner, DisturbedPhasesSeldomMislead) {
  constexpr int programs = 300;
  int right = 0;
  int trials = 0;
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    Program program(seed, 4);
    program.set_wrong(0.2);
    program.noise = 0.05;
    program.disturbed = 0.1;
    trials += program.run(1000);
    right += program.seconds(program.tuner().best()) <= 1.2 * program.seconds(program.fastest()) ? 1 : 0;
  }
  EXPECT_GE(right, 0.9 * programs);
  EXPECT_LE(trials, 0.06 * 1000 * programs);
}

// Ratios of seen to predicted hold where times do not.
TEST(PhaseTuner, FollowsLoadsThatDrift) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Program program(seed, 4);
    program.set_wrong(0.05);
    double used = 0;
    double best = 0;
    for (int phase = 0; phase < 6000; ++phase) {
      used += program.seconds(program.phase());
      best += program.seconds(program.fastest());
      program.load *= std::exp(std::sin(phase / 1000.0) / 667); // up to some twenty times, and back
    }
    EXPECT_LE(used, 1.15 * best) << "seed " << seed;
  }
}

TEST(PhaseTuner, LeavesAnOptionThatBecomesSlow) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Program program(seed, 3);
    program.set_wrong(0.1);
    const int before = 100 + static_cast<int>(seed) * 20;
    program.run(before);
    const std::size_t slow = program.tuner().best();
    program.slow_down(slow, 50);
    program.run(3 * before + 200); // leases are no longer than what has been, and a look may just be over
    EXPECT_NE(program.tuner().current(), slow) << "seed " << seed;
    EXPECT_LE(program.seconds(program.tuner().best()), 2.1 * program.seconds(program.fastest()));
  }
}

TEST(PhaseTuner, ComesBackToAnOptionThatWasSlowForAWhile) {
  Program program(3, 2);
  program.set_wrong(0);
  program.run(100);
  const std::size_t best = program.tuner().best();
  const double seconds = program.seconds(best);
  const double others = program.seconds(1 - best);
  program.slow_down(best, 1.2 * others / seconds);
  program.run(300);
  ASSERT_EQ(program.tuner().best(), 1 - best);
  program.slow_down(best, seconds / (1.2 * others));
  program.run(2000);
  EXPECT_EQ(program.tuner().best(), best);
}

TEST(PhaseTuner, WhatIsFarTooSlowIsUsedOnce) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Program program(seed, 4);
    program.set_wrong(0);
    for (std::size_t option = 1; option < 4; ++option)
      program.slow_down(option, 1000);
    int slow = 0;
    for (int phase = 0; phase < 3000; ++phase)
      slow += program.phase() != 0 ? 1 : 0;
    EXPECT_LE(slow, 3) << "seed " << seed;
  }
}

TEST(PhaseTuner, TriesNoMoreThanItMay) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Program program(seed, 6, {.tried_max = 3});
    program.set_wrong(0);
    std::vector<int> used(6);
    for (int phase = 0; phase < 500; ++phase)
      ++used[program.phase()];
    EXPECT_LE(std::ranges::count_if(used, [](int phases) { return phases > 0; }), 3) << "seed " << seed;
  }
}

TEST(PhaseTuner, AnOptionThatWarmsUpIsNotMeasured) {
  Program program(1, 2, {.warm_up_phases = 2});
  program.set_equal();
  program.run(3);
  ASSERT_EQ(program.tuner().current(), 1U);
  for (int phase = 0; phase < 2; ++phase) {
    EXPECT_FALSE(program.tuner().is_due());
    program.phase();
  }
  EXPECT_TRUE(program.tuner().is_due());
}

// In one situation the first is fast, in the other one the second.
TEST(PhaseTuner, SituationsHavePicksOfTheirOwnAndAreKnownAgain) {
  PhaseTuner tuner(2, {});
  const std::vector<double> predicted{1e-3, 1e-3};
  int changes = 0;
  for (int phase = 0; phase < 60; ++phase) {
    const std::int32_t situation = phase / 10 % 2;
    const std::size_t used = tuner.current();
    tuner.enter({situation, 0, 0}, predicted);
    if (!tuner.is_open())
      tuner.skip();
    else
      tuner.observe(static_cast<std::int32_t>(used) == situation ? 1e-3 : 2e-3, 2e-3);
    // From the second time on they are known: the pick is there from the first phase on.
    EXPECT_TRUE(phase < 20 || static_cast<std::int32_t>(tuner.current()) == situation) << phase;
    changes += tuner.current() != used ? 1 : 0;
  }
  EXPECT_LE(changes, 3 + 2 * 2);
  EXPECT_EQ(tuner.findings().size(), 2U);
}

TEST(PhaseTuner, WhatAnEarlierJobHasFoundIsNotTriedAgain) {
  PhaseTuner tuner(4, {});
  const std::vector<double> predicted{1e-3, 1e-3, 1e-3, 1e-3};
  EXPECT_TRUE(tuner.enter({}, predicted));
  tuner.recall(2, 1e-3);
  for (int phase = 0; phase < 30; ++phase) {
    EXPECT_EQ(tuner.current(), 2U);
    EXPECT_TRUE(tuner.is_recalled());
    EXPECT_FALSE(tuner.is_due());
    EXPECT_FALSE(tuner.enter({}, predicted));
    tuner.skip();
  }
  EXPECT_TRUE(tuner.findings().empty()) << "nothing was compared";
}

// What another program has found may be as good as nothing for this one.
TEST(PhaseTuner, ARecalledOptionIsLeftWhereAnotherIsFaster) {
  for (const double seconds : {0.0, 1e-5, 1.0}) { // as the file has it
    PhaseTuner tuner(3, {});
    for (int phase = 0; phase < 200; ++phase) {
      if (tuner.enter({}, {1e-3, 1.2e-3, 1.1e-3}))
        tuner.recall(1, seconds);
      if (tuner.is_due())
        tuner.observe(tuner.current() == 1 ? 5e-3 : 1e-3, 5e-3);
      else
        tuner.skip();
    }
    EXPECT_NE(tuner.best(), 1U) << seconds;
    EXPECT_EQ(tuner.findings().size(), 1U);
  }
}

TEST(PhaseTuner, TrialsBeginAnewAFewTimes) {
  PhaseTuner tuner(2, {});
  int phases = 0;
  for (tuner.enter({}, {1, 1}); tuner.is_open(); tuner.enter({}, {1, 1}), ++phases) {
    ASSERT_LT(phases, 100) << "it never ends";
    tuner.observe(1, 0.01);
    tuner.restart();
  }
  EXPECT_GT(phases, 6);
}

TEST(PhaseTuner, AnOptionThatComesUpLaterIsTriedNext) {
  for (const bool is_fast : {false, true}) {
    Program program(1, 2);
    program.set_equal();
    program.run(8);
    ASSERT_FALSE(program.tuner().is_open());
    program.add_option(is_fast ? 0.5 : 1.2);
    EXPECT_EQ(program.tuner().current(), 2U);
    program.run(8);
    EXPECT_FALSE(program.tuner().is_open());
    EXPECT_EQ(program.tuner().best() == 2, is_fast);
  }
}

// Whatever ranks are given: the same leads to the same.
TEST(PhaseTuner, RanksDecideAlike) {
  std::mt19937 random(9);
  const auto any = [&](double limit) { return std::uniform_real_distribution<double>(1e-6, limit)(random); };
  PhaseTuner one(4, {.tried_max = 3, .warm_up_phases = 1});
  PhaseTuner other(4, {.tried_max = 3, .warm_up_phases = 1});
  for (int phase = 0; phase < 20'000; ++phase) {
    const Situation situation{load_class(any(4)), static_cast<std::int32_t>(random() % 2), 0};
    const std::vector<double> predicted{any(1), any(1), any(1), any(1)};
    const double seconds = any(1);
    const std::uint32_t what = random() % 20;
    for (PhaseTuner* const tuner : {&one, &other}) {
      const bool is_new = tuner->enter(situation, predicted);
      if (what == 0)
        tuner->restart();
      if (is_new && what < 10)
        tuner->recall(what % 4, seconds);
      if (!tuner->is_due() || what == 1)
        tuner->skip();
      else if (what == 2)
        tuner->use_best();
      else
        tuner->observe(seconds, what == 3 ? 1 : seconds);
    }
    ASSERT_EQ(one.current(), other.current()) << phase;
    ASSERT_EQ(one.is_due(), other.is_due()) << phase;
    ASSERT_LT(one.current(), 4U);
  }
}

TEST(LoadClass, IsTheSameWithinAFactorOfTwo) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    const double value = std::exp(std::uniform_real_distribution<double>(-1, 30)(random));
    const std::int32_t found = load_class(value);
    EXPECT_EQ(load_class(class_min(found)), found);
    EXPECT_LE(class_min(found), std::round(value));
    EXPECT_GT(2 * class_min(found) + 1, std::round(value));
  }
}

} // namespace
} // namespace thalweg::evidence

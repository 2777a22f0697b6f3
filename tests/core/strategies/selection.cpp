// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/selection.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <random>

namespace thalweg::strategies {
namespace {

/// The message that reading the text ends with; fails the test if it reads well.
std::string refusal_of(std::string_view text) {
  try {
    const auto selections = parse_selections(text);
    ADD_FAILURE() << text << " reads as " << to_text(selections);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty()) << text;
    return error.what();
  }
  return {};
}

TEST(Selection, ReadsStrategiesParametersAndSizes) {
  const auto selections =
      parse_selections(" alltoall = direct ;allreduce=recursive_doubling: segment = 64KiB;bcast=native");
  ASSERT_EQ(selections.size(), 3U);
  EXPECT_EQ(selections[0].call->name, "alltoall");
  EXPECT_EQ(&schedule_of(selections[0]).strategy(), &find(Operation::alltoall, "direct"));
  EXPECT_EQ(schedule_of(selections[1]).parameters(),
            (schedule::Parameters{{"segment", 65536}, {"order", 0}}));
  EXPECT_TRUE(is_native(selections[2].implementation));
  EXPECT_EQ(selections[2].call->operation, Operation::broadcast);
  EXPECT_EQ(to_text(selections),
            "alltoall=direct;allreduce=recursive_doubling:segment=64KiB;broadcast=native");
  EXPECT_EQ(parse_selections("allreduce=ring, alltoall=bruck:radix=4,order=tour;bcast=native"),
            parse_selections("allreduce=ring;alltoall=bruck:radix=4,order=tour;bcast=native"));
  EXPECT_TRUE(parse_selections(" \n").empty());
}

TEST(Selection, NamesEveryKindOfImplementation) {
  const auto implementation = [](std::string_view text) { return parse_selection(text).implementation; };
  EXPECT_EQ(implementation("broadcast=native"), Implementation(Library{}));
  EXPECT_EQ(implementation("broadcast= library:pipeline:segment=8192 "),
            Implementation(Library{"pipeline:segment=8192"}));
  EXPECT_EQ(implementation("allreduce=ring"), Implementation(Scheduled(find(Operation::allreduce, "ring"))));
  EXPECT_FALSE(is_native(implementation("broadcast=library:pipeline")));
  EXPECT_FALSE(is_native(implementation("allreduce=ring")));
  for (const std::string_view text :
       {"broadcast=native", "broadcast=library:pipeline:segment=8192", "allreduce=ring"})
    EXPECT_EQ(to_text(parse_selection(text)), text);
}

TEST(Selection, OfAStrategyMayBeAdvancedByTheThread) {
  const Selection direct = parse_selection("alltoall=direct");
  const Selection threaded = parse_selection("alltoall = direct + thread ");
  EXPECT_EQ(schedule_of(threaded).advancing(), Advancing::by_thread);
  EXPECT_EQ(schedule_of(direct).advancing(), Advancing::in_calls);
  EXPECT_EQ(schedule_of(threaded).advanced(Advancing::in_calls), schedule_of(direct));
  EXPECT_NE(direct, threaded);
  EXPECT_EQ(schedule_of(direct).parameters(), schedule_of(threaded).parameters());
  EXPECT_EQ(to_text(threaded), "alltoall=direct+thread");
  const std::string_view several = "alltoall=bruck:radix=4,order=tour+thread;broadcast=chain+thread";
  EXPECT_EQ(to_text(parse_selections(several)), several);
  EXPECT_EQ(to_text(parse_selections("allreduce=ring+thread,alltoall=direct+thread")),
            "allreduce=ring+thread;alltoall=direct+thread");
}

TEST(Selection, OfTheLibraryHasNoSchedule) {
  for (const std::string_view text : {"broadcast=native", "broadcast=library:pipeline"}) {
    const Selection selection = parse_selection(text);
    EXPECT_THROW(schedule_of(selection), Error) << text;
  }
}

TEST(Selection, OfAnOperationHoldsForItsVariantsUnlessTheyAreNamed) {
  const auto selections = parse_selections("alltoall=direct;alltoallw=native");
  EXPECT_EQ(selected(selections, *find_call("alltoall")), &selections[0]);
  EXPECT_EQ(selected(selections, *find_call("alltoallv")), &selections[0]);
  EXPECT_EQ(selected(selections, *find_call("alltoallw")), &selections[1]);
  EXPECT_EQ(selected(selections, *find_call("allgather")), nullptr);
  EXPECT_EQ(selected(parse_selections("alltoallv=native"), *find_call("alltoall")), nullptr);
}

TEST(Selection, RefusesEachMistakeWithItsRemedy) {
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
  };
  has(refusal_of("alltoal=direct"), "no operation 'alltoal'; did you mean alltoall");
  has(refusal_of("direct"), "'direct' selects nothing; write operation=strategy");
  has(refusal_of("=direct"), "no operation in '=direct'");
  has(refusal_of("alltoall="), "no strategy in 'alltoall='");
  has(refusal_of("alltoall=dirct"), "no strategy 'dirct' for alltoall; did you mean direct");
  has(refusal_of("alltoall=direct;"), "selects nothing");
  has(refusal_of("alltoall=library:"), "'library:' names no algorithm");
  has(refusal_of("alltoall=library:ring rm"), "'library:ring rm' names no algorithm; write library:NAME");
  has(refusal_of("alltoall=direct;alltoall=native"), "two strategies are selected for alltoall; select one");
  has(refusal_of("broadcast=native;bcast=native"), "two strategies are selected for broadcast");
  has(refusal_of("alltoall=native:radix=2"), "alltoall native takes no parameters");
  has(refusal_of("alltoall=direct:radix=2"), "alltoall direct has no parameter 'radix'; it takes none");
  has(refusal_of("allreduce=recursive_doubling:"), "'' is not parameter=value");
  has(refusal_of("allreduce=recursive_doubling:segment"), "'segment' is not parameter=value");
  has(refusal_of("allreduce=recursive_doubling:segmet=1KiB"), "no parameter 'segmet'; it takes segment");
  has(refusal_of("allreduce=recursive_doubling:segment=1KiB,segment=2KiB"),
      "'segment' is given twice; give it once");
  has(refusal_of("allreduce=recursive_doubling:segment=wide"),
      "'segment'='wide' is not a size; write a whole number");
  has(refusal_of("allreduce=recursive_doubling:segment=1KiB x"), "'1KiB x' is not a size");
  has(refusal_of("allreduce=recursive_doubling:segment=-1"), "is not a size");
  has(refusal_of("allreduce=recursive_doubling:segment=9999GiB"),
      "segment=9.765 TiB is out of range; choose");
  has(refusal_of("alltoall=direct+thraed"),
      "alltoall='direct' has '+thraed' behind its strategy; write +thread");
  has(refusal_of("alltoall=direct+"), "has '+' behind its strategy");
  has(refusal_of("alltoall=direct+thread+thread"), "no strategy 'direct+thread'");
  has(refusal_of("alltoall=native+thread"), "alltoall native is the library's");
  has(refusal_of("alltoall=library:ring+thread"), "'library:ring+thread' names no algorithm");
  has(refusal_of("barrier=nic+thread"), "runs on network cards, which no thread advances; leave out +thread");
  has(refusal_of("alltoall=+thread"), "no strategy");
  has(refusal_of(std::string(1, '\1') + "=direct"), "no operation '?'");
}

TEST(Selection, RefusesCountsAndChoicesThatAreNone) {
  for (const Strategy& strategy : all())
    for (const Parameter& parameter : strategy.parameters) {
      if (parameter.kind == ParameterKind::bytes)
        continue;
      const std::string text = std::string(schedule::name(strategy.operation)) + "=" +
                               std::string(strategy.name) + ":" + std::string(parameter.name) + "=";
      for (const std::string_view wrong : {"", "x", "3x", "1e9", "99999999999999999999"})
        refusal_of(text + std::string(wrong));
      if (parameter.kind == ParameterKind::count) {
        refusal_of(text + std::to_string(parameter.max + 1));
        refusal_of(text + std::to_string(parameter.min - 1));
      }
    }
}

TEST(Selection, PrintedReadsBackTheSame) {
  std::mt19937_64 random(7);
  for (const Call& call : calls())
    for (const Strategy& strategy : of(call.operation)) {
      if (!supports(strategy, call))
        continue;
      for (int round = 0; round < 20; ++round) {
        schedule::Parameters given;
        for (const Parameter& parameter : strategy.parameters) {
          const auto values = static_cast<std::uint64_t>(parameter.max - parameter.min) + 1;
          given.emplace_back(parameter.name, parameter.min + static_cast<std::int64_t>(random() % values));
        }
        const bool by_thread = !strategy.offloads && random() % 2 == 0;
        const Selection selection{
            &call, Scheduled(strategy, given, by_thread ? Advancing::by_thread : Advancing::in_calls)};
        EXPECT_EQ(parse_selection(to_text(selection)), selection) << to_text(selection);
        EXPECT_EQ(to_text(selection).ends_with("+thread"), by_thread);
      }
    }
}

/// Text that is nearly a selection: fragments of the grammar with bytes strewn in.
std::string noise(std::mt19937& random) {
  static constexpr std::string_view fragments[] = {"alltoall", "allreduce",
                                                   "bcast",    "=",
                                                   "=",        ":",
                                                   ",",        ";",
                                                   "direct",   "recursive_doubling",
                                                   "native",   "library:",
                                                   "segment",  "64KiB",
                                                   "-1",       "18446744073709551616",
                                                   " ",        "MPI_",
                                                   "\n",       "%s",
                                                   "{}",       "+thread"};
  std::string text;
  for (auto pieces = random() % 12; pieces > 0; --pieces) {
    if (random() % 4 == 0)
      text += static_cast<char>(random() % 256);
    else
      text += fragments[random() % std::size(fragments)];
  }
  return text;
}

TEST(Selection, OfNoiseIsASelectionOrAnError) {
  std::mt19937 random(20261121);
  for (int round = 0; round < 50000; ++round) {
    const std::string text = noise(random);
    try {
      const auto selections = parse_selections(text);
      EXPECT_EQ(to_text(parse_selections(to_text(selections))), to_text(selections)) << text;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << text;
    }
  }
}

} // namespace
} // namespace thalweg::strategies

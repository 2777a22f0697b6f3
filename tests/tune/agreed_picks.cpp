#include "tune/agreed_picks.hpp"

#include <gtest/gtest.h>

namespace thalweg::tune {
namespace {

Pick pick(std::string call, std::string use, std::string source = std::string(tune_source)) {
  Pick made;
  made.call = std::move(call);
  made.ranks = 8;
  made.nodes = 2;
  made.bytes = 64;
  made.use = std::move(use);
  made.source = std::move(source);
  return made;
}

AgreedPicks carried(const std::vector<Pick>& picks, bool library_was_told = false) {
  return unpack_picks(pack_picks(picks, library_was_told));
}

TEST(AgreedPicks, ArriveAsTheyWereSent) {
  const AgreedPicks result = carried({pick("allreduce", "ring", "online"), pick("barrier", "native")});
  ASSERT_EQ(result.picks.size(), 2U);
  const AgreedPick& first = result.picks[0];
  EXPECT_EQ(strategies::to_text(first.selection), "allreduce=ring");
  EXPECT_EQ(first.ranks, 8);
  EXPECT_EQ(first.nodes, 2);
  EXPECT_EQ(first.bytes, 64);
  EXPECT_EQ(first.finder, Finder::learner);
  EXPECT_TRUE(result.picks[1].selection.is_native());
  EXPECT_EQ(result.picks[1].finder, Finder::tuner);
  EXPECT_TRUE(result.complaints.empty());
}

TEST(AgreedPicks, MayHaveBlanksAnywhere) {
  const AgreedPicks result =
      carried({pick("allreduce", " double_tree : segment = 64KiB "), pick("allgather", "ring")});
  ASSERT_EQ(result.picks.size(), 2U);
  EXPECT_EQ(strategies::to_text(result.picks[0].selection), "allreduce=double_tree:segment=64KiB");
  EXPECT_EQ(strategies::to_text(result.picks[1].selection), "allgather=ring");
}

TEST(AgreedPicks, OneThatDoesNotReadCostsItselfAndIsNamed) {
  const AgreedPicks result =
      carried({pick("allreduce", "ring"), pick("alltoall", "no such"), pick("allgather", "ring")});
  ASSERT_EQ(result.picks.size(), 2U);
  EXPECT_EQ(strategies::to_text(result.picks[1].selection), "allgather=ring");
  ASSERT_EQ(result.complaints.size(), 1U);
  EXPECT_TRUE(result.complaints[0].starts_with(
      "tuning file: the pick 'no such' for alltoall of 64B on 8 ranks and 2 nodes is not used: "))
      << result.complaints[0];
}

TEST(AgreedPicks, AnAlgorithmOfTheLibraryIsNativeWhereTheLibraryWasToldOfIt) {
  Pick of_library = pick("alltoall", "library:bruck");
  of_library.otherwise = "direct";
  EXPECT_TRUE(carried({of_library}, true).picks.at(0).selection.is_native());
  EXPECT_EQ(strategies::to_text(carried({of_library}, false).picks.at(0).selection), "alltoall=direct");
  of_library.otherwise.clear();
  EXPECT_TRUE(carried({of_library}, false).picks.at(0).selection.is_native());
}

TEST(AgreedPicks, BytesThatEndTooEarlyCostWhatIsMissing) {
  const std::string packed =
      pack_picks(std::vector{pick("allreduce", "ring"), pick("barrier", "native")}, false);
  for (std::size_t kept = packed.size() / 2 + 2; kept < packed.size(); ++kept) {
    const AgreedPicks result = unpack_picks(std::string_view(packed).substr(0, kept));
    EXPECT_EQ(result.picks.size(), 1U) << kept;
    EXPECT_EQ(result.complaints.size(), 1U) << kept;
  }
  EXPECT_TRUE(unpack_picks("").picks.empty());
  EXPECT_TRUE(unpack_picks("").complaints.empty());
}

} // namespace
} // namespace thalweg::tune

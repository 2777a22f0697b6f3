// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/limits.hpp"

#include "base/error.hpp"

#include <arpa/inet.h>
#include <functional>
#include <gtest/gtest.h>

namespace thalweg::nic {
namespace {

std::uint32_t address(const char* text) {
  std::uint32_t found = 0;
  EXPECT_EQ(inet_pton(AF_INET, text, &found), 1);
  return found;
}

thalweg_nic_request member_below(const char* above) {
  thalweg_nic_request request{};
  request.group.locals = 2;
  request.group.contributors = 3;
  request.group.below[2].address = address("10.0.0.3");
  request.group.has_parent = 1;
  request.group.parent.address = address(above);
  return request;
}

thalweg_nic_request aggregate_of(const char* below) {
  thalweg_nic_request request{};
  request.group.contributors = 1;
  request.group.below[0].address = address(below);
  return request;
}

std::string objection(const std::function<void()>& check) {
  try {
    check();
    return "";
  } catch (const Error& error) {
    return error.problem();
  }
}

TEST(Limits, NetworksAreReadWithTheirLength) {
  EXPECT_EQ(read_network("10.1.0.0/16").mask, address("255.255.0.0"));
  EXPECT_EQ(read_network("0.0.0.0/0").mask, 0U);
  for (const char* const wrong : {"10.1.0.0", "10.1.0.0/33", "10.1.0.0/8", "10.1.0.0/", "10.1.0.0/16 "})
    EXPECT_THROW(read_network(wrong), Error) << wrong;
}

TEST(Limits, AllowWhatIsInANetworkOrAllWithoutAny) {
  const Limits limits{.networks = {read_network("10.0.0.0/24"), read_network("10.9.0.0/16")}};
  EXPECT_TRUE(limits.allow(address("10.0.0.7")));
  EXPECT_TRUE(limits.allow(address("10.9.3.7")));
  EXPECT_FALSE(limits.allow(address("10.0.1.7")));
  EXPECT_TRUE(Limits().allow(address("192.0.2.1")));
}

TEST(Admission, TakesRanksOfThisHost) {
  const Admission admission(address("10.0.0.1"), {});
  thalweg_nic_request request = member_below("10.0.0.2");
  EXPECT_EQ(objection([&] { admission.check_member(request); }), "");
  request.local = 2; // the card below
  EXPECT_NE(objection([&] { admission.check_member(request); }), "");
  request.local = 0;
  request.group.locals = 4;
  EXPECT_EQ(objection([&] { admission.check_member(request); }), "4 ranks and 3 contributors are no group");
  request.group.locals = 0;
  EXPECT_NE(objection([&] { admission.check_member(request); }), "");
}

TEST(Admission, NumbersTheInboxesOfAHostOnceEach) {
  const Admission admission(address("10.0.0.1"), {});
  thalweg_nic_request request{};
  request.group.locals = 2;
  request.group.contributors = 3;
  request.group.width = 2;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    request.group.below[rank].address = address(rank < 2 ? "10.0.0.1" : "10.0.0.2");
    request.group.below[rank].local = static_cast<std::uint16_t>(rank % 2);
  }
  EXPECT_EQ(objection([&] { admission.check_member(request); }), "");
  request.group.below[1].local = 0;
  EXPECT_NE(objection([&] { admission.check_member(request); }), "");
  request.group.below[1].local = 1;
  request.group.width = 3;
  EXPECT_NE(objection([&] { admission.check_member(request); }), "") << "a width is a power of two";
}

TEST(Admission, TakesHostsOfTheNetworksAlone) {
  const Admission admission(address("10.0.0.1"), {.networks = {read_network("10.0.0.0/24")}});
  EXPECT_EQ(objection([&] { admission.check_member(member_below("10.0.0.2")); }), "");
  EXPECT_EQ(objection([&] { admission.check_member(member_below("10.0.1.2")); }),
            "10.0.1.2 is in none of the networks that groups may be in");
}

TEST(Admission, MakesGroupsWithoutRanksForHostsThatAreInThem) {
  const Admission admission(address("10.0.0.1"), {});
  const thalweg_nic_request request = aggregate_of("10.0.0.2");
  EXPECT_EQ(objection([&] { admission.check_aggregate(address("10.0.0.2"), request); }), "");
  EXPECT_EQ(objection([&] { admission.check_aggregate(address("10.0.0.3"), request); }),
            "a group that its host is not in");
  EXPECT_NE(objection([&] { admission.check_aggregate(address("10.0.0.2"), member_below("10.0.0.2")); }), "");
}

TEST(Admission, IsFullForAUserBeforeItIsForAll) {
  const Admission admission(address("10.0.0.1"), {.groups_per_user = 3});
  EXPECT_FALSE(admission.is_full(2, 100));
  EXPECT_TRUE(admission.is_full(3, 3));
  EXPECT_TRUE(admission.is_full(0, max_groups));
}

} // namespace
} // namespace thalweg::nic

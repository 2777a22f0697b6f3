// SPDX-License-Identifier: BSD-3-Clause
#include "base/host_names.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <random>

namespace thalweg {
namespace {

std::string expanded(std::string_view list) {
  return fmt::format("{}", fmt::join(expand_names(list), " "));
}

TEST(HostNames, AreWrittenOutAsSlurmWritesThem) {
  EXPECT_EQ(expanded("n[001-003,007]"), "n001 n002 n003 n007");
  EXPECT_EQ(expanded("n1,n[3-4],login"), "n1 n3 n4 login");
  EXPECT_EQ(expanded("rack[1-2]-n[0-1]"), "rack1-n0 rack1-n1 rack2-n0 rack2-n1");
  EXPECT_EQ(expanded("n[8-10]"), "n8 n9 n10");
  EXPECT_EQ(expanded("n[08-10]e"), "n08e n09e n10e");
  EXPECT_EQ(expanded("a,,b,"), "a b");
  EXPECT_EQ(expanded(""), "");
  EXPECT_EQ(expanded("10.0.0.[1-2]"), "10.0.0.1 10.0.0.2");
}

TEST(HostNames, ThatAreNoListsAreRefused) {
  for (const char* list :
       {"n[1-4", "n1-4]", "n[[1]]", "n[]", "n[1,]x[", "n[4-1]", "n[a]", "n[1-]", "n[-1]", "bg[000x133]",
        "n[0-1000000]", "n[0-999][0-999][0-1]", "n[99999999999999999999]", "n[1-2-3]"}) {
    try {
      expand_names(list);
      FAIL() << list;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find(std::string(list).substr(0, 60)), std::string::npos);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(HostNames, OfAnyTextAreReadOrRefused) {
  const std::string letters = "n01[]-,x. \xff";
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto count = random() % 12; count > 0; --count)
      text += letters[random() % letters.size()];
    try {
      for (const std::string& name : expand_names(text))
        EXPECT_EQ(name.find_first_of("[],"), std::string::npos) << text;
    } catch (const Error&) {
    }
  }
}

TEST(HostNames, AreTheSameWithAndWithoutTheirDomain) {
  EXPECT_TRUE(is_same_host("n1", "n1.cluster.org"));
  EXPECT_TRUE(is_same_host("n1.cluster.org", "n1"));
  EXPECT_FALSE(is_same_host("n1.a", "n1.b"));
  EXPECT_FALSE(is_same_host("n1", "n2.cluster"));
  EXPECT_FALSE(is_same_host("10.0.0.1", "10.0.0.2"));
  EXPECT_FALSE(is_same_host("10", "10.0.0.2"));
  EXPECT_TRUE(is_same_host("fe80::1", "fe80::1"));
  EXPECT_EQ(short_name("10.0.0.1"), "10.0.0.1");
}

TEST(HostNames, AreFoundByTheSameRule) {
  HostIndex hosts;
  hosts.add("n1.a", 1);
  hosts.add("n1.b", 2);
  hosts.add("n3", 3);
  hosts.add("n4.a", 4);
  hosts.add("10.0.0.1", 5);
  EXPECT_EQ(hosts.find("n1.a"), 1);
  EXPECT_EQ(hosts.find("n1"), -1); // which one?
  EXPECT_EQ(hosts.find("n1.c"), -1);
  EXPECT_EQ(hosts.find("n3.anything"), 3);
  EXPECT_EQ(hosts.find("n4"), 4);
  EXPECT_EQ(hosts.find("10.0.0.2"), -1);
  EXPECT_EQ(hosts.find("10.0.0.1"), 5);
  EXPECT_EQ(hosts.same_as("n1"), "n1.a");
  EXPECT_EQ(hosts.same_as("n3.x"), "n3");
  EXPECT_EQ(hosts.same_as("n5"), "");
}

} // namespace
} // namespace thalweg

// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/members.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

namespace thalweg::nic {
namespace {

StartSocket on_loopback() {
  return StartSocket::make(htonl(INADDR_LOOPBACK));
}

TEST(StartSocket, IsKnownByItsCookieAlsoWhereAnotherProcessHasIt) {
  const StartSocket one = on_loopback();
  const StartSocket other = on_loopback();
  EXPECT_TRUE(one.is_open());
  EXPECT_NE(one.cookie(), other.cookie());
  EXPECT_EQ(StartSocket::adopt(dup(one.number())).cookie(), one.cookie());
  EXPECT_FALSE(StartSocket().is_open());
}

TEST(StartSocket, IsRefusedWhereItIsLostOrTheAddressIsAnothers) {
  EXPECT_THROW(StartSocket::adopt(-1), Error);
  EXPECT_THROW(StartSocket::make(htonl(0x01010101)), Error);
}

TEST(Members, AreFoundByTheirConnectionAndTheirGroup) {
  Members members;
  EXPECT_EQ(members.any_of(3), nullptr);
  members.add(10, {3, 0, on_loopback()});
  members.add(11, {3, 1, on_loopback()});
  members.add(12, {4, 0, on_loopback()});
  EXPECT_EQ(members.connections(), (std::vector<int>{10, 11, 12}));
  EXPECT_TRUE(members.contains(11));
  ASSERT_NE(members.any_of(4), nullptr);
  EXPECT_EQ(members.any_of(4)->start.cookie(), members.all().at(12).start.cookie());
}

TEST(Members, GoWithWhatTheyHold) {
  Members members;
  members.add(10, {3, 1, on_loopback()});
  const std::uint64_t cookie = members.all().at(10).start.cookie();
  const std::optional<Member> gone = members.take(10);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->local, 1U);
  EXPECT_EQ(gone->start.cookie(), cookie);
  EXPECT_TRUE(gone->start.is_open());
  EXPECT_FALSE(members.contains(10));
  EXPECT_FALSE(members.take(10)) << "it is gone already";
}

} // namespace
} // namespace thalweg::nic

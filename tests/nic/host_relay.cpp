// SPDX-License-Identifier: BSD-3-Clause
#include "nic/doubles/host_relay.hpp"

#include "base/error.hpp"
#include "host_processes.hpp"
#include "nic/member.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

namespace thalweg::nic {
namespace {

std::byte byte_of(std::uint32_t number, std::size_t at) {
  return static_cast<std::byte>(number * 131 + at * 7 + at / 251);
}

// Gives 0 where all messages are right. Some processes are late now and then.
int relay(std::unique_ptr<HostRelay> card, std::uint32_t process, const Places& places) {
  constexpr std::uint32_t broadcasts = 100;
  thalweg_nic_group group = group_of(process, places);
  group.segment_bytes = THALWEG_NIC_SEGMENT_BYTES;
  card->join(group);
  RelayMember member(std::move(card), process == 0, 3);
  wait::Policy policy;
  policy.polls = 1;
  for (std::uint32_t number = 1; number <= broadcasts; ++number) {
    std::vector<std::byte> message(number % 10 == 0 ? 90112 : 1 + number * 97 % 5000);
    for (std::size_t at = 0; at < message.size() && process == 0; ++at)
      message[at] = byte_of(number, at);
    if (number % 33 == process)
      usleep(3000);
    MemberBroadcast broadcast{.message = message, .epoch = number};
    member.run(broadcast, policy);
    for (std::size_t at = 0; at < message.size(); ++at)
      if (message[at] != byte_of(number, at))
        return 1;
  }
  return 0;
}

TEST(HostRelay, ProcessesGetTheirMessagesOverUdp) {
  run_processes<HostRelay>(relay);
}

TEST(HostRelay, RefusesAnAddressOfSomebodyElse) {
  EXPECT_THROW(HostRelay("192.0.2.1"), Error);
}

} // namespace
} // namespace thalweg::nic

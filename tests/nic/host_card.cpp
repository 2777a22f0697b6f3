// SPDX-License-Identifier: BSD-3-Clause
#include "nic/doubles/host_card.hpp"

#include "base/error.hpp"
#include "host_processes.hpp"
#include "nic/member.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace thalweg::nic {
namespace {

// How many barriers each process has entered, in memory that all share.
struct Shared {
  std::array<std::atomic<std::uint32_t>, processes> entered;
};

// Gives 0 where nobody left a barrier before all had entered it.
int run(std::unique_ptr<HostCard> card, std::uint32_t process, const Places& places, Shared& shared) {
  constexpr std::uint32_t barriers = 200;
  card->join(group_of(process, places));
  Member member(std::move(card));
  wait::Policy policy;
  policy.polls = 1;
  for (std::uint32_t number = 1; number <= barriers; ++number) {
    shared.entered[process] = number;
    MemberOperation operation{.epoch = number};
    thalweg_nic_content& content = operation.content;
    content.count = number % 3 == 0 ? 0 : number % 3 == 1 ? THALWEG_NIC_FEW : THALWEG_NIC_WORDS;
    for (auto& word : content.words)
      word = number + process;
    member.run(operation, policy);
    constexpr std::uint64_t numbers_of_processes = processes * (processes - 1) / 2;
    for (std::uint32_t word = 0; word < content.count; ++word)
      if (content.words[word] != number * processes + numbers_of_processes)
        return 1;
    for (const auto& entered : shared.entered)
      if (entered < number)
        return 1;
  }
  return 0;
}

TEST(HostCard, ProcessesMeetOverUdp) {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& shared = *new (memory) Shared{};
  run_processes<HostCard>([&](std::unique_ptr<HostCard> card, std::uint32_t process, const Places& places) {
    return run(std::move(card), process, places, shared);
  });
  munmap(memory, sizeof(Shared));
}

TEST(HostCard, RefusesAnAddressOfSomebodyElse) {
  EXPECT_THROW(HostCard("192.0.2.1"), Error);
}

} // namespace
} // namespace thalweg::nic

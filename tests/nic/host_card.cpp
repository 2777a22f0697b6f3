#include "nic/host_card.hpp"

#include "core/error.hpp"
#include "nic/member.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace thalweg::nic {
namespace {

constexpr std::uint32_t processes = 5;

// Below process 0 are 1 and 2, below 1 are 3 and 4.
thalweg_nic_group group_of(std::uint32_t process, const std::array<thalweg_nic_place, processes>& places) {
  thalweg_nic_group group{};
  group.id = 1;
  group.key = 0xfeedU;
  group.locals = group.contributors = 1;
  if (process > 0) {
    group.has_parent = 1;
    group.own = static_cast<std::uint16_t>(1 + (process - 1) % 2);
    group.parent = places[(process - 1) / 2];
  }
  for (std::uint32_t child = 2 * process + 1; child <= 2 * process + 2 && child < processes; ++child)
    group.below[group.contributors++] = places[child];
  return group;
}

// How many barriers each process has entered, in memory that all share.
struct Shared {
  std::array<std::atomic<std::uint32_t>, processes> entered;
};

// Gives 0 where nobody left a barrier before all had entered it.
int run(HostCard& own, std::uint32_t process, const std::array<thalweg_nic_place, processes>& places,
        Shared& shared) {
  constexpr std::uint32_t barriers = 200;
  auto card = std::unique_ptr<HostCard>(&own);
  card->join(group_of(process, places));
  Member member(std::move(card));
  wait::Policy policy;
  policy.polls = 1;
  for (std::uint32_t number = 1; number <= barriers; ++number) {
    shared.entered[process] = number;
    Underway operation{.epoch = number};
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
  std::array<std::unique_ptr<HostCard>, processes> cards;
  std::array<thalweg_nic_place, processes> places{};
  for (std::uint32_t process = 0; process < processes; ++process) {
    cards[process] = std::make_unique<HostCard>("127.0.0.1");
    places[process] = cards[process]->place();
  }
  std::array<pid_t, processes> started{};
  for (std::uint32_t process = 0; process < processes; ++process) {
    started[process] = fork();
    ASSERT_GE(started[process], 0);
    if (started[process] == 0)
      _exit(run(*cards[process].release(), process, places, shared));
  }
  for (const pid_t one : started) {
    int status = -1;
    EXPECT_EQ(waitpid(one, &status, 0), one);
    EXPECT_EQ(status, 0);
  }
  munmap(memory, sizeof(Shared));
}

TEST(HostCard, RefusesAnAddressOfSomebodyElse) {
  EXPECT_THROW(HostCard("192.0.2.1"), Error);
}

} // namespace
} // namespace thalweg::nic

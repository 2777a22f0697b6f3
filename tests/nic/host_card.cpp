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
    member.barrier(policy);
    for (const auto& entered : shared.entered)
      if (entered < number)
        return 1;
  }
  return 0;
}

TEST(HostCard, ProcessesMeetInBarriersOverUdp) {
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

// A card that ends at the second start, as the first one was lost.
class Lossy final : public Card {
public:
  explicit Lossy(std::uint32_t& starts) : starts_(starts) {}
  void start(std::uint32_t) override { ++starts_; }
  bool has_ended(std::uint32_t) override { return starts_ >= 2; }
  std::string loss() override { return {}; }

private:
  std::uint32_t& starts_;
};

class Lost final : public Card {
public:
  void start(std::uint32_t) override {}
  bool has_ended(std::uint32_t) override { return false; }
  std::string loss() override { return "the agent of this host has ended"; }
};

TEST(Member, StartsAgainWhatIsLost) {
  std::uint32_t starts = 0;
  Member(std::make_unique<Lossy>(starts)).barrier({});
  EXPECT_EQ(starts, 2U);
}

TEST(Member, DoesNotWaitForALostAgent) {
  Member member(std::make_unique<Lost>());
  EXPECT_THROW(member.barrier({}), Error);
}

} // namespace
} // namespace thalweg::nic

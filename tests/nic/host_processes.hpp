// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Some processes, each with a card of its own, in a tree.

#include "nic/protocol.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace thalweg::nic {

inline constexpr std::uint32_t processes = 5;
using Places = std::array<thalweg_nic_place, processes>;

/// Below process 0 are 1 and 2, below 1 are 3 and 4.
inline thalweg_nic_group group_of(std::uint32_t process, const Places& places) {
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

/// Runs each process with its card, which `run` takes over, and expects 0 of each.
template <typename OwnCard, typename Run>
void run_processes(Run run) {
  std::array<std::unique_ptr<OwnCard>, processes> cards;
  Places places{};
  for (std::uint32_t process = 0; process < processes; ++process) {
    cards[process] = std::make_unique<OwnCard>("127.0.0.1");
    places[process] = cards[process]->place();
  }
  std::array<pid_t, processes> started{};
  for (std::uint32_t process = 0; process < processes; ++process) {
    started[process] = fork();
    ASSERT_GE(started[process], 0);
    if (started[process] == 0)
      _exit(run(std::move(cards[process]), process, places));
  }
  for (const pid_t one : started) {
    int status = -1;
    EXPECT_EQ(waitpid(one, &status, 0), one);
    EXPECT_EQ(status, 0);
  }
}

} // namespace thalweg::nic

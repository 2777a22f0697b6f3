// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/queues.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <iterator>
#include <map>

namespace thalweg::simulate::packet {
namespace {

TEST(PacketQueues, APoolKeepsWhatWasTakenAndUsesNumbersAgain) {
  Random random(1);
  Pool<std::uint64_t> pool;
  std::map<std::uint32_t, std::uint64_t> model;
  std::size_t most = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (model.empty() || random.below(2) == 0) {
      const std::uint64_t item = random.next();
      const std::uint32_t number = pool.take(item);
      ASSERT_TRUE(model.emplace(number, item).second) << "a number was given twice";
      most = std::max(most, model.size());
      ASSERT_LT(number, most) << "a free number was not used";
    } else {
      const auto one = std::next(model.begin(), random.below(static_cast<std::uint32_t>(model.size())));
      ASSERT_EQ(pool[one->first], one->second);
      pool.give_back(one->first);
      model.erase(one);
    }
    ASSERT_EQ(pool.used(), model.size());
  }
}

TEST(PacketQueues, QueuesLetOneGoAfterTheOther) {
  Random random(2);
  Queues<std::uint64_t> queues;
  std::map<std::uint64_t, std::deque<std::uint64_t>> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t queue = random.below(20) * 0x1'0000'0001;
    std::deque<std::uint64_t>& items = model[queue];
    if (items.empty() || random.below(5) < 2) {
      items.push_back(random.next());
      ASSERT_EQ(queues.enter(queue, items.back()), items.size() == 1);
    } else {
      items.pop_front();
      const auto next = queues.leave(queue);
      ASSERT_EQ(next.has_value(), !items.empty());
      if (next) {
        ASSERT_EQ(*next, items.front());
      }
    }
  }
}

} // namespace
} // namespace thalweg::simulate::packet

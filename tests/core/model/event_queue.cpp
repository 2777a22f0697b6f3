// SPDX-License-Identifier: BSD-3-Clause
#include "model/event_queue.hpp"

#include <gtest/gtest.h>
#include <random>
#include <utility>

namespace thalweg::model {
namespace {

struct Event {
  double time;
  std::uint64_t order;
};

// Events that lie ahead by random times, of which many are equal, come out by time and then in their order.
TEST(EventQueue, TakesEventsByTimeThenInTheirOrder) {
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U}) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> kind(0, 3);
    std::uniform_real_distribution<double> ahead(0, 1e-3);
    EventQueue<Event> queue;
    std::pair<double, std::uint64_t> last{0, 0};
    std::uint64_t order = 1;
    std::size_t held = 0;
    for (int i = 0; i < 20000; ++i) {
      if (queue.empty() || kind(random) > (i < 10000 ? 0 : 2)) {
        const int much = kind(random);
        queue.push({last.first + (much == 0 ? 0 : much == 1 ? 1e-6 : ahead(random)), order++});
        ++held;
        continue;
      }
      const Event event = queue.pop();
      --held;
      ASSERT_LT(last, std::pair(event.time, event.order)) << "seed " << seed << ", event " << i;
      last = {event.time, event.order};
    }
    while (!queue.empty()) {
      const Event event = queue.pop();
      --held;
      ASSERT_LT(last, std::pair(event.time, event.order)) << "seed " << seed;
      last = {event.time, event.order};
    }
    EXPECT_EQ(held, 0U);
  }
}

} // namespace
} // namespace thalweg::model

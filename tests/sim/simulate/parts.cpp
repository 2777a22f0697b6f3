// SPDX-License-Identifier: BSD-3-Clause

// The parts of a simulation on level `loggp`, each alone against a simple model of it, with random calls.

#include "programs.hpp"
#include "simulate/delays.hpp"
#include "simulate/requirements.hpp"
#include "simulate/stations.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace thalweg::simulate {
namespace {

TEST(LoggpParts, EventsOfAMomentComeInTheirOrder) {
  std::mt19937_64 random(1);
  LoggpEvents events;
  std::set<std::pair<Ticks, std::uint32_t>> model;
  Ticks now = 0;
  std::uint32_t number = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (model.empty() || below(random, 2) == 0) {
      const Ticks time = now + static_cast<Ticks>(below(random, 4));
      const std::uint32_t order = events.next_order();
      ASSERT_EQ(order, number++);
      events.add({time, order, order, 0, EventKind::due});
      model.emplace(time, order);
    } else {
      ASSERT_EQ(events.next_time(), model.begin()->first);
      const LoggpEvent event = events.take();
      ASSERT_EQ(std::pair(event.time, event.operation), *model.begin());
      now = event.time;
      model.erase(model.begin());
    }
    ASSERT_EQ(events.is_empty(), model.empty());
  }
}

TEST(LoggpParts, HeapsOfMessagesGiveTheLowestOrderFirst) {
  std::mt19937_64 random(2);
  WaitingMessages heaps;
  std::vector<std::uint32_t> heap(6, WaitingMessages::no_heap);
  std::vector<std::map<std::uint32_t, std::uint32_t>> model(heap.size());
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const auto which = below(random, heap.size());
    if (below(random, 2) == 0) {
      const std::uint32_t order = (step * 7919) % 20'011; // all are different
      heaps.add(heap[which], order, step);
      model[which].emplace(order, step);
    } else {
      const std::uint32_t expected = model[which].empty() ? none : model[which].begin()->second;
      ASSERT_EQ(heaps.take(heap[which]), expected);
      if (expected != none)
        model[which].erase(model[which].begin());
    }
    ASSERT_EQ(heap[which] == WaitingMessages::no_heap, model[which].empty());
  }
}

/// Two ranks of two processors and three interfaces, which only compute and send.
Program with_many_stations() {
  ProgramBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    for (std::uint32_t i = 0; i < 300; ++i) {
      const Where where{.cpu = static_cast<std::uint8_t>(i % 2), .nic = static_cast<std::uint8_t>(i % 3)};
      if (i % 5 < 2)
        builder.compute(10, where);
      else
        builder.send(1 - rank, i, LogGops{}.cost(8), where);
    }
    builder.end_rank();
  }
  return builder.finish();
}

TEST(LoggpParts, StationsKeepWhatWaitsInOrder) {
  const Program program = with_many_stations();
  ASSERT_EQ(program.cpus, 2U);
  ASSERT_EQ(program.nics, 3U);
  std::vector<OperationState> states(program.operation_count);
  Stations stations(program, states);
  std::mt19937_64 random(3);
  // What waits, by processor, interface and kind, in order.
  std::map<std::array<std::size_t, 3>, std::map<std::uint32_t, std::uint32_t>> operations;
  std::map<std::array<std::size_t, 2>, std::map<std::uint32_t, std::uint32_t>> messages;
  std::vector<std::uint32_t> left(program.operation_count);
  for (std::uint32_t number = 0; number < left.size(); ++number) {
    left[number] = number;
    states[number].order = number;
  }
  std::shuffle(left.begin(), left.end(), random);
  for (int step = 0; !left.empty(); ++step) {
    const std::uint32_t number = left.back();
    const std::uint32_t rank = program.owner(number);
    const Operation& one = program.operation(rank, number);
    const std::size_t cpu = stations.cpu(rank, one);
    const std::size_t nic = stations.nic(rank, one);
    const std::uint32_t order = states[number].order;
    if (const bool is_message = one.kind == Kind::send && number % 7 < 3; is_message) {
      auto& waiting = messages[{cpu, nic}];
      ASSERT_EQ(stations.first_message(rank, one), waiting.empty() ? none : waiting.begin()->second);
      waiting.emplace(order, number);
      ASSERT_EQ(stations.add_message(rank, number, one), waiting.begin()->second == number);
      if (step % 3 == 0) {
        waiting.erase(waiting.begin());
        ASSERT_EQ(stations.take_first_message(rank, one), waiting.empty() ? none : waiting.begin()->second);
      }
    } else {
      auto& waiting = operations[{cpu, nic, one.kind == Kind::send}];
      ASSERT_EQ(stations.first(rank, one), waiting.empty() ? none : waiting.begin()->second);
      waiting.emplace(order, number);
      ASSERT_EQ(stations.add(rank, number, one), waiting.begin()->second == number);
      if (step % 3 == 0) {
        const std::uint32_t first = waiting.begin()->second;
        waiting.erase(waiting.begin());
        ASSERT_EQ(stations.take_first(rank, first, one), waiting.empty() ? none : waiting.begin()->second);
      }
    }
    left.pop_back();
  }
  EXPECT_EQ(operations.size(), 2U * 2 * 3 * 2);
}

TEST(LoggpParts, StationsAddUpWhatProcessorsDid) {
  const Program program = with_many_stations();
  std::vector<OperationState> states(program.operation_count);
  Stations stations(program, states);
  std::mt19937_64 random(4);
  std::map<std::size_t, Ticks> ends; // by processor
  std::vector<Ticks> busy(program.size(), 0);
  for (std::uint32_t number = 0; number < program.operation_count; ++number) {
    const std::uint32_t rank = program.owner(number);
    const Operation& one = program.operation(rank, number);
    const auto work = static_cast<Ticks>(below(random, 100));
    Ticks& end = ends[stations.cpu(rank, one)];
    ASSERT_EQ(stations.processor(rank, one).cpu, end);
    stations.processor(rank, one).work(end + 2 * work, work);
    stations.interface_of(rank, one).out = number;
    end += 2 * work;
    busy[rank] += work;
    ASSERT_EQ(stations.ready_time(rank, one), one.kind == Kind::send ? std::max(end, Ticks{number}) : end);
  }
  Result result;
  stations.fill(result);
  EXPECT_EQ(result.busy, busy);
  EXPECT_EQ(result.ends, (std::vector<Ticks>{std::max(ends[0], ends[1]), std::max(ends[2], ends[3])}));
  EXPECT_EQ(stations.ends(), (std::vector<Ticks>{ends[0], ends[1], ends[2], ends[3]}));
}

// Operations end in random order: each is freed once, when the last thing that it requires has happened, and
// those that are freed together come by their kinds.
TEST(LoggpParts, WhatIsRequiredFreesWhatRequiresIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const RandomProgram made(random, 2, 300, 100);
    const Program program = made.built(loggops());
    std::vector<OperationState> states(program.operation_count);
    Requirements requirements(program, states, Ties::in_order);
    for (std::uint32_t rank = 0; rank < program.size(); ++rank) {
      const auto& list = made.ranks[rank];
      const std::uint32_t begin = program.ranks[rank].begin;
      std::vector<std::uint32_t> running;
      std::set<std::uint32_t> begun;
      std::set<std::uint32_t> over;
      const auto admit = [&] {
        Kind last = Kind::send;
        requirements.admit(rank, [&](const Requirements::ReadyOperation& freed) {
          for (const auto& [earlier, by_start] : list[freed.operation].requires_)
            EXPECT_TRUE((by_start ? begun : over).contains(earlier));
          const Kind kind = program.operation(rank, begin + freed.operation).kind;
          EXPECT_GE(kind, last);
          last = kind;
          running.push_back(freed.operation);
        });
      };
      requirements.begin(rank);
      admit();
      while (!running.empty()) {
        std::swap(running[below(random, running.size())], running.back());
        const std::uint32_t one = running.back();
        if (begun.insert(one).second) {
          requirements.release(rank, begin + one, true, 0, {});
        } else {
          running.pop_back();
          over.insert(one);
          requirements.release(rank, begin + one, false, 0, {});
        }
        admit();
      }
      EXPECT_EQ(over.size(), list.size());
    }
  }
}

// Every rank has work again and again, on fewer cores than ranks: no more are at work than there are cores,
// and nobody is left out.
TEST(LoggpParts, DelaysGiveEachProcessorACoreForItsWork) {
  constexpr std::uint32_t ranks = 5;
  constexpr std::uint32_t times = 40;
  constexpr Ticks work = 100;
  const SharedCores shared{.machines = std::vector<std::uint32_t>(ranks, 0), .cores = 2, .switching = 7};
  const Noise noise;
  LoggpEvents events;
  Delays delays(shared, noise, ranks, 1, events);
  EXPECT_TRUE(delays.has_any());
  std::vector<Ticks> free(ranks, 0);
  std::vector<std::uint32_t> done(ranks, 0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    events.add({0, events.next_order(), 0, rank, EventKind::due});
  while (!events.is_empty()) {
    const LoggpEvent event = events.take();
    if (event.kind == EventKind::core) {
      delays.look(event);
      continue;
    }
    const std::uint32_t rank = event.rank;
    const auto start = delays.begin(rank, rank, free[rank], event);
    if (!start)
      continue;
    ASSERT_EQ(start->time + start->core, event.time) << "it begins now";
    ASSERT_GE(start->time, free[rank]);
    const Delay delay = delays.of(rank, rank, *start, work);
    free[rank] = start->time + delay.core + work;
    EXPECT_EQ(delay.noise, 0);
    ASSERT_LE(std::ranges::count_if(free, [&](Ticks until) { return until > event.time; }), 2);
    if (++done[rank] < times)
      events.add({free[rank], events.next_order(), 0, rank, EventKind::due});
  }
  EXPECT_EQ(done, std::vector<std::uint32_t>(ranks, times));
}

} // namespace
} // namespace thalweg::simulate

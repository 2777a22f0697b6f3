// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Processors and interfaces of ranks: when each is free, and what waits for them. An operation that finds
// its processor busy is not put back into the queue of events, of which rows of waiting ones would make each
// step dear. It waits at its rank, and only the first of those that wait there is an event.

#include "base/assertion.hpp"
#include "simulate/loggp.hpp"
#include "simulate/loggp_events.hpp"
#include "simulate/program.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <vector>

namespace thalweg::simulate {

/// Messages that have come and wait for their receiver, in many small heaps that are made where they are
/// needed: of most ranks none ever waits.
class WaitingMessages {
public:
  static constexpr std::uint32_t no_heap = 0xffffffffU;

  /// Adds a message to the heap, which is made if there is none yet.
  void add(std::uint32_t& heap, std::uint32_t order, std::uint32_t message) {
    if (heap == no_heap) {
      heap = free_.empty() ? static_cast<std::uint32_t>(heaps_.size()) : free_.back();
      if (free_.empty())
        heaps_.emplace_back();
      else
        free_.pop_back();
    }
    heaps_[heap].push(std::uint64_t{order} << 32 | message);
  }

  /// Takes out the one with the lowest order; none where there is no heap.
  std::uint32_t take(std::uint32_t& heap) {
    if (heap == no_heap)
      return none;
    Heap& one = heaps_[heap];
    THALWEG_ASSERT(normal, !one.empty());
    const auto message = static_cast<std::uint32_t>(one.top());
    one.pop();
    if (one.empty()) {
      free_.push_back(heap);
      heap = no_heap;
    }
    return message;
  }

private:
  using Heap = std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>>;
  std::vector<Heap> heaps_;
  std::vector<std::uint32_t> free_;
};

/// A processor and an interface of a rank, and what waits for both: computations and sends in order, and
/// messages. A processor's own figures are with the first interface, an interface's with the first processor.
/// In one place, as most ranks have one of each, and memory is far.
struct alignas(64) Station {
  Ticks cpu = 0; ///< when the processor is free
  Ticks busy = 0;
  Ticks out = 0; ///< when the interface can send again
  Ticks in = 0;
  std::array<std::uint32_t, 2> first{none, none}; ///< computations, sends
  std::array<std::uint32_t, 2> last{none, none};
  std::uint32_t message = none; ///< the first that waits; the others are in the heap
  std::uint32_t heap = WaitingMessages::no_heap;

  /// The processor is at work until then, of which so long is the work itself.
  void work(Ticks until, Ticks work) {
    THALWEG_ASSERT(normal, until >= cpu && work >= 0);
    cpu = until;
    busy += work;
  }
};

/// The stations of all ranks. Operations are named by their numbers among all ranks', a message by its send.
class Stations {
public:
  /// `states` has an entry for each operation, whose links the lists use.
  Stations(const Program& program, std::span<OperationState> states)
      : program_(program), states_(states),
        stations_(std::size_t{program.size()} * program.cpus * program.nics) {}

  /// Numbers of an operation's processor and interface among all.
  std::size_t cpu(std::uint32_t rank, const Operation& one) const {
    return std::size_t{rank} * program_.cpus + one.cpu;
  }
  std::size_t nic(std::uint32_t rank, const Operation& one) const {
    return std::size_t{rank} * program_.nics + one.nic;
  }
  /// Where the processor's figures are, and the interface's.
  Station& processor(std::uint32_t rank, const Operation& one) {
    return stations_[cpu(rank, one) * program_.nics];
  }
  Station& interface_of(std::uint32_t rank, const Operation& one) {
    return stations_[std::size_t{rank} * program_.cpus * program_.nics + one.nic];
  }
  /// When an operation could begin, and a message be taken in by a rank.
  Ticks ready_time(std::uint32_t rank, const Operation& one) {
    const Ticks cpu = processor(rank, one).cpu;
    return one.kind == Kind::send ? std::max(cpu, interface_of(rank, one).out) : cpu;
  }
  Ticks taking_time(std::uint32_t target, const Operation& send) {
    return std::max(processor(target, send).cpu, interface_of(target, send).in);
  }

  /// Puts an operation among those that wait for the same, in their order. Is it the first of them?
  bool add(std::uint32_t rank, std::uint32_t number, const Operation& one);
  /// The first of the operations that wait for the same as one; none: none does.
  std::uint32_t first(std::uint32_t rank, const Operation& one) {
    return waiting_at(rank, one).first[list_of(one)];
  }
  /// Takes out the first, which is `number`: gives the one behind it, or none.
  std::uint32_t take_first(std::uint32_t rank, std::uint32_t number, const Operation& one) {
    std::uint32_t& first = waiting_at(rank, one).first[list_of(one)];
    THALWEG_ASSERT(normal, first == number);
    return first = states_[number].link;
  }

  /// Puts a message among those that wait to be taken in. Is it the first of them?
  bool add_message(std::uint32_t target, std::uint32_t message, const Operation& send);
  /// The first of the messages that wait for the same as one; none: none does.
  std::uint32_t first_message(std::uint32_t target, const Operation& send) {
    return waiting_at(target, send).message;
  }
  /// Takes out the first: gives the one behind it, or none.
  std::uint32_t take_first_message(std::uint32_t target, const Operation& send) {
    Station& queue = waiting_at(target, send);
    THALWEG_ASSERT(normal, queue.message != none);
    return queue.message = heaps_.take(queue.heap);
  }

  /// When each processor is free.
  std::vector<Ticks> ends() const;
  /// Fills in when ranks have finished, and how long they were busy.
  void fill(Result& result) const;

private:
  static std::size_t list_of(const Operation& one) { return one.kind == Kind::send ? 1 : 0; }
  Station& waiting_at(std::uint32_t rank, const Operation& one) {
    return stations_[cpu(rank, one) * program_.nics + one.nic];
  }

  const Program& program_;
  std::span<OperationState> states_;
  std::vector<Station> stations_;
  WaitingMessages heaps_;
};

} // namespace thalweg::simulate

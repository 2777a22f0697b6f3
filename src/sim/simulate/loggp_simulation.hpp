// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The state of a simulation on levels `loggp`, `flow` and `packet`, and what each event does to it (loggp.hpp
// has the rules).
//
// An operation that finds its processor busy is not put back into the queue of events, of which rows of
// waiting ones would make each step dear: it waits at its rank, and only the first of those that wait there
// is an event.

#include "model/event_queue.hpp"
#include "simulate/carrier.hpp"
#include "simulate/loggp.hpp"
#include "simulate/matching.hpp"
#include "simulate/packet_carrier.hpp"
#include "simulate/recorder.hpp"
#include "simulate/waiting_messages.hpp"

#include <array>
#include <optional>

namespace thalweg::simulate {

class LoggpSimulation {
public:
  LoggpSimulation(const Program& program, const LoggpOptions& options);
  Result run();

private:
  /// As an event's order: it comes after all else of its moment.
  static constexpr std::uint32_t last_of_all = 0xffffffffU;

  enum class EventKind : std::uint32_t {
    due,     ///< an operation's own time has come
    first,   ///< the first of a rank's waiting operations may begin
    arrival, ///< a message has come
    taken,   ///< the first of a rank's waiting messages may be taken in
    leaving, ///< a message's first byte goes onto the network
    carried, ///< a flow may be over: its number stands for the rank
    sharing, ///< all flows of this moment have begun and ended
    core,    ///< a core may be free: its number stands for the operation
  };

  struct Event {
    Ticks time;
    std::uint32_t order; ///< in which it became known
    std::uint32_t operation;
    std::uint32_t rank; ///< whose operation it is; of a message the sender
    EventKind kind;
  };

  /// A processor and an interface of a rank, and what waits for both: computations and sends in order, and
  /// messages. A processor's own figures are with the first interface, an interface's with the first
  /// processor. In one place, as most ranks have one of each, and memory is far.
  struct alignas(64) Station {
    Ticks cpu = 0; ///< when the processor is free
    Ticks busy = 0;
    Ticks out = 0; ///< when the interface can send again
    Ticks in = 0;
    std::array<std::uint32_t, 2> first{none, none};
    std::array<std::uint32_t, 2> last{none, none};
    std::uint32_t message = none; ///< the first that waits; the others are in the heap
    std::uint32_t heap = WaitingMessages::no_heap;
  };

  /// Something could begin at `time`, and does when a core has been waited for.
  struct Start {
    Ticks time;
    Ticks core;
  };

  struct Freed {
    std::uint32_t operation; ///< of the pattern
    Ticks not_before;
    Cause cause;
  };

  /// One end of a message that has met its receive.
  struct End {
    std::uint32_t number;
    std::uint32_t rank;
    Ticks time; ///< from when on what requires it may begin
    Cause cause;
  };

  void handle(const Event& event);
  const Operation& operation(std::uint32_t rank, std::uint32_t number) const;
  std::size_t cpu_of(std::uint32_t rank, const Operation& one) const {
    return std::size_t{rank} * program_.cpus + one.cpu;
  }
  std::size_t nic_of(std::uint32_t rank, const Operation& one) const {
    return std::size_t{rank} * program_.nics + one.nic;
  }
  /// Where the processor's figures are, the interface's, and what waits for both.
  std::size_t cpu_place(std::uint32_t rank, const Operation& one) const {
    return cpu_of(rank, one) * program_.nics;
  }
  std::size_t nic_place(std::uint32_t rank, const Operation& one) const {
    return std::size_t{rank} * program_.cpus * program_.nics + one.nic;
  }
  Station& waiting_at(std::uint32_t rank, const Operation& one) {
    return stations_[cpu_place(rank, one) + one.nic];
  }
  Ticks ready_time(std::uint32_t rank, const Operation& one) const;
  Ticks taking_time(std::uint32_t target, const Operation& send) const;
  std::uint32_t next_order();

  void begin();
  void release(std::uint32_t rank, std::uint32_t number, bool is_start, Ticks not_before, Cause cause);
  void finish(std::uint32_t rank, std::uint32_t number, Ticks time, Cause cause);
  void admit(std::uint32_t rank);
  void enter(std::uint32_t rank, const Freed& freed);
  void wait(std::uint32_t rank, std::uint32_t number, const Operation& one);
  void handle_operation(const Event& event);
  std::optional<Ticks> begin_on_core(std::uint32_t rank, std::size_t cpu, const Event& event);
  Delay delay_of(std::uint32_t rank, std::size_t cpu, const Start& start, Ticks work);
  void look_at_core(const Event& event);
  Ticks work_of(std::uint32_t rank, const Operation& one) const;
  void execute(std::uint32_t rank, std::uint32_t number, const Operation& one, const Start& start);
  void send_off(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks begun);
  void handle_leaving(const Event& event);
  void handle_carried(const Event& event);
  void share_links(Ticks now);
  void share_links_later(Ticks now);
  void carry_packets();
  void post(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks now);
  void handle_message(const Event& event);
  void take_in(const Event& event, const Operation& send, std::uint32_t target, const Start& start,
               bool has_waited);
  void meet(const End& sent, const End& received, bool begins);
  void hold(const End& sent, const Operation& send);
  std::vector<Ticks> processor_ends() const;
  Result outcome() const;
  void check_done() const;

  const Program& program_;
  const LoggpOptions& options_;
  const RankNetwork* network_;
  CostTable costs_;
  CoreTable cores_;
  std::vector<OperationState> states_;
  Matching matching_;
  model::EventQueue<Event> events_;
  WaitingMessages heaps_;
  std::vector<Station> stations_;
  std::vector<Freed> freed_; // by the event at hand
  Recorder recorder_;
  std::optional<Carrier> carrier_;       // on level flow
  std::optional<PacketCarrier> packets_; // on level packet
  bool shares_later_ = false;            // is there an event for it?
  std::uint32_t order_ = 0;
  std::uint64_t finished_ = 0; // operations
  std::uint64_t messages_ = 0;
  std::uint64_t met_ = 0; // messages that met their receive
};

} // namespace thalweg::simulate

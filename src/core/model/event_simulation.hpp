// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Event-driven simulation of all ranks' schedules: what every rank does next is an event.

#include "model/event_queue.hpp"
#include "model/resources.hpp"
#include "model/step_costs.hpp"

#include <array>
#include <compare>
#include <optional>
#include <unordered_map>

namespace thalweg::model {

class EventSimulation {
public:
  EventSimulation(std::span<const schedule::Schedule> schedules, std::int64_t unit_bytes,
                  const Scenario& scenario);

  /// Runs to the end, or until it is sure that it takes longer than `enough_seconds`. Throws Error if some
  /// rank waits for ever, which proven schedules never do.
  Prediction run(double enough_seconds);

private:
  enum class EventKind : std::uint8_t { worked, arrived, taken };
  enum class Work : std::uint8_t { begin, finish };

  struct Event {
    double time;
    Rank rank;
    std::uint32_t step;
    EventKind kind;
    Work work;
  };

  struct Task {
    std::uint32_t step;
    Work work;
  };

  struct Message {
    Rank peer;
    std::uint32_t step;
    auto operator<=>(const Message&) const = default;
  };

  /// What a rank has to do next, first come, first served.
  class Tasks {
  public:
    bool empty() const { return first_ == tasks_.size(); }
    const Task& front() const { return tasks_[first_]; }
    void push_back(Task task) { tasks_.push_back(task); }
    void pop_front() {
      if (++first_ < tasks_.size())
        return;
      tasks_.clear();
      first_ = 0;
    }

  private:
    std::vector<Task> tasks_;
    std::size_t first_ = 0;
  };

  struct RankState {
    const schedule::Schedule* schedule = nullptr;
    StepCosts costs;
    std::size_t machine = 0; ///< whose cores it uses
    std::size_t stage = 0;
    std::uint32_t unfinished = 0;
    std::vector<std::uint32_t> waits;    ///< predecessors that have not finished, by step
    std::vector<std::uint8_t> here;      ///< what is known of a receive (event_simulation.cpp), by step
    std::vector<std::uint32_t> sequence; ///< of sends among those to the peer, by step
    std::vector<Message> receives;       ///< by peer, then in program order
    std::vector<std::uint32_t> successors = {};      ///< of the first step, of the second, ..
    std::vector<std::uint32_t> successor_begin = {}; ///< by step; empty where no step waits for another
    std::vector<std::uint32_t> early = {};           ///< receives whose message came first, not yet seen
    Tasks tasks = {};
    bool has_core = false;    ///< or waits for one
    Link injection_link = {}; ///< what the rank alone can send over its node's link
    double next_out = 0;      ///< when the next message can leave
    double next_in = 0;       ///< and come
    double delays = 0;        ///< of the processor, by others
    std::array<std::int32_t, 2> open =
        {};                     ///< receives that are posted and not finished: in the node, from others
    std::int32_t under_way = 0; ///< messages that have left it and not come
    double end = 0;
  };

  RankState make_state(const schedule::Schedule& schedule, std::int64_t unit_bytes) const;
  static void link_successors(RankState& state);
  void begin_stage(Rank rank, double time);
  void add_task(Rank rank, Task task, double time);
  void run_next(Rank rank, double time);
  void worked(const Event& event);
  void finish_step(Rank rank, std::uint32_t step, double time);
  void depart(Rank rank, std::uint32_t step, double time);
  double carry(Rank rank, std::uint32_t step, double time);
  double cross(Rank rank, std::uint32_t step, double time);
  std::int32_t& open_receives(Rank rank, std::uint32_t step);
  void arrived(const Event& event);
  void taken(Rank rank, std::uint32_t step, double time);
  static void mark_unexpected(RankState& state);
  std::size_t node(Rank rank) const {
    return scenario_.nodes.empty()
               ? 0
               : static_cast<std::size_t>(scenario_.nodes[static_cast<std::size_t>(rank)]);
  }
  Prediction outcome(std::optional<double> stopped) const;
  Cores& cores_of(Rank rank) { return cores_[at(rank).machine]; }
  RankState& at(Rank rank) { return states_[static_cast<std::size_t>(rank)]; }

  Scenario scenario_;
  double burst_seconds_ = 0;
  std::vector<RankState> states_;
  std::vector<Cores> cores_;
  std::vector<std::int32_t> working_; ///< ranks of each machine that are at work
  std::vector<std::int32_t> senders_; ///< ranks of each machine that have messages under way
  Routes routes_;
  std::vector<Link> links_;
  /// Until when messages from one rank to another are on their way, where that slows those that meet them.
  std::unordered_map<std::uint64_t, double> in_transit_;
  EventQueue<Event> events_;
};

} // namespace thalweg::model

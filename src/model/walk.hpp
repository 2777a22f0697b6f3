#pragma once

// The walk over all ranks' schedules in order of time: what every rank does next is an event.

#include "model/cores.hpp"
#include "model/link.hpp"
#include "model/routes.hpp"
#include "model/step_costs.hpp"

#include <deque>
#include <map>
#include <queue>
#include <utility>

namespace thalweg::model {

class Walk {
public:
  Walk(std::span<const schedule::Schedule> schedules, std::int64_t unit_bytes, const Setting& setting);

  /// Walks to the end. Throws Error if some rank waits for ever, which proven schedules never do.
  Prediction run();

private:
  enum class Kind : std::uint8_t { worked, arrived, taken };
  enum class Work : std::uint8_t { begin, finish };

  struct Event {
    double time;
    std::uint64_t order; // first come, first served at equal times
    Kind kind;
    Work work;
    Rank rank;
    std::uint32_t step;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  struct Task {
    std::uint32_t step;
    Work work;
  };

  struct Receive {
    Rank peer;
    std::uint32_t step;
  };

  struct Walker {
    const schedule::Schedule* schedule = nullptr;
    StepCosts costs;
    std::size_t stage = 0;
    std::uint32_t unfinished = 0;
    std::vector<std::uint32_t> waits;                   // predecessors that have not finished, by step
    std::vector<std::uint8_t> here;                     // what is known of a receive (walk.cpp), by step
    std::vector<std::uint32_t> sequence;                // of sends among those to the peer, by step
    std::vector<Receive> receives;                      // by peer, then in program order
    std::vector<std::vector<std::uint32_t>> successors; // by step; empty where no step waits for another
    std::vector<std::uint32_t> early = {};              // receives whose message came first, not yet seen
    std::deque<Task> tasks = {};
    bool has_core = false; // or waits for one
    Link lane = {};        // what the rank alone can send over its node's link
    double next_out = 0;   // when the next message can leave
    double next_in = 0;    // and come
    double cpu = 0;
    double end = 0;
  };

  Walker make_walker(const schedule::Schedule& schedule, std::int64_t unit_bytes) const;
  void push(Event event);
  void begin_stage(Rank rank, double time);
  void add_task(Rank rank, Task task, double time);
  void run_next(Rank rank, double time);
  void worked(const Event& event);
  void finish_step(Rank rank, std::uint32_t step, double time);
  void depart(Rank rank, std::uint32_t step, double time);
  double carry(Rank rank, std::uint32_t step, double time);
  void arrived(const Event& event);
  void taken(Rank rank, std::uint32_t step, double time);
  static void meet_early(Walker& walker);
  std::size_t node(Rank rank) const {
    return setting_.nodes.empty() ? 0
                                  : static_cast<std::size_t>(setting_.nodes[static_cast<std::size_t>(rank)]);
  }
  std::size_t machine(Rank rank) const {
    return node(rank) / static_cast<std::size_t>(setting_.machine.nodes_per_machine);
  }
  Cores& cores_of(Rank rank) { return cores_[machine(rank)]; }
  Walker& at(Rank rank) { return walkers_[static_cast<std::size_t>(rank)]; }

  Setting setting_;
  double burst_seconds_ = 0;
  std::vector<Walker> walkers_;
  std::vector<Cores> cores_;
  std::vector<std::int32_t> working_; // ranks of each machine that are at work
  Routes routes_;
  std::vector<Link> links_;
  // Until when messages from one rank to another are on their way, where that slows those that meet them.
  std::map<std::pair<Rank, Rank>, double> under_way_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
};

} // namespace thalweg::model

// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/migration.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/units.hpp"
#include "objects/fences.hpp"
#include "thalweg/error.hpp"
#include "thalweg/stream_formats.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::objects {

namespace {

/// Stands before an element on its way.
struct Passenger {
  std::uint16_t array = 0;
  std::uint32_t element = 0;
  std::uint64_t bytes = 0;
};

const char* scheme_name(thalweg_fence_scheme scheme) {
  return scheme == thalweg_fence_greedy ? "greedy" : scheme == thalweg_fence_near ? "near" : "refine";
}

} // namespace

// Light elements come last, and those leave first: loads become more even.
std::optional<std::vector<Candidate>> Migration::list(bool may_move) const {
  const double tick_seconds = tick_.seconds();
  std::vector<Candidate> all;
  std::vector<std::uint64_t> ticks;
  for (std::size_t number = 0; number < scheduler_.arrays().size(); ++number) {
    const auto& array = scheduler_.arrays()[number];
    if (!array || array->list == nullptr)
      continue;
    std::vector<std::uint32_t> elements(may_move ? array->count(array->context) : 0);
    std::vector<std::uint64_t> loads(elements.size());
    const std::size_t count = array->list(array->context, elements.size(), elements.data(), loads.data());
    if (count == SIZE_MAX)
      return std::nullopt;
    THALWEG_ASSERT(normal, count <= elements.size());
    for (std::size_t i = 0; i < count; ++i)
      all.push_back({static_cast<std::uint16_t>(number), elements[i], scheduler_.group().rank(),
                     tick_seconds * static_cast<double>(loads[i])});
    ticks.insert(ticks.end(), loads.begin(), loads.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return heaviest_first(std::move(all), ticks);
}

thalweg_moved Migration::move(const std::vector<Candidate>& candidates, thalweg_fence_scheme scheme,
                              const FenceTerms& terms) {
  if (balancer_ == nullptr) {
    thalweg_balancer* made = nullptr;
    detail::check(thalweg_balancer_create(scheduler_.group().communicator(), nullptr, &made));
    balancer_.reset(made);
  }
  std::vector<double> seconds;
  seconds.reserve(candidates.size() + 1); // without tasks, weights are still given
  for (const Candidate& one : candidates)
    seconds.push_back(one.seconds);
  struct PackContext {
    Scheduler& scheduler;
    const std::vector<Candidate>& candidates;
  } given{scheduler_, candidates};
  const auto pack = [](void* context, std::size_t first, std::size_t end, void* to, std::size_t room) {
    const auto& [scheduler, all] = *static_cast<PackContext*>(context);
    std::size_t needed = 0; // each element is written to where it travels from, and once where it fits
    for (std::size_t i = first; i < end; ++i) {
      const thalweg_objects_array& array = *scheduler.arrays()[all[i].array];
      const bool has_room = needed + sizeof(Passenger) <= room;
      char* const at = has_room ? static_cast<char*>(to) + needed : nullptr;
      const std::size_t bytes =
          array.pack(array.context, all[i].element, has_room ? at + sizeof(Passenger) : nullptr,
                     has_room ? room - needed - sizeof(Passenger) : 0);
      if (bytes == SIZE_MAX) {
        scheduler.fail(fmt::format("{}: {}", array.type, array.unsettled(array.context)).c_str());
        return bytes;
      }
      const Passenger head{all[i].array, all[i].element, bytes};
      if (has_room)
        std::memcpy(at, &head, sizeof head);
      needed += sizeof head + bytes;
    }
    return needed;
  };
  thalweg_tasks tasks{};
  tasks.count = candidates.size();
  tasks.weights = seconds.data();
  tasks.pack = pack;
  tasks.context = &given;
  thalweg_balance_options balance;
  balance.scheme = scheme == thalweg_fence_alias ? thalweg_balance_alias : thalweg_balance_sweep;
  balance.threshold = terms.threshold;
  balance.load_seconds = 1; // weights are seconds
  balance.steps = terms.steps;
  balance.hysteresis = terms.hysteresis;
  balance.min_gain_seconds = terms.min_gain_seconds;
  thalweg_moved moved{};
  const thalweg_status status = thalweg_balance_tasks(balancer_.get(), &tasks, &balance, &moved);
  if (status != thalweg_success)
    scheduler_.finish(); // tells on all ranks what could not be written
  detail::check(status);
  THALWEG_ASSERT(normal, moved.kept <= candidates.size());
  for (std::size_t i = moved.kept; i < candidates.size(); ++i) {
    const thalweg_objects_array& array = *scheduler_.arrays()[candidates[i].array];
    array.leave(array.context, candidates[i].element);
  }
  return moved;
}

void Migration::enter(const thalweg_moved& moved) {
  const auto* at = static_cast<const char*>(moved.tasks);
  for (std::size_t i = 0; i < moved.arrived; ++i) {
    Passenger head;
    std::memcpy(&head, at, sizeof head);
    at += sizeof head;
    THALWEG_ASSERT(normal, head.array < scheduler_.arrays().size() && scheduler_.arrays()[head.array]);
    const thalweg_objects_array& array = *scheduler_.arrays()[head.array];
    array.enter(array.context, head.element, at, head.bytes);
    at += head.bytes;
  }
}

void Migration::share_counts() {
  control::Control& ranks = scheduler_.control();
  for (const auto& array : scheduler_.arrays()) {
    if (!array || array->pack == nullptr)
      continue;
    const auto counts = ranks.run(ranks.allgather(std::uint64_t{array->count(array->context)}));
    array->fenced(array->context, counts.data());
  }
}

thalweg_fence_outcome Migration::fence(const thalweg_fence_options& options) {
  thalweg_fence_outcome nothing{};
  nothing.imbalance = 1;
  const auto may_move = [](const auto& array) { return array && array->list != nullptr; };
  if (std::ranges::none_of(scheduler_.arrays(), may_move) || scheduler_.group().ranks() == 1)
    return nothing;
  const bool stay = options.scheme == thalweg_fence_stay;
  const auto candidates = list(!stay);
  const std::uint64_t departed = scheduler_.view().departed - departed_;
  struct State {
    bool may_move;
    bool has_departed;
  };
  control::Control& ranks = scheduler_.control();
  const auto all = ranks.run(ranks.allgather(State{candidates.has_value(), departed != 0}));
  if (!std::ranges::all_of(all, &State::may_move)) {
    notes_.add("nothing moves, as a reduction is open");
    return nothing;
  }
  const bool has_departed = std::ranges::any_of(all, &State::has_departed);
  departed_ += departed;
  if (stay) {
    if (has_departed)
      settle();
    notes_.add(has_departed ? "stay: no element moves; all ranks know where those are that moved before"
                            : "stay: no element moves");
    return nothing;
  }
  const FenceTerms terms =
      completed({options.threshold, options.steps, options.hysteresis, options.min_gain_seconds});
  const bool decides_alone = options.scheme == thalweg_fence_refine ||
                             options.scheme == thalweg_fence_greedy || options.scheme == thalweg_fence_near;
  const thalweg_fence_outcome outcome = decides_alone
                                            ? reassign(*candidates, options.scheme, terms, has_departed)
                                            : balance(*candidates, options.scheme, terms, has_departed);
  departed_ = scheduler_.view().departed;
  double load_seconds = 0;
  for (const Candidate& one : *candidates)
    load_seconds += one.seconds;
  scheduler_.messages().add_load(notes_.fence(), load_seconds, outcome);
  return outcome;
}

thalweg_fence_outcome Migration::balance(const std::vector<Candidate>& candidates,
                                         thalweg_fence_scheme scheme, const FenceTerms& terms,
                                         bool has_departed) {
  const thalweg_moved moved = move(candidates, scheme, terms);
  const thalweg_fence_outcome outcome{.left = candidates.size() - moved.kept,
                                      .entered = moved.arrived,
                                      .was_worth = moved.was_worth,
                                      .imbalance = moved.imbalance,
                                      .gain_seconds = moved.gain_seconds,
                                      .move_seconds = moved.exchange_seconds};
  notes_.add(fmt::format(
      "{}: imbalance {:.2f}, {}: {} would be saved, and moving takes {}; {} elements left this rank, "
      "and {} came",
      scheme == thalweg_fence_alias ? "alias" : "sweep", outcome.imbalance,
      outcome.was_worth != 0 ? "elements move" : "nothing moves", format_seconds(outcome.gain_seconds),
      format_seconds(outcome.move_seconds), outcome.left, outcome.entered));
  if (moved.was_worth == 0 && !has_departed)
    return outcome;
  enter(moved); // whoever came tells its home
  settle();
  return outcome;
}

thalweg_fence_outcome Migration::reassign(const std::vector<Candidate>& candidates,
                                          thalweg_fence_scheme scheme, const FenceTerms& terms,
                                          bool has_departed) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  const auto count = [&](std::uint64_t& elements) {
    for (const auto& array : scheduler_.arrays())
      elements += array ? array->count(array->context) : 0;
  };
  const std::uint64_t departed = scheduler_.view().departed;
  count(before);
  if (scheme == thalweg_fence_near)
    scheduler_.sample().begin();
  const std::uint64_t begin_ns = wait::System::now_ns();
  const Reassignment done = reassigner_.begin(candidates, scheme, terms);
  if (done.was_worth || has_departed)
    settle();
  if (done.was_worth)
    reassigner_.learn(done, 1e-9 * static_cast<double>(wait::System::now_ns() - begin_ns));
  count(after);
  const std::uint64_t left = scheduler_.view().departed - departed;
  THALWEG_ASSERT(normal, after + left >= before); // elements come or go, and are not lost
  notes_.add(fmt::format(
      "{}: imbalance {:.2f}, to become {:.2f}; {:.3g} B between ranks, to become {:.3g}; {}: {} "
      "would be saved, and "
      "moving takes {}; {} elements move",
      scheme_name(scheme), done.imbalance, done.imbalance_after, done.far_bytes, done.far_bytes_after,
      done.was_worth ? "it pays" : "it does not pay", format_seconds(std::max(done.gain_seconds, 0.0)),
      format_seconds(done.move_seconds), done.moves));
  return {.left = left,
          .entered = after + left - before,
          .was_worth = int{done.was_worth},
          .imbalance = done.imbalance,
          .gain_seconds = done.gain_seconds,
          .move_seconds = done.move_seconds};
}

void Migration::settle() {
  scheduler_.finish(); // all homes know,
  share_counts();      // and ranks ask them for the elements that they call
  scheduler_.finish();
}

} // namespace thalweg::objects

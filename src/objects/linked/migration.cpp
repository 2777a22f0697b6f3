#include "objects/linked/migration.hpp"

#include "core/error.hpp"
#include "thalweg/error.hpp"
#include "thalweg/stream_formats.hpp"

#include <algorithm>
#include <cassert>

namespace thalweg::objects {

namespace {

/// Stands before an element on its way.
struct Passenger {
  std::uint16_t array = 0;
  std::uint32_t element = 0;
  std::uint64_t bytes = 0;
};

} // namespace

// Light elements come last, and those leave first: loads become more even.
std::optional<std::vector<Migration::Candidate>> Migration::list() const {
  const double tick_seconds = tick_.seconds();
  std::vector<Candidate> all;
  for (std::size_t number = 0; number < scheduler_.arrays().size(); ++number) {
    const auto& array = scheduler_.arrays()[number];
    if (!array || array->list == nullptr)
      continue;
    std::vector<std::uint32_t> elements(array->count(array->context));
    std::vector<std::uint64_t> loads(elements.size());
    const std::size_t count = array->list(array->context, elements.size(), elements.data(), loads.data());
    if (count == SIZE_MAX)
      return std::nullopt;
    assert(count <= elements.size());
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(
          {static_cast<std::uint16_t>(number), elements[i], tick_seconds * static_cast<double>(loads[i])});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Candidate::seconds);
  return all;
}

thalweg_moved Migration::move(const std::vector<Candidate>& candidates,
                              const thalweg_fence_options& options) {
  if (balancer_ == nullptr) {
    thalweg_balancer* made = nullptr;
    detail::check(thalweg_balancer_create(scheduler_.group().communicator(), nullptr, &made));
    balancer_.reset(made);
  }
  std::vector<double> seconds;
  seconds.reserve(candidates.size() + 1); // without tasks, weights are still given
  for (const Candidate& one : candidates)
    seconds.push_back(one.seconds);
  struct Given {
    const Scheduler& scheduler;
    const std::vector<Candidate>& candidates;
  } given{scheduler_, candidates};
  const auto pack = [](void* context, std::size_t first, std::size_t end, void* to, std::size_t room) {
    const auto& [scheduler, all] = *static_cast<Given*>(context);
    byte_writer out(static_cast<char*>(to), room);
    std::vector<char> packed;
    for (std::size_t i = first; i < end; ++i) {
      const thalweg_objects_array& array = *scheduler.arrays()[all[i].array];
      const std::size_t bytes = array.pack(array.context, all[i].element, nullptr, 0);
      if (bytes == SIZE_MAX)
        return bytes;
      packed.resize(bytes);
      array.pack(array.context, all[i].element, packed.data(), bytes);
      const Passenger head{all[i].array, all[i].element, bytes};
      out.write(&head, sizeof head);
      out.write(packed.data(), bytes);
    }
    return out.needed();
  };
  thalweg_tasks tasks{};
  tasks.count = candidates.size();
  tasks.weights = seconds.data();
  tasks.pack = pack;
  tasks.context = &given;
  thalweg_balance_options balance = THALWEG_BALANCE_DEFAULTS;
  constexpr double usual_threshold = 0.05;
  balance.scheme = thalweg_balance_sweep;
  balance.threshold = options.threshold > 0 ? options.threshold : usual_threshold;
  balance.load_seconds = 1; // weights are seconds
  balance.steps = options.steps;
  balance.hysteresis = options.hysteresis;
  thalweg_moved moved{};
  detail::check(thalweg_balance_tasks(balancer_.get(), &tasks, &balance, &moved));
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
    const thalweg_objects_array& array = *scheduler_.arrays()[head.array];
    array.enter(array.context, head.element, at, head.bytes);
    at += head.bytes;
  }
}

void Migration::share_counts() {
  const job::Group& group = scheduler_.group();
  const job::Agreement ranks = group.agreement(group.channels().policy());
  for (const auto& array : scheduler_.arrays()) {
    if (!array || array->list == nullptr)
      continue;
    const auto counts = ranks.allgather(std::uint64_t{array->count(array->context)});
    array->fenced(array->context, counts.data());
  }
}

thalweg_fence_outcome Migration::fence(const thalweg_fence_options& options) {
  scheduler_.finish();
  thalweg_fence_outcome outcome{};
  outcome.imbalance = 1;
  const auto may_move = [](const auto& array) { return array && array->list != nullptr; };
  if (std::ranges::none_of(scheduler_.arrays(), may_move) || scheduler_.group().ranks() == 1)
    return outcome;
  const auto candidates = list();
  const job::Group& group = scheduler_.group();
  const auto may = group.agreement(group.channels().policy()).allgather(char{candidates.has_value()});
  if (std::ranges::find(may, char{false}) != may.end())
    return outcome;
  const thalweg_moved moved = move(*candidates, options);
  outcome = {.left = candidates->size() - moved.kept,
             .entered = moved.arrived,
             .was_worth = moved.was_worth,
             .imbalance = moved.imbalance,
             .gain_seconds = moved.gain_seconds,
             .move_seconds = moved.exchange_seconds};
  if (moved.was_worth == 0)
    return outcome;
  enter(moved); // whoever came tells its home: these messages are run before anybody goes on
  share_counts();
  scheduler_.finish();
  return outcome;
}

} // namespace thalweg::objects

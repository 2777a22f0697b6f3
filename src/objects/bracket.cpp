#include "objects/bracket.hpp"

#include <utility>

namespace thalweg::objects {

namespace {

/// Stands before the groups of a combined message. All lie at multiples of 16 bytes.
struct CombinedHead {
  std::uint32_t epoch = 0;
  std::uint32_t iteration = 0;
  std::uint32_t phase = 0;
  std::uint32_t padding = 0;
};
constexpr std::uint32_t no_phase = 0xFFFFFFFF; // to where its groups are for

/// Stands before the messages for a rank.
struct GroupHead {
  std::uint64_t bytes = 0;
  Rank destination = 0;
  std::uint32_t padding = 0;
};
static_assert(sizeof(CombinedHead) == 16 && sizeof(GroupHead) == 16);

std::span<const char> sealed(GrowingBuffer& group, Rank destination) {
  const GroupHead head{.bytes = group.size() - sizeof(GroupHead), .destination = destination};
  std::memcpy(group.begin(), &head, sizeof head);
  return group.bytes();
}

} // namespace

Bracket::Bracket(Combining combining, std::int32_t ranks, Rank rank, Ports ports)
    : combining_(combining), rank_(rank), ports_(std::move(ports)), routes_(combining, ranks, rank) {}

Bracket::Iteration& Bracket::iteration(std::uint32_t number) {
  const auto [at, is_new] = open_.try_emplace(number);
  if (is_new)
    at->second.arrived.resize(routes_.phases());
  return at->second;
}

char* Bracket::deposit(std::uint32_t element, Rank to, std::size_t bytes) {
  if (combining_ == Combining::stream)
    return nullptr;
  if (last_ == nullptr || last_element_ != element) {
    last_ = &iteration(ended_[element]);
    last_element_ = element;
  }
  GrowingBuffer& group = last_->kept[to];
  if (group.size() == 0)
    group.add(sizeof(GroupHead));
  return group.add(bytes);
}

void Bracket::end(std::uint32_t element) {
  last_ = nullptr; // its next bracket is another iteration's
  const std::uint32_t number = ended_[element]++;
  if (combining_ == Combining::stream)
    return;
  ++iteration(number).ended;
  go_on(number);
}

void Bracket::go_on(std::uint32_t number) {
  Iteration& one = iteration(number);
  if (one.ended < ports_.elements())
    return;
  const auto may_send = [&] {
    return one.phase == 0 || one.arrived[one.phase - 1] == routes_.senders(one.phase - 1);
  };
  while (one.phase < routes_.phases() && may_send()) {
    send_phase(number, one);
    ++one.phase;
  }
  if (one.phase == routes_.phases()) {
    open_.erase(number);
    last_ = nullptr;
  }
}

void Bracket::send_phase(std::uint32_t number, Iteration& one) {
  const bool is_last = one.phase + 1 == routes_.phases();
  std::map<Rank, std::vector<Rank>> destinations;
  for (auto& [destination, group] : one.kept)
    if (const Rank next = routes_.hop(destination, one.phase); next != rank_)
      destinations[next].push_back(destination);
  for (const Rank next : routes_.receivers(one.phase)) {
    const auto found = destinations.find(next);
    if (found == destinations.end() && is_last)
      continue;
    Pieces groups;
    if (found != destinations.end())
      for (const Rank destination : found->second)
        groups.push_back(sealed(one.kept[destination], destination));
    send(next, number, static_cast<std::uint32_t>(one.phase), groups);
    if (found != destinations.end())
      for (const Rank destination : found->second)
        one.kept.erase(destination);
  }
}

void Bracket::send(Rank to, std::uint32_t number, std::uint32_t phase, const Pieces& groups) {
  const CombinedHead head{.epoch = epoch_, .iteration = number, .phase = phase};
  Pieces pieces{{reinterpret_cast<const char*>(&head), sizeof head}};
  pieces.insert(pieces.end(), groups.begin(), groups.end());
  ports_.send(to, pieces);
}

void Bracket::send_straight(Rank destination, GrowingBuffer& group) {
  send(destination, 0, no_phase, {sealed(group, destination)});
}

void Bracket::keep(Iteration& one, Rank destination, const char* messages, std::size_t bytes) {
  GrowingBuffer& group = one.kept[destination];
  if (group.size() == 0)
    group.add(sizeof(GroupHead));
  std::memcpy(group.add(bytes), messages, bytes);
}

void Bracket::take(const char* combined, std::size_t bytes) {
  CombinedHead head;
  std::memcpy(&head, combined, sizeof head);
  if (static_cast<std::int32_t>(head.epoch - epoch_) > 0)
    begin_epoch(head.epoch, true); // this rank will hear of it too
  const bool is_counted = head.epoch == epoch_ && head.phase != no_phase && head.phase + 1 < routes_.phases();
  Iteration straight;
  Iteration& one = is_counted ? iteration(head.iteration) : straight;
  for (const char *at = combined + sizeof head, *const end = combined + bytes; at < end;) {
    GroupHead group;
    std::memcpy(&group, at, sizeof group);
    at += sizeof group;
    if (group.destination == rank_)
      ports_.deliver(at, group.bytes);
    else
      keep(one, group.destination, at, group.bytes);
    at += group.bytes;
  }
  for (auto& [destination, group] : straight.kept)
    send_straight(destination, group);
  if (!is_counted)
    return;
  ++one.arrived[head.phase];
  go_on(head.iteration);
}

std::uint64_t Bracket::held() const {
  std::uint64_t bytes = 0;
  for (const auto& [number, one] : open_)
    for (const auto& [destination, group] : one.kept)
      bytes += group.size();
  return bytes;
}

void Bracket::begin_epoch(std::uint32_t epoch, bool sends) {
  if (static_cast<std::int32_t>(epoch - epoch_) <= 0)
    return;
  epoch_ = epoch;
  ended_.clear();
  last_ = nullptr;
  auto open = std::exchange(open_, {});
  for (auto& [number, one] : open)
    for (auto& [destination, group] : one.kept)
      if (sends)
        send_straight(destination, group);
}

} // namespace thalweg::objects

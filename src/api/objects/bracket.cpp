// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace thalweg::objects {

namespace {

/// Stands before the groups of a combined message. All lie at multiples of 16 bytes.
struct CombinedHead {
  std::uint32_t epoch = 0;
  std::uint32_t iteration = 0;
  std::uint32_t phase = 0;
  std::uint32_t messages = 0; ///< of the sender in this phase; 0: this is not its last one
};
constexpr Rank several = -1;                   // the destination of a group of multicasts
constexpr std::uint32_t no_phase = 0xFFFFFFFF; // to where its groups are for
static_assert(sizeof(CombinedHead) == 16);

} // namespace

Bracket::Bracket(Combining combining, std::int32_t ranks, Rank rank, Ports ports)
    : combining_(combining), ranks_(ranks), rank_(rank), ports_(std::move(ports)),
      routes_(combining, ranks, rank), scattered_(ranks), met_(static_cast<std::size_t>(ranks)) {}

void Bracket::use(Combining combining) {
  THALWEG_ASSERT(light, open_.empty());
  combining_ = combining;
  routes_ = BracketRoutes(combining, ranks_, rank_);
  last_ended_ = nullptr;
}

Bracket::Iteration& Bracket::iteration(std::uint32_t number) {
  const auto found = std::ranges::find(open_, number, [](const auto& one) { return one->number; });
  if (found != open_.end())
    return **found;
  if (spare_.empty())
    spare_.push_back(std::make_unique<Iteration>(ranks_));
  Iteration& one = *open_.emplace_back(std::move(spare_.back()));
  spare_.pop_back();
  one.number = number;
  one.ended = one.phase = 0;
  one.arrived.assign(routes_.phases(), 0);
  one.outstanding.assign(routes_.phases(), 0);
  return one;
}

void Bracket::close(Iteration& one) {
  one.kept.clear();
  one.several.clear();
  const auto found = std::ranges::find(open_, &one, [](const auto& it) { return it.get(); });
  std::swap(*found, open_.back());
  spare_.push_back(std::move(open_.back()));
  open_.pop_back();
  last_ended_ = nullptr;
}

std::size_t Bracket::group_bytes_max() const {
  return ports_.bytes_max - std::min(ports_.bytes_max, sizeof(CombinedHead));
}

std::uint32_t& Bracket::ended_of(std::uint32_t element) {
  if (last_ended_ != nullptr && last_element_ == element)
    return *last_ended_;
  last_ended_ = &ended_[element];
  last_element_ = element;
  last_ = combining_ == Combining::stream ? nullptr : &iteration(*last_ended_);
  return *last_ended_;
}

// A call that is not combined opens a message to its rank, as if it were.
void Bracket::note_call(Rank to, std::uint32_t iteration) {
  if (std::uint32_t& met = met_[static_cast<std::size_t>(to)]; met <= iteration) {
    met = iteration + 1;
    ++period_.messages;
  }
}

char* Bracket::deposit(std::uint32_t element, std::span<const MulticastPart> parts, std::size_t bytes) {
  period_.multicast_bytes += static_cast<double>(bytes * parts.size());
  if (routes_.phases() == 1)
    return nullptr;
  const std::uint32_t number = ended_of(element);
  for (const MulticastPart& one : parts) {
    note_call(one.to, number);
    period_.bytes += static_cast<double>(one.prefix.size() + bytes);
  }
  return last_->several.add(parts, bytes);
}

char* Bracket::deposit(std::uint32_t element, Rank to, std::size_t bytes) {
  const std::uint32_t number = ended_of(element);
  period_.bytes += static_cast<double>(bytes);
  if (combining_ == Combining::stream) {
    note_call(to, number);
    return nullptr;
  }
  KeptGroups::Group& group = last_->kept.of(to);
  if (group.is_empty()) {
    note_call(to, number);
    return group.add(bytes, 1);
  }
  if (routes_.phases() > 1)
    return last_->kept.with_room(to, bytes, group_bytes_max()).add(bytes, 0);
  if (group.bytes() + bytes > group_bytes_max()) {
    send_straight(group.sealed(), to);
    group.clear();
  }
  return group.add(bytes, 0);
}

void Bracket::end(std::uint32_t element) {
  ++ended_of(element);
  Iteration* const one = std::exchange(last_, nullptr);
  last_ended_ = nullptr; // its next bracket is another iteration's
  ++period_.iterations;
  if (one == nullptr)
    return;
  ++one->ended;
  go_on(*one);
}

void Bracket::go_on(Iteration& one) {
  if (one.ended < ports_.elements())
    return;
  const auto may_send = [&] {
    return one.phase == 0 || (one.arrived[one.phase - 1] == routes_.senders(one.phase - 1) &&
                              one.outstanding[one.phase - 1] == 0);
  };
  while (one.phase < routes_.phases() && may_send()) {
    send_phase(one);
    ++one.phase;
  }
  if (one.phase == routes_.phases())
    close(one);
}

// What is for the receiver itself goes last: it stays where it comes, and is run there.
void Bracket::send_phase(Iteration& one) {
  const bool is_last = one.phase + 1 == routes_.phases();
  leaving_.clear();
  for (KeptGroups::Group& group : one.kept.all())
    if (!group.is_empty())
      if (const Rank next = routes_.hop(group.destination(), one.phase); next != rank_)
        leaving_.push_back({next, group.destination() == next, false, &group});
  scatter(one);
  for (KeptGroups::Group& group : scattered_.all())
    leaving_.push_back({group.destination(), false, true, &group});
  if (routes_.phases() > 1)
    std::ranges::sort(leaving_, {},
                      [](const Leaving& it) { return std::tuple(it.next, it.has_arrived, it.group); });
  if (is_last) {
    for (std::span<const Leaving> left = leaving_; !left.empty();) {
      const auto end = std::ranges::find_if(left, [&](const Leaving& it) { return it.next != left[0].next; });
      const auto count = static_cast<std::size_t>(end - left.begin());
      send_groups(left[0].next, left.first(count), one);
      left = left.subspan(count);
    }
  } else {
    for (const Rank next : routes_.receivers(one.phase)) {
      const auto groups = std::ranges::equal_range(leaving_, next, {}, &Leaving::next);
      send_groups(next, {groups.begin(), groups.end()}, one);
    }
  }
  scattered_.clear();
}

void Bracket::scatter(Iteration& one) {
  one.several.each([&](const Multicast& it) {
    ways_.clear();
    it.each([&](const MulticastPart& part) { ways_.push_back({routes_.hop(part.to, one.phase), part}); });
    std::ranges::sort(ways_, {}, &Way::next);
    const std::span<const char> common = it.common();
    for (auto from = ways_.begin(); from != ways_.end();) {
      const Rank next = from->next;
      parts_.clear();
      for (; from != ways_.end() && from->next == next; ++from)
        parts_.push_back(from->part);
      const std::size_t size = Multicast::size(parts_, common.size());
      char* const at =
          next == rank_ ? staying_.add(parts_, common.size())
                        : Multicast::write(scattered_.with_room(next, size, group_bytes_max()).add(size, 0),
                                           parts_, common.size());
      std::memcpy(at, common.data(), common.size());
    }
  });
  std::swap(one.several, staying_);
  staying_.clear();
}

void Bracket::send_groups(Rank next, std::span<const Leaving> groups, const Iteration& one) {
  std::uint32_t messages = 0;
  do {
    std::size_t count = 0;
    std::size_t bytes = sizeof(CombinedHead);
    pieces_.resize(1); // its head
    while (count < groups.size() &&
           (count == 0 || bytes + groups[count].group->bytes() <= ports_.bytes_max)) {
      KeptGroups::Group& group = *groups[count].group;
      pieces_.push_back(groups[count].is_several ? group.sealed(several) : group.sealed());
      bytes += pieces_.back().size();
      if (groups[count++].has_arrived)
        break; // it is run from where it lies, at the message's end
    }
    ++messages;
    send(next, one.number, static_cast<std::uint32_t>(one.phase), count == groups.size() ? messages : 0);
    for (const Leaving& it : groups.first(count))
      it.group->clear();
    groups = groups.subspan(count);
  } while (!groups.empty());
}

/// Of pieces_, from the second on.
void Bracket::send(Rank to, std::uint32_t number, std::uint32_t phase, std::uint32_t messages) {
  const CombinedHead head{.epoch = epoch_, .iteration = number, .phase = phase, .messages = messages};
  pieces_[0] = {reinterpret_cast<const char*>(&head), sizeof head};
  ports_.send(to, pieces_);
}

void Bracket::send_straight(std::span<const char> group, Rank destination) {
  pieces_.resize(1);
  pieces_.push_back(group);
  send(destination, 0, no_phase, 1);
}

void Bracket::send_straight(const MulticastPart& part, std::span<const char> common) {
  const std::span<const MulticastPart> parts(&part, 1);
  KeptGroups::Group group;
  char* const at = group.add(Multicast::size(parts, common.size()), 0);
  std::memcpy(Multicast::write(at, parts, common.size()), common.data(), common.size());
  send_straight(group.sealed(several), part.to);
}

/// Where they are not counted, the others' go straight.
void Bracket::take_several(std::span<const char> all, Iteration* counted) {
  KeptMulticasts::each_in(all, [&](const Multicast& it) {
    const std::span<const char> common = it.common();
    parts_.clear();
    it.each([&](const MulticastPart& part) {
      if (part.to == rank_) {
        ++period_.received_messages;
        period_.received_bytes += static_cast<double>(part.prefix.size() + common.size());
        ports_.deliver(part.prefix, common);
      } else if (counted == nullptr) {
        send_straight(part, common);
      } else {
        parts_.push_back(part);
      }
    });
    if (!parts_.empty())
      std::memcpy(counted->several.add(parts_, common.size()), common.data(), common.size());
  });
}

std::size_t Bracket::take(const char* combined, std::size_t bytes) {
  CombinedHead head;
  std::memcpy(&head, combined, sizeof head);
  if (static_cast<std::int32_t>(head.epoch - epoch_) > 0)
    begin_epoch(head.epoch, true); // this rank will hear of it too
  const bool is_counted = head.epoch == epoch_ && head.phase != no_phase && head.phase + 1 < routes_.phases();
  std::size_t own = 0;
  for (const char *at = combined + sizeof head, *const end = combined + bytes; at < end;) {
    GroupHead group;
    std::memcpy(&group, at, sizeof group);
    const char* const messages = at + sizeof group;
    at = messages + group.bytes;
    if (group.destination == rank_) {
      THALWEG_ASSERT(light, at == end);
      own = group.bytes;
      period_.received_messages += group.sources;
      period_.received_bytes += static_cast<double>(group.bytes);
    } else if (group.destination == several) {
      take_several({messages, group.bytes}, is_counted ? &iteration(head.iteration) : nullptr);
    } else if (is_counted) {
      std::memcpy(iteration(head.iteration)
                      .kept.with_room(group.destination, group.bytes, group_bytes_max())
                      .add(group.bytes, group.sources),
                  messages, group.bytes);
    } else {
      send_straight({messages - sizeof group, at}, group.destination);
    }
  }
  if (is_counted) {
    Iteration& one = iteration(head.iteration);
    one.outstanding[head.phase] += std::int64_t{head.messages} - 1;
    one.arrived[head.phase] += head.messages == 0 ? 0 : 1;
    go_on(one);
  }
  return own;
}

std::uint64_t Bracket::held() const {
  std::uint64_t bytes = 0;
  for (const auto& one : open_)
    for (const KeptGroups::Group& group : one->kept.all())
      bytes += group.bytes();
  for (const auto& one : open_)
    bytes += one->several.bytes();
  return bytes;
}

void Bracket::begin_epoch(std::uint32_t epoch, bool sends) {
  if (static_cast<std::int32_t>(epoch - epoch_) <= 0)
    return;
  epoch_ = epoch;
  ended_.clear();
  last_ended_ = nullptr;
  std::ranges::fill(met_, 0U);
  while (!open_.empty()) {
    for (KeptGroups::Group& group : open_.back()->kept.all())
      if (sends && !group.is_empty())
        send_straight(group.sealed(), group.destination());
    if (sends)
      open_.back()->several.each([&](const Multicast& it) {
        it.each([&](const MulticastPart& part) { send_straight(part, it.common()); });
      });
    close(*open_.back());
  }
}

RankPeriod Bracket::take_period() {
  RankPeriod taken = std::exchange(period_, {});
  if (const std::size_t elements = ports_.elements(); elements != 0)
    taken.iterations /= static_cast<double>(elements);
  return taken;
}

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/traffic.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "simulate/packet/permutations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::simulate::packet {

namespace {

constexpr double max_lag = 0.02;                // and of what is offered as much may be lacking
constexpr std::uint64_t settling_packets = 200; // at least so many packets' time passes before measuring
constexpr std::uint64_t max_measured = 1'000'000'000;
__extension__ using Wide = unsigned __int128;

/// Poisson processes of all senders.
class PoissonSource final : public Source {
public:
  PoissonSource(const Fabric& fabric, const RouterOptions& options, const Traffic& traffic, double load)
      : bytes_(options.packet_bytes), duration_(transfer_ticks(options, options.packet_bytes)),
        nodes_(fabric.nodes()), interface_latency_(traffic.interface_latency),
        destinations_(traffic.fanout == 0 ? parse_destinations(traffic.pattern, nodes_, options.seed,
                                                               fabric.shape().switch_grid())
                                          : std::vector<std::uint32_t>{}),
        mean_gap_(static_cast<Ticks>(std::llround(static_cast<double>(duration_) / load))) {
    const std::uint32_t senders = traffic.senders == 0 ? nodes_ : std::min(traffic.senders, nodes_);
    Random seeds(options.seed);
    for (std::uint32_t node = 0; node < senders; ++node) {
      random_.emplace_back(seeds.next());
      const bool sends = destinations_.empty() || destinations_[node] != node;
      next_birth_.push_back(sends ? first_birth(random_.back()) : never);
      senders_ += sends ? 1 : 0;
    }
    if (senders_ == 0)
      throw Error("traffic in which every node sends to itself", "choose another pattern, or more nodes");
  }

  void use_groups(const Traffic& traffic, std::uint64_t seed, GroupTables& groups) {
    if (traffic.fanout >= nodes_)
      throw Error(fmt::format("multicasts to {} of {} nodes", traffic.fanout, nodes_),
                  fmt::format("choose a fanout of 1 to {}", nodes_ - 1));
    groups_ = &groups;
    fanout_ = traffic.fanout;
    sets_ = traffic.sets;
    set_random_ = Random(seed + 1);
    members_.resize(nodes_);
    std::iota(members_.begin(), members_.end(), 0U);
    for (std::uint32_t node = 0; node < next_birth_.size(); ++node)
      for (std::uint32_t set = 0; set < sets_; ++set)
        draw_group(node);
  }

  bool next(std::uint32_t node, Ticks /*now*/, Packet& packet, Ticks& ready) override {
    if (node >= next_birth_.size() || next_birth_[node] == never)
      return false;
    packet.born = ready = next_birth_[node];
    packet.bytes = bytes_;
    packet.from = node;
    Random& random = random_[node];
    if (groups_ != nullptr) {
      packet.kind = Kind::multicast;
      packet.group = sets_ > 0 ? node * sets_ + random.below(sets_) : draw_group(node);
    } else if (destinations_.empty()) {
      const std::uint32_t other = random.below(nodes_ - 1);
      packet.to = other < node ? other : other + 1;
    } else {
      packet.to = destinations_[node];
    }
    next_birth_[node] += gap(random);
    return true;
  }

  void deliver(const Packet& packet, std::uint32_t /*node*/, Ticks now) override {
    THALWEG_ASSERT(normal, now >= packet.born);
    ++delivered;
    latency += now - packet.born + interface_latency_;
    if (groups_ != nullptr && sets_ == 0 && --missing_[packet.group] == 0)
      groups_->remove(packet.group);
  }

  /// How far the senders' packets are behind their time, summed up.
  Ticks lag(Ticks now) const {
    Ticks sum = 0;
    for (const Ticks birth : next_birth_)
      sum += birth < now ? now - birth : 0;
    return sum;
  }
  std::uint32_t senders() const { return senders_; }
  Ticks duration() const { return duration_; }

  std::uint64_t delivered = 0;
  std::uint64_t latency = 0; ///< sum

private:
  // Senders that never rest do not begin together.
  Ticks first_birth(Random& random) const {
    const Ticks any = gap(random);
    return mean_gap_ == duration_ ? static_cast<Ticks>(Wide{random.next()} * duration_ >> 64) : any;
  }
  Ticks gap(Random& random) const {
    if (mean_gap_ == duration_)
      return duration_;
    return static_cast<Ticks>(Wide{exponential(random)} * mean_gap_ >> 32);
  }
  // Of the sender and the first turns of a shuffle of the others.
  std::uint32_t draw_group(std::uint32_t node) {
    std::iter_swap(members_.begin(), std::ranges::find(members_, node));
    for (std::uint32_t place = 1; place <= fanout_; ++place)
      std::swap(members_[place], members_[place + set_random_.below(nodes_ - place)]);
    const std::uint32_t group = groups_->add({members_.data(), fanout_ + 1});
    if (group >= missing_.size())
      missing_.resize(group + 1, 0);
    missing_[group] = fanout_;
    return group;
  }

  std::uint32_t bytes_;
  Ticks duration_;
  std::uint32_t nodes_;
  Ticks interface_latency_;
  std::vector<std::uint32_t> destinations_;
  Ticks mean_gap_;
  std::uint32_t senders_ = 0;
  GroupTables* groups_ = nullptr;
  std::uint32_t fanout_ = 0;
  std::uint32_t sets_ = 0;
  Random set_random_{0};
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> missing_; // copies of each group's packet
  std::vector<Random> random_;
  std::vector<Ticks> next_birth_;
};

Estimate estimate(const std::array<double, batches>& values) {
  constexpr double students_t = 2.093; // of 19 degrees of freedom, 95 %
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / batches;
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return {mean, students_t * std::sqrt(squares / (batches - 1) / batches)};
}

std::uint64_t mixed(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = 0;
  for (const std::uint64_t number : numbers)
    hash = Random(hash ^ number).next();
  return hash;
}

void check_load(const Traffic& traffic, double load) {
  if (!(load > 0 && load <= 1))
    throw Error(fmt::format("a load of {}", load),
                "choose above 0 and up to 1, where senders' channels would never rest");
  if (traffic.packets < batches || traffic.packets > max_measured)
    throw Error(fmt::format("{} packets to measure", traffic.packets),
                fmt::format("choose {} to {}", batches, max_measured));
}

} // namespace

LoadPoint measure_load(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                       const Traffic& traffic, double load,
                       const std::function<void(int batches_done)>& progress) {
  check(options);
  check_load(traffic, load);
  PoissonSource source(fabric, options, traffic, load);
  std::unique_ptr<GroupTables> groups;
  if (traffic.fanout > 0) {
    groups = std::make_unique<GroupTables>(fabric);
    source.use_groups(traffic, options.seed, *groups);
  }
  Network network(fabric, routing, options, groups.get(), source);
  int batch = 0;
  if (progress)
    network.progress = [&] { progress(batch); };
  for (std::uint32_t node = 0; node < fabric.nodes(); ++node)
    network.offer(node, 0);

  const double copies = traffic.fanout == 0 ? 1 : traffic.fanout;
  const double span = static_cast<double>(source.duration()) * static_cast<double>(traffic.packets) /
                      (load * copies * source.senders());
  const auto batch_ticks = std::max<Ticks>(source.duration(), static_cast<Ticks>(span / batches));
  const auto require_life = [&](bool goes_on) {
    if (!goes_on)
      network.require_empty();
  };
  require_life(network.run_until(std::max(settling_packets * source.duration(), batch_ticks * batches / 4)));

  LoadPoint point{.load = load};
  const Ticks lag_before = source.lag(network.now());
  std::array<double, batches> accepted{};
  std::array<double, batches> latency{};
  std::uint64_t hash = 0;
  for (; batch < batches; ++batch) {
    source.delivered = source.latency = 0;
    require_life(network.run_until(network.now() + batch_ticks));
    const auto delivered = static_cast<double>(source.delivered);
    accepted[static_cast<std::size_t>(batch)] =
        delivered * static_cast<double>(source.duration()) /
        (static_cast<double>(batch_ticks) * source.senders() * copies);
    latency[static_cast<std::size_t>(batch)] =
        source.delivered == 0 ? 0 : static_cast<double>(source.latency) / delivered / 1000;
    point.packets += source.delivered;
    hash = mixed({hash, source.delivered, source.latency, network.events()});
    if (progress)
      progress(batch + 1);
  }
  point.accepted = estimate(accepted);
  point.latency = estimate(latency);
  point.measured = batch_ticks * batches;
  const auto behind = static_cast<double>(source.lag(network.now())) - static_cast<double>(lag_before);
  // While a network fills up, senders are not behind, but less comes out of it than they offer.
  const bool is_lacking = point.accepted.mean + point.accepted.half_width < (1 - max_lag) * load;
  point.is_saturated =
      is_lacking || behind > max_lag * static_cast<double>(point.measured) * source.senders();
  point.hops = network.hops();
  point.events = network.events();
  point.fingerprint = hash;
  return point;
}

} // namespace thalweg::simulate::packet

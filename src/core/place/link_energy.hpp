// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The most loaded link, made smooth: the p-norm of the loads of each layer of messages that are sent at once.
//
//     energy = sum over layers of weight * (sum over links of load^p)^(1/p)  +  hop_weight * sum of all loads
//
// The maximum alone has plateaus: with two links equally loaded no single swap lowers it, and Sudheer Kumar
// 2012's LocalOpt (section 7.2) stops. The norm falls when one of them is relieved, and tends to the maximum
// with growing p.

#include "base/assertion.hpp"
#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/energy.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::place {

/// The part of a byte that a link carries, over the link's capacity.
struct Crossing {
  std::int32_t link = 0; ///< numbered as it was met first: most jobs meet few of a machine's
  float load = 0;
};

/// Which links count.
enum class Counted : std::uint8_t {
  all,
  between_switches, ///< not those that are a node's own
};

/// The links between slots, with what each carries of a byte in the time of its capacity; kept where there is
/// room for them.
class Routes {
public:
  /// Keeps a reference to the allocation. Throws Error for a machine of 2^31 links or more.
  explicit Routes(const machine::Allocation& allocation, Counted counted = Counted::all);

  /// Those that were met so far.
  std::int32_t links() const { return static_cast<std::int32_t>(link_of_.size()); }
  /// The machine's number of a link that was met.
  topology::Link original(std::int32_t link) const { return link_of_[static_cast<std::size_t>(link)]; }
  /// Meets a link of the machine's; gives its number here.
  std::int32_t met(topology::Link link);
  bool counts(topology::Link link) const;
  /// Valid until the next call. Not for threads at once.
  std::span<const Crossing> between(std::int32_t from, std::int32_t to);

private:
  void find(std::int32_t from, std::int32_t to, std::vector<Crossing>& route);

  const machine::Allocation* allocation_;
  Counted counted_;
  std::vector<std::int32_t> number_of_; ///< of each of the machine's links; -1: not met
  std::vector<topology::Link> link_of_;
  std::vector<std::int32_t> node_of_; ///< of each slot, numbered from 0
  std::size_t nodes_ = 0;
  std::vector<std::uint32_t> begin_; ///< in kept_, of each pair of nodes; 0: not yet there
  std::vector<Crossing> kept_;       ///< each route behind an entry that has its length as its link
  std::vector<Crossing> route_;
  std::vector<topology::LinkShare> shares_;
};

/// Messages that are sent at once.
struct Layer {
  pattern::Matrix matrix;
  double weight = 1;
  double base_part = 0; ///< the part of the base loads that goes on meanwhile
};

/// The highest load, and how many links have it; none where nothing is loaded. Fewer of them is better too:
/// where several are equally loaded, swaps relieve them one by one.
struct Peak {
  double load = 0;
  std::int32_t links = 0;

  bool operator==(const Peak&) const = default;
  /// Loads that differ by rounding alone count as equal.
  bool is_below(const Peak& other) const {
    constexpr double rounding = 1e-9;
    const double slack = rounding * other.load;
    return load < other.load - slack || (load <= other.load + slack && links < other.links);
  }
};

/// What messages each task has, as it sees them.
class MessageEnds {
public:
  struct End { ///< a message as one of its two tasks sees it
    std::int32_t layer;
    std::int32_t other;
    double bytes;
    bool is_sender;
  };

  /// Of those messages of the layers that have bytes.
  MessageEnds(const std::vector<Layer>& layers, std::size_t tasks);

  std::span<const End> of(std::int32_t task) const {
    const auto index = static_cast<std::size_t>(task);
    THALWEG_ASSERT(normal, index + 1 < begin_.size());
    return std::span(ends_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }

private:
  std::vector<std::size_t> begin_;
  std::vector<End> ends_;
};

/// What loads would change by, of the links that something has touched since begin(). A load is that of a
/// link and a layer, and both together a place.
class LoadChanges {
public:
  struct LoadPlace {
    std::size_t at;
    std::size_t layer;
  };

  /// There are so many places, not fewer than before.
  void grow(std::size_t places) {
    THALWEG_ASSERT(normal, places >= changes_.size());
    changes_.resize(places);
    seen_.resize(places);
  }
  /// Nothing is touched any more.
  void begin() {
    touched_.clear();
    ++round_;
  }
  void add(std::size_t at, std::size_t layer, double load) {
    if (!is_touched(at)) {
      seen_[at] = round_;
      changes_[at] = 0;
      touched_.push_back({at, layer});
    }
    changes_[at] += load;
  }

  bool is_touched(std::size_t at) const { return seen_[at] == round_; }
  /// Of a place that is touched.
  double operator[](std::size_t at) const {
    THALWEG_ASSERT(normal, is_touched(at));
    return changes_[at];
  }
  /// In the order in which they were touched first.
  const std::vector<LoadPlace>& touched() const { return touched_; }

private:
  std::vector<double> changes_;
  std::vector<std::uint32_t> seen_; ///< in which round each was touched
  std::uint32_t round_ = 1;
  std::vector<LoadPlace> touched_;
};

class LinkEnergy final : public Energy {
public:
  /// Keeps references to the routes, mapping and base loads, which are by link over its capacity, or empty.
  LinkEnergy(const std::vector<Layer>& layers, double hop_weight, Routes& routes, Mapping& mapping,
             const std::vector<double>& base_load);

  /// The norm's exponent is 2^doublings.
  void set_doublings(int doublings);

  const Mapping& mapping() const override { return *mapping_; }
  double value() const override { return value_; }
  double recomputed() const override;
  /// O(degree * hops).
  double delta(std::int32_t a, std::int32_t b) override;
  void swap(std::int32_t a, std::int32_t b, double change) override;

  /// Tasks at the ends of messages over links that have at least such a part of their layer's most loaded
  /// one's load. O(messages * hops).
  std::vector<std::int32_t> hot_tasks(double part) const;
  double load_max(std::size_t layer) const;
  /// The links of the only layer, the most loaded first.
  std::vector<std::size_t> ranking() const;
  /// The most loaded links behind the swap of the last delta(), of a state with this ranking.
  Peak peak_after(const std::vector<std::size_t>& ranking) const;

private:
  struct Sums { ///< of a layer
    double weight;
    double base_part;
    double power; ///< the sum of its links' powers
    double peak;  ///< the highest since it was last summed up from nothing
  };

  void sum_up(std::size_t layer);
  /// Makes room for links that were met since.
  void grow();
  std::size_t index(std::int32_t link, std::size_t layer) const {
    return static_cast<std::size_t>(link) * sums_.size() + layer;
  }
  /// Fills in loads of all layers' links, and gives their sum by weight.
  double count_loads(std::vector<double>& loads) const;

  double power(double load) const;
  double root(double sum) const;
  double energy(const std::vector<Sums>& sums, double total) const;
  void change(std::int32_t layer, std::int32_t from, std::int32_t to, double bytes);
  void collect(std::int32_t task, std::int32_t other, std::int32_t from, std::int32_t to);

  Routes* routes_;
  Mapping* mapping_;
  double hop_weight_;
  const std::vector<double>* base_load_;
  int doublings_ = 3;
  double scale_ = 1; ///< loads are divided by it before they are raised
  MessageEnds ends_;
  std::vector<double> loads_;  ///< by link and layer
  std::vector<double> powers_; ///< of the loads
  std::vector<Sums> sums_;
  double total_ = 0; ///< of all loads, by weight
  double value_ = 0;
  /// What the pair of the last delta() changes.
  std::int32_t a_ = -1;
  std::int32_t b_ = -1;
  LoadChanges changes_;
  std::vector<Sums> next_;
  double next_total_ = 0;
};

} // namespace thalweg::place

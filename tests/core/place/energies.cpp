// SPDX-License-Identifier: BSD-3-Clause
#include "place/annealing.hpp"
#include "place/energy.hpp"
#include "place/link_energy.hpp"
#include "place/objectives.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>
#include <map>

namespace thalweg::place {
namespace {

/// What swaps are said to change is what they change.
void expect_true_to_itself(Energy& energy, std::mt19937& random) {
  const std::int32_t size = energy.mapping().size();
  for (int step = 0; step < 30 && size > 1; ++step) {
    const auto a = static_cast<std::int32_t>(random() % static_cast<std::size_t>(size));
    const auto b = static_cast<std::int32_t>(random() % static_cast<std::size_t>(size));
    if (a == b)
      continue;
    const double before = energy.value();
    const double change = energy.delta(a, b);
    if (random() % 2 == 0)
      continue; // a delta alone changes nothing
    energy.swap(a, b, change);
    EXPECT_NEAR(energy.value(), before + change, 1e-9 * (1 + std::abs(before)));
    EXPECT_NEAR(energy.recomputed(), energy.value(), 1e-6 * (1 + energy.value()));
  }
}

TEST(Energies, AreTheSameKeptUpToDateAsFromNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 150; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto slots = static_cast<std::int32_t>(allocation.slots.size());
    const pattern::Pattern pattern = random_pattern(random, slots);
    Mapping mapping = Mapping::of(shuffled(random, slots));
    const Graph graph(pattern::sum(pattern), slots);
    const Distances distances(allocation);
    HopBytes hops(graph, distances, mapping);
    expect_true_to_itself(hops, random);
    EXPECT_DOUBLE_EQ(hops.value(), metrics(pattern, allocation, mapping.slot_of).hop_bytes);
    std::vector<Layer> layers;
    for (const pattern::Phase& phase : pattern.phases)
      layers.push_back({phase.matrix, phase.repeats, 0.5});
    const std::vector<double> base(static_cast<std::size_t>(allocation.interconnect->links()),
                                   static_cast<double>(random() % 2));
    Routes routes(allocation);
    LinkEnergy links(layers, 0.1, routes, mapping, base);
    links.set_doublings(static_cast<int>(random() % 5));
    expect_true_to_itself(links, random);
  }
}

TEST(LinkEnergy, ChangesAreThoseOfTheRoundAtHand) {
  std::mt19937 random(1);
  LoadChanges changes;
  std::map<std::size_t, double> model;
  std::size_t places = 0;
  for (int step = 0; step < 5000; ++step) {
    if (step % 50 == 0)
      changes.grow(places += 5);
    if (step % 13 == 0) {
      changes.begin();
      model.clear();
    }
    const std::size_t at = random() % places;
    const auto load = static_cast<double>(random() % 100);
    changes.add(at, at % 3, load);
    model[at] += load;
    ASSERT_EQ(changes.touched().size(), model.size());
    for (const auto& [touched, layer] : changes.touched()) {
      ASSERT_EQ(layer, touched % 3);
      ASSERT_EQ(changes[touched], model.at(touched));
    }
    for (std::size_t place = 0; place < places; ++place)
      ASSERT_EQ(changes.is_touched(place), model.contains(place));
  }
}

TEST(LinkEnergy, EndsAreTheMessagesOfEachTask) {
  std::mt19937 random(2);
  for (int round = 0; round < 30; ++round) {
    std::vector<Layer> layers;
    std::map<std::int32_t, std::pair<double, double>> model; // by task: bytes sent and received
    for (int layer = 0; layer < 3; ++layer) {
      layers.push_back({pattern::sum(random_pattern(random, 9)), 1, 0});
      for (const pattern::Edge& edge : layers.back().matrix.edges()) {
        model[edge.from].first += edge.bytes;
        model[edge.to].second += edge.bytes;
      }
    }
    const MessageEnds ends(layers, 9);
    for (std::int32_t task = 0; task < 9; ++task) {
      double sent = 0;
      double received = 0;
      for (const MessageEnds::End& end : ends.of(task)) {
        EXPECT_GT(end.bytes, 0);
        (end.is_sender ? sent : received) += end.bytes;
      }
      EXPECT_DOUBLE_EQ(sent, model[task].first);
      EXPECT_DOUBLE_EQ(received, model[task].second);
    }
  }
}

TEST(LinkEnergy, TendsToTheMostLoadedLink) {
  std::mt19937 random(4);
  const machine::Allocation allocation = whole("torus:4x3x2");
  for (int round = 0; round < 20; ++round) {
    const pattern::Pattern pattern{24, {{"", 1, pattern::sum(random_pattern(random, 24))}}};
    Mapping mapping = Mapping::of(shuffled(random, 24));
    Routes routes(allocation);
    const std::vector<double> none;
    LinkEnergy links({{pattern.phases[0].matrix, 1, 0}}, 0, routes, mapping, none);
    links.set_doublings(8);
    const double most = metrics(pattern, allocation, mapping.slot_of).link_max;
    EXPECT_DOUBLE_EQ(links.load_max(0), most);
    EXPECT_GE(links.value(), most * (1 - 1e-12));
    EXPECT_LE(links.value(), most * 1.02);
    for (const std::int32_t task : links.hot_tasks(1))
      EXPECT_TRUE(task >= 0 && task < 24);
  }
}

/// Two links equally loaded: no swap lowers the maximum, as one of them stays. The norm sees each that helps.
TEST(LinkEnergy, HasNoPlateaus) {
  const machine::Allocation allocation = whole("mesh:8");
  const pattern::Matrix pairs(8, {{0, 2, 1, 1}, {1, 3, 1, 1}, {4, 6, 1, 1}, {5, 7, 1, 1}});
  Mapping mapping = Mapping::identity(8);
  Routes routes(allocation);
  const std::vector<double> none;
  LinkEnergy links({{pairs, 1, 0}}, 0, routes, mapping, none);
  EXPECT_EQ(links.load_max(0), 2);
  EXPECT_LT(links.delta(1, 2), 0);
  links.swap(1, 2, 0);
  EXPECT_EQ(links.load_max(0), 2);
  links.swap(5, 6, links.delta(5, 6));
  EXPECT_EQ(links.load_max(0), 1);
}

TEST(Distances, AreTheSameLookedUpAndComputed) {
  std::mt19937 random(5);
  const machine::Allocation all = whole("torus:18x17x16"); // more than have a matrix
  const Distances computed(all);
  ASSERT_EQ(computed.row(0), nullptr);
  for (int round = 0; round < 1000; ++round) {
    const auto a = static_cast<std::int32_t>(random() % all.slots.size());
    const auto b = static_cast<std::int32_t>(random() % all.slots.size());
    EXPECT_EQ(computed(a, b), all.interconnect->hops(a, b));
  }
  const machine::Allocation few = random_allocation(random);
  const Distances looked_up(few);
  for (std::size_t a = 0; a < few.slots.size(); ++a)
    for (std::size_t b = 0; b < few.slots.size(); ++b)
      EXPECT_EQ(looked_up(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)),
                few.interconnect->hops(few.slots[a], few.slots[b]));
}

TEST(Vicinity, HasNearSlotsAndNeverTheSlotItself) {
  std::mt19937 random(6);
  for (const machine::Allocation& allocation :
       {whole("torus:18x17x16"), whole("mesh:9x8"), random_allocation(random)}) {
    const Distances distances(allocation);
    const Vicinity vicinity(distances);
    for (std::int32_t slot = 0; slot < distances.slots(); ++slot) {
      EXPECT_EQ(vicinity.of(slot).empty(), distances.slots() == 1);
      for (const std::int32_t near : vicinity.of(slot))
        EXPECT_NE(near, slot);
    }
  }
}

} // namespace
} // namespace thalweg::place

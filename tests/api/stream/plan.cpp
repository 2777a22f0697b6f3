// SPDX-License-Identifier: BSD-3-Clause

// Which meshes are thought of, and what a stream costs a rank, of many. No job is needed for one rank's end.

#include "stream/plan.hpp"

#include "nodes_of.hpp"
#include "stream/item_stream.hpp"
#include "thalweg/stream_items.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <numeric>

namespace thalweg::streams {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// All other ranks are far, and silent.
class Silent final : public Remote {
public:
  void send(Slot& slot, Rank) override { slot.is_free.store(1); }
  void progress() override {}
  Slot* receive(std::uint32_t, std::uint32_t) override { return nullptr; }
  void release(Slot&) override {}
  bool has_sends() const override { return false; }
};

std::vector<std::int32_t> one_a_node(std::int32_t ranks) {
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// Where each rank is a node of its own.
MeshPlan only_mesh(const PlanOptions& wishes, std::int32_t ranks) {
  return plan_stream(wishes, one_a_node(ranks)).meshes.front();
}

/// All slots and mailboxes of a rank, and what it receives into.
std::size_t buffer_bytes(const MeshPlan& plan) {
  return NodeMemory(1, plan.slots, plan.slot_bytes).bytes() +
         receive_slots(plan.shape.size()) * (sizeof(Slot) + plan.slot_bytes);
}

/// What one rank's end allocates beside its buffers.
std::size_t allocated_bytes(const MeshPlan& plan, std::int32_t ranks) {
  const NodeMemory layout(1, plan.slots, plan.slot_bytes);
  const std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(64, (layout.bytes() + 63) / 64 * 64)), std::free);
  std::memset(memory.get(), 0, layout.bytes());
  layout.begin(memory.get(), 0);
  const auto ignore = [](const std::uint64_t&) {};
  detail::item_sink<std::uint64_t, decltype(ignore)> sink(ignore);
  Silent silent;
  const Rank rank = ranks / 2;
  const std::size_t before = mallinfo2().uordblks;
  const Mesh mesh{.route = ItemRoute(plan.shape, ranks, rank),
                  .memory = layout,
                  .base = memory.get(),
                  .remote = &silent,
                  .fill_bytes = plan.fill_bytes};
  ItemStream stream(mesh, {.rank = rank, .ranks = ranks, .node_ranks = {rank}}, sink.functions(),
                    {.item_bytes = 8, .max_item_bytes = plan.slot_bytes, .max_slot_bytes = plan.slot_bytes},
                    std::make_shared<StreamSet>());
  sink.attach(stream.view());
  const std::size_t after = mallinfo2().uordblks;
  for (Rank to = 0; to < ranks; to += 97)
    detail::put(*stream.view(), static_cast<std::uint32_t>(to), std::uint64_t{1});
  stream.flush();
  return after - before;
}

TEST(StreamMemory, AHundredThousandRanksOnAMeshOfThreeDimensions) {
  constexpr std::int32_t ranks = 100'000;
  const MeshPlan plan = only_mesh({.item_bytes = 8, .buffer_bytes = 8192, .shape = "47x47x46"}, ranks);
  EXPECT_EQ(plan.slot_bytes, 8192U);
  EXPECT_LT(buffer_bytes(plan), 2 * mebibyte);
  // Links, mailboxes and pools: for its peers, not for all ranks.
  EXPECT_LT(allocated_bytes(plan, ranks), std::size_t{64} << 10);
}

TEST(StreamMemory, AThousandRanksWithoutAMesh) {
  constexpr std::int32_t ranks = 1024;
  const MeshPlan plan = only_mesh({.item_bytes = 8, .shape = "direct"}, ranks);
  EXPECT_LT(buffer_bytes(plan), 4 * mebibyte);
  EXPECT_GE(plan.slot_bytes, 2048U);
  EXPECT_LT(allocated_bytes(plan, ranks), std::size_t{256} << 10);
}

TEST(StreamMemory, WhatIsAskedForIsKept) {
  for (const std::int32_t ranks : {2, 3, 16, 100, 700})
    for (const std::size_t memory : {mebibyte, 2 * mebibyte, 16 * mebibyte}) {
      const MeshPlan plan = only_mesh({.item_bytes = 8, .memory_bytes = memory, .shape = "direct"}, ranks);
      const std::size_t mailboxes = std::size_t{128} << 10;
      EXPECT_LT(buffer_bytes(plan), memory + mailboxes) << ranks << " ranks, " << memory << " B";
    }
}

TEST(CandidateShapes, AllHoldAllRanksAndNoneComesTwice) {
  for (std::int32_t ranks = 1; ranks <= 300; ++ranks)
    for (const std::int32_t on_node : {1, 2, 3, 4, 7, 8, 16, 300}) {
      const std::vector<Shape> shapes = candidate_shapes(nodes_of(ranks, on_node));
      ASSERT_FALSE(shapes.empty());
      for (std::size_t number = 0; number < shapes.size(); ++number) {
        // The parser refuses what is no mesh of so many ranks.
        EXPECT_EQ(parse_shape(to_text(shapes[number]), ranks), shapes[number]) << ranks << ", " << on_node;
        for (std::size_t other = 0; other < number; ++other)
          EXPECT_NE(shapes[number], shapes[other]) << ranks << ", " << on_node;
      }
    }
}

TEST(CandidateShapes, FewRanksNeedNoMesh) {
  EXPECT_EQ(candidate_shapes(nodes_of(8, 2)), std::vector<Shape>{{8}});
}

TEST(CandidateShapes, NodesComeFirst) {
  EXPECT_EQ(candidate_shapes(nodes_of(16, 2)), (std::vector<Shape>{{16}, {2, 8}, {4, 4}, {4, 2, 2}}));
  EXPECT_EQ(candidate_shapes(nodes_of(64, 8)).front(), (Shape{8, 8}));
}

TEST(CandidateShapes, NodesOfDifferentSizesHaveAMeshToo) {
  const std::vector<std::int32_t> nodes{0, 0, 0, 1, 1, 2, 2, 2, 3, 3};
  const std::vector<Shape> shapes = candidate_shapes(nodes);
  EXPECT_NE(std::ranges::find(shapes, Shape{3, 4}), shapes.end());
}

} // namespace
} // namespace thalweg::streams

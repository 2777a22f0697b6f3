// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mesh_cost.hpp"

#include "base/arithmetic.hpp"
#include "model/item_costs.hpp"
#include "model/message_terms.hpp"
#include "stream/wave.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace thalweg::streams {

namespace {

using machine::Level;
using model::MessageTerms;

// Inside of a node a link that is closed costs a word that goes from core to core.
constexpr double close_seconds = 0.1e-6;

constexpr double first_bytes =
    4096;                           // of a phase's first buffer to another node: each is twice the one before
constexpr std::int32_t samples = 4; // ranks whose links are counted

/// How often a link sends, of so many bytes in a phase: at least its closing mark. Sums, products and nothing
/// else: ranks on different processors have to come to the same bits, which logarithms need not do.
double buffers(double bytes, double fill_bytes) {
  double count = 0;
  double next = std::min(first_bytes, fill_bytes);
  for (; next < fill_bytes && bytes > next; next = std::min(2 * next, fill_bytes)) {
    bytes -= next;
    ++count;
  }
  return count + std::max(1.0, std::ceil(bytes / next));
}

double tagged(double item_bytes) {
  return (item_bytes + sizeof(std::uint16_t)) / item_bytes;
}

} // namespace

MeshCost::MeshCost(machine::Machine machine, std::span<const std::int32_t> nodes, double ranks_of_core)
    : machine_(std::move(machine)), node_of_cell_(nodes.begin(), nodes.end()), ranks_of_core_(ranks_of_core) {
  std::ranges::sort(node_of_cell_);
  ranks_of_node_ = static_cast<double>(nodes.size()) / (node_of_cell_.back() + 1);
}

std::vector<MeshCost::Links> MeshCost::links_of(const Shape& shape) const {
  const auto ranks = static_cast<std::int32_t>(node_of_cell_.size());
  const topology::VirtualMesh mesh(ranks, shape);
  std::vector<Links> links(shape.size());
  const std::int32_t count = std::min(samples, ranks);
  for (std::int32_t sample = 0; sample < count; ++sample) {
    const auto cell = static_cast<Rank>(std::int64_t{sample} * ranks / count);
    for (std::size_t d = 0; d < shape.size(); ++d)
      for (const Rank peer : mesh.receivers(cell, static_cast<std::int32_t>(d))) {
        const bool is_near =
            node_of_cell_[static_cast<std::size_t>(peer)] == node_of_cell_[static_cast<std::size_t>(cell)];
        (is_near ? links[d].near : links[d].far) += 1.0 / count;
      }
  }
  return links;
}

double MeshCost::copies(const Shape& shape, double item_bytes) const {
  double copies = 1; // along the last dimension, to oneself too
  for (std::size_t d = 0; d + 1 < shape.size(); ++d)
    copies += tagged(item_bytes) * (shape[d] - 1.0) / shape[d];
  return copies;
}

double MeshCost::seconds(const Shape& shape, double fill_bytes, const Load& load) const {
  const MessageTerms near(machine_, Level::node);
  const MessageTerms far(machine_, Level::network);
  const double items = load.bytes / load.item_bytes;
  double processor = 0;
  double network = 0;
  double end = 0;
  const std::vector<Links> links = links_of(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_last = d + 1 == shape.size();
    const double side = shape[d];
    const double hops = is_last ? 1 : (side - 1) / side; // of an item
    const double bytes_of_item = is_last ? load.item_bytes : load.item_bytes * tagged(load.item_bytes);
    processor += items * hops * model::item_hop_seconds(bytes_of_item);
    processor += links[d].near * close_seconds;
    double last_buffer = 0;
    if (links[d].far > 0) {
      const double bytes = items * bytes_of_item / side; // along a link
      const double count = buffers(bytes, fill_bytes);
      const auto each = static_cast<std::int64_t>(bytes / count + 16);
      const double sent = links[d].far * count;
      processor += sent * (far.interval(each) + far.taking(each));
      network += ranks_of_node_ * sent * far.apart(each);
      last_buffer = far.hop(std::min<std::int64_t>(each, 64 << 10));
    }
    end += std::max(last_buffer, links[d].near > 0 ? near.hop(64) : 0);
  }
  const bool has_far = node_of_cell_.front() != node_of_cell_.back();
  const int rounds = ceil_log(QuiescenceCheck::radix,
                              static_cast<std::int64_t>(std::max<std::size_t>(node_of_cell_.size(), 2)));
  end += rounds * (has_far ? far : near).round(QuiescenceCheck::radix - 1, 64);
  return std::max(processor * ranks_of_core_, network) + end * ranks_of_core_;
}

} // namespace thalweg::streams

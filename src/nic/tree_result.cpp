// SPDX-License-Identifier: BSD-3-Clause
#include "nic/tree_result.hpp"

#include "base/assertion.hpp"

#include <algorithm>

namespace thalweg::nic {

namespace {

struct Cards {
  const ScheduleOf& schedule_of;
  const std::vector<std::int32_t>& nodes;
  std::span<const thalweg_nic_content> brought;
  const ElementOperator& by;

  HostView view(Rank rank) const { return lower(schedule_of, nodes, rank); }

  // Of the card of the host that the rank is on.
  thalweg_nic_content result(Rank rank) const {
    const HostView host = view(rank);
    std::vector<thalweg_nic_content> cells;
    for (const Rank local : host.locals)
      cells.push_back(brought[static_cast<std::size_t>(local)]);
    for (const Rank below : host.below)
      cells.push_back(result(below));
    return combined(cells);
  }

  // Blocks need a row that reaches from the first one to the end of the last one.
  thalweg_nic_content combined(const std::vector<thalweg_nic_content>& cells) const {
    thalweg_nic_content content{};
    std::uint32_t first = THALWEG_NIC_ROW;
    std::uint32_t end = 0;
    for (const thalweg_nic_content& cell : cells) {
      content.operation = cell.operation;
      if (cell.count == 0)
        continue;
      first = std::min<std::uint32_t>(first, cell.first);
      end = std::max<std::uint32_t>(end, cell.first + cell.count);
    }
    content.first = static_cast<std::uint16_t>(end == 0 ? 0 : first);
    content.count = static_cast<std::uint16_t>(end - content.first);
    if (by.combine != nullptr)
      combine_cells(content, cells, by);
    else
      combine_cells(content, cells);
    return content;
  }
};

} // namespace

thalweg_nic_content tree_result(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes,
                                std::span<const thalweg_nic_content> brought, const ElementOperator& by) {
  const Cards cards{schedule_of, nodes, brought, by};
  THALWEG_ASSERT(light, brought.size() == nodes.size());
  Rank top = 0;
  for (HostView view = cards.view(top); !view.is_root(); view = cards.view(top))
    top = view.parent;
  thalweg_nic_content result = cards.result(top);
  result.last = result.waited_us = 0;
  return result;
}

} // namespace thalweg::nic

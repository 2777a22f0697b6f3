#pragma once

#include "nic/combining.h"

#include <span>

namespace thalweg::nic {

/// What all contributors have brought, put together into `content`, which has what thalweg_nic_arrive says of
/// it.
inline void combine_cells(thalweg_nic_content& content, std::span<const thalweg_nic_content> cells) {
  if (thalweg_nic_has_long_rows(&content) != 0) {
    thalweg_nic_clear(&content);
    for (const thalweg_nic_content& cell : cells)
      thalweg_nic_join(&content, &cell);
    return;
  }
  content = cells.front();
  for (const thalweg_nic_content& cell : cells.subspan(1))
    thalweg_nic_combine(&content, &cell);
}

} // namespace thalweg::nic

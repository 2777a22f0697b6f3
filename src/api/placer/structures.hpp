// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Made from interfaces/ by `make interfaces`: how far a program's version may know a structure.

#include "boundary/sized.hpp"
#include "thalweg/place.h"

#include <cstddef>

namespace thalweg::boundary {

template <>
struct Known<thalweg_reorder_options> {
  static constexpr const char* name = "thalweg_reorder_options";
  static constexpr const char* initializer = "THALWEG_REORDER_OPTIONS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_reorder_options::objective, offsetof(thalweg_reorder_options, objective)),
      end_of(&thalweg_reorder_options::seconds, offsetof(thalweg_reorder_options, seconds)),
      end_of(&thalweg_reorder_options::gain, offsetof(thalweg_reorder_options, gain)),
      end_of(&thalweg_reorder_options::network, offsetof(thalweg_reorder_options, network)),
      end_of(&thalweg_reorder_options::node_list, offsetof(thalweg_reorder_options, node_list))};
};

template <>
struct Known<thalweg_reordering> {
  static constexpr const char* name = "thalweg_reordering";
  static constexpr const char* initializer = "THALWEG_REORDERING_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_reordering::is_renumbered, offsetof(thalweg_reordering, is_renumbered)),
      end_of(&thalweg_reordering::hops_per_byte, offsetof(thalweg_reordering, hops_per_byte)),
      end_of(&thalweg_reordering::hops_per_byte_before, offsetof(thalweg_reordering, hops_per_byte_before)),
      end_of(&thalweg_reordering::link_bytes, offsetof(thalweg_reordering, link_bytes)),
      end_of(&thalweg_reordering::link_bytes_before, offsetof(thalweg_reordering, link_bytes_before)),
      end_of(&thalweg_reordering::reason, offsetof(thalweg_reordering, reason))};
};

} // namespace thalweg::boundary

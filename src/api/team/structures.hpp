// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Made from interfaces/ by `make interfaces`: how far a program's version may know a structure.

#include "boundary/sized.hpp"
#include "thalweg/team.h"

#include <cstddef>

namespace thalweg::boundary {

template <>
struct Known<thalweg_team_call> {
  static constexpr const char* name = "thalweg_team_call";
  static constexpr const char* initializer = "THALWEG_TEAM_CALL_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_team_call::collective, offsetof(thalweg_team_call, collective)),
      end_of(&thalweg_team_call::input, offsetof(thalweg_team_call, input)),
      end_of(&thalweg_team_call::output, offsetof(thalweg_team_call, output)),
      end_of(&thalweg_team_call::count, offsetof(thalweg_team_call, count)),
      end_of(&thalweg_team_call::type, offsetof(thalweg_team_call, type)),
      end_of(&thalweg_team_call::op, offsetof(thalweg_team_call, op)),
      end_of(&thalweg_team_call::root, offsetof(thalweg_team_call, root)),
      end_of(&thalweg_team_call::before, offsetof(thalweg_team_call, before)),
      end_of(&thalweg_team_call::after, offsetof(thalweg_team_call, after)),
      end_of(&thalweg_team_call::file, offsetof(thalweg_team_call, file)),
      end_of(&thalweg_team_call::line, offsetof(thalweg_team_call, line))};
};

template <>
struct Known<thalweg_received> {
  static constexpr const char* name = "thalweg_received";
  static constexpr const char* initializer = "THALWEG_RECEIVED_INIT";
  static constexpr std::size_t ends[] = {end_of(&thalweg_received::from, offsetof(thalweg_received, from)),
                                         end_of(&thalweg_received::tag, offsetof(thalweg_received, tag)),
                                         end_of(&thalweg_received::bytes, offsetof(thalweg_received, bytes))};
};

template <>
struct Known<thalweg_team_transfer> {
  static constexpr const char* name = "thalweg_team_transfer";
  static constexpr const char* initializer = "THALWEG_TEAM_TRANSFER_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_team_transfer::memory, offsetof(thalweg_team_transfer, memory)),
      end_of(&thalweg_team_transfer::offset, offsetof(thalweg_team_transfer, offset)),
      end_of(&thalweg_team_transfer::data, offsetof(thalweg_team_transfer, data)),
      end_of(&thalweg_team_transfer::bytes, offsetof(thalweg_team_transfer, bytes)),
      end_of(&thalweg_team_transfer::blocks, offsetof(thalweg_team_transfer, blocks)),
      end_of(&thalweg_team_transfer::memory_stride, offsetof(thalweg_team_transfer, memory_stride)),
      end_of(&thalweg_team_transfer::data_stride, offsetof(thalweg_team_transfer, data_stride)),
      end_of(&thalweg_team_transfer::places, offsetof(thalweg_team_transfer, places)),
      end_of(&thalweg_team_transfer::signal, offsetof(thalweg_team_transfer, signal)),
      end_of(&thalweg_team_transfer::value, offsetof(thalweg_team_transfer, value)),
      end_of(&thalweg_team_transfer::kind, offsetof(thalweg_team_transfer, kind)),
      end_of(&thalweg_team_transfer::rank, offsetof(thalweg_team_transfer, rank))};
};

template <>
struct Known<thalweg_team_atomic> {
  static constexpr const char* name = "thalweg_team_atomic";
  static constexpr const char* initializer = "THALWEG_TEAM_ATOMIC_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_team_atomic::memory, offsetof(thalweg_team_atomic, memory)),
      end_of(&thalweg_team_atomic::offset, offsetof(thalweg_team_atomic, offset)),
      end_of(&thalweg_team_atomic::bytes, offsetof(thalweg_team_atomic, bytes)),
      end_of(&thalweg_team_atomic::value, offsetof(thalweg_team_atomic, value)),
      end_of(&thalweg_team_atomic::compare, offsetof(thalweg_team_atomic, compare)),
      end_of(&thalweg_team_atomic::result, offsetof(thalweg_team_atomic, result)),
      end_of(&thalweg_team_atomic::kind, offsetof(thalweg_team_atomic, kind)),
      end_of(&thalweg_team_atomic::rank, offsetof(thalweg_team_atomic, rank))};
};

} // namespace thalweg::boundary

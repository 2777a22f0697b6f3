// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The arguments of a team's collective in C++, and the same as thalweg/team.h wants it.

#include "thalweg/error.hpp"
#include "thalweg/team.h"

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>

namespace thalweg {

enum class collective {
  broadcast = thalweg_collective_broadcast,
  scatter = thalweg_collective_scatter,
  gather = thalweg_collective_gather,
  allgather = thalweg_collective_allgather,
  alltoall = thalweg_collective_alltoall,
  reduce = thalweg_collective_reduce,
  allreduce = thalweg_collective_allreduce,
  scan = thalweg_collective_scan,
  barrier = thalweg_collective_barrier, ///< for team::strategy()
  exscan = thalweg_collective_exscan,
  reduce_scatter = thalweg_collective_reduce_scatter,
};

enum class synchronization {
  none = thalweg_sync_none,
  mine = thalweg_sync_mine,
  all = thalweg_sync_all,
};

/// The synchronization of a call before it touches buffers, and before it ends.
struct call_synchronization {
  synchronization before = synchronization::mine;
  synchronization after = synchronization::mine;
};
/// Ordered globally, as if barriers stood around the call.
inline constexpr call_synchronization strict{synchronization::all, synchronization::all};
/// Data moves as soon as it can; a later barrier orders.
inline constexpr call_synchronization loose{synchronization::none, synchronization::none};

namespace detail {

/// MPI's type for a number; other types move as bytes and cannot be combined.
template <typename T>
MPI_Datatype number_type() {
  if constexpr (std::is_same_v<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, long double>)
    return MPI_LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, bool>)
    return MPI_CXX_BOOL;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1   ? MPI_INT8_T
           : sizeof(T) == 2 ? MPI_INT16_T
           : sizeof(T) == 4 ? MPI_INT32_T
                            : MPI_INT64_T;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? MPI_UINT8_T
           : sizeof(T) == 2 ? MPI_UINT16_T
           : sizeof(T) == 4 ? MPI_UINT32_T
                            : MPI_UINT64_T;
  else
    static_assert(std::is_arithmetic_v<T>, "reductions combine numbers");
}

/// The buffers of a collective, and how many units of `count` elements each has room for.
template <typename T>
struct team_buffers {
  static_assert(std::is_trivially_copyable_v<T>,
                "teams move bytes: elements must be trivially copyable, as numbers and plain structs are");
  std::span<const T> in;
  std::size_t in_units;
  std::span<T> out;
  std::size_t out_units;
  std::size_t count;
};

/// Which call, of which rank, with which synchronization, and where it stands in the program.
struct team_site {
  collective what;
  const char* name;
  int rank;
  call_synchronization when;
  std::source_location from;

  [[noreturn]] void refuse(const std::string& problem, const char* remedy) const {
    throw error(thalweg_error_invalid_argument, name, rank, problem, remedy);
  }
  void check_room(const char* buffer, std::size_t elements, std::size_t needed) const {
    if (elements > 0 && elements < needed)
      refuse(std::string(buffer) + " has " + std::to_string(elements) + " elements of the " +
                 std::to_string(needed) + " that the call needs",
             "give a longer span, or an empty one where the rank needs none");
  }
};

/// A call that moves bytes.
template <typename T>
thalweg_team_call moving(const team_site& site, const team_buffers<T>& buffers, int root) {
  site.check_room("the input", buffers.in.size(), buffers.in_units * buffers.count);
  site.check_room("the output", buffers.out.size(), buffers.out_units * buffers.count);
  thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
  call.collective = static_cast<thalweg_collective>(site.what);
  call.input = buffers.in.empty() ? nullptr : buffers.in.data();
  call.output = buffers.out.empty() ? nullptr : buffers.out.data();
  call.count = buffers.count * sizeof(T);
  call.root = root;
  call.before = static_cast<thalweg_sync>(site.when.before);
  call.after = static_cast<thalweg_sync>(site.when.after);
  call.file = site.from.file_name();
  call.line = static_cast<int>(site.from.line());
  return call;
}

/// A call that combines numbers.
template <typename T>
thalweg_team_call combining(const team_site& site, const team_buffers<T>& buffers, int root, MPI_Op op) {
  thalweg_team_call call = moving(site, buffers, root);
  call.type = number_type<T>();
  call.count = buffers.count;
  call.op = op;
  return call;
}

} // namespace detail

} // namespace thalweg

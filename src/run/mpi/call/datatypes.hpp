// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Datatypes: their sizes, remembered for predefined ones, and copies of their elements.

#include "base/of_process.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/call/collective_call.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace thalweg::mpi {

/// Does the library take the handle as a datatype of messages: one that exists, and is committed? What is
/// asked of the others below would go through the program's error handlers.
bool is_valid_type(MPI_Datatype datatype);

/// Handles of predefined types are never given to another type; those of others are, once they are freed.
bool is_predefined_type(MPI_Datatype datatype);

/// Of predefined types, as a thread has asked for them lately.
struct CachedSize {
  MPI_Datatype datatype;
  std::uint64_t bytes;
  bool valid;
};
using CachedSizes = std::array<CachedSize, 16>;

inline std::size_t cached_size_place(MPI_Datatype datatype) {
  const auto bits = static_cast<std::uint64_t>((std::uintptr_t)(datatype)) * 0x9E3779B97F4A7C15U;
  return bits >> 60;
}

inline bool is_size_known(MPI_Datatype datatype) {
  const CachedSize& known = PerThread<CachedSizes>::here()[cached_size_place(datatype)];
  return known.valid && known.datatype == datatype;
}

/// 0 for what is no datatype.
std::uint64_t ask_datatype_bytes(MPI_Datatype datatype);

inline std::uint64_t datatype_bytes(MPI_Datatype datatype) {
  const CachedSize& known = PerThread<CachedSizes>::here()[cached_size_place(datatype)];
  return known.valid && known.datatype == datatype ? known.bytes : ask_datatype_bytes(datatype);
}

inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype datatype) {
  return count > 0 ? static_cast<std::uint64_t>(count) * datatype_bytes(datatype) : 0;
}

/// Whether the elements lie one after the other in memory, each within its own extent.
bool are_elements_regular(MPI_Datatype type);

/// Copies between a program's typed buffers and rows of bytes: the data of `count` elements as bytes without
/// gaps. All return MPI's error code.
int pack(const std::byte* user, std::int64_t count, MPI_Datatype type, std::byte* row);
int unpack(const std::byte* row, std::byte* user, std::int64_t count, MPI_Datatype type);

/// Elements in their own layout, from one address to another; gaps are not touched.
int copy_elements(const std::byte* from, std::byte* to, std::int64_t count, MPI_Datatype type);

} // namespace thalweg::mpi

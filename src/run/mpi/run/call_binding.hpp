// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A collective call in the engine's words: which schedule operation it is, and its two buffers as units.

#include "engine/layout.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "schedule/problem.hpp"

#include <cstddef>
#include <vector>

namespace thalweg::mpi {

/// One side of a collective call, what it sends or what it receives, as units of bytes for the engine.
///
/// Contiguous datatypes are used where they lie. Others are packed into a row of our own first and unpacked
/// afterwards, which any datatype with the same signature on another rank fits. Reductions work on whole
/// elements: those of derived datatypes keep their layout, gaps and all, in the row, and only their data is
/// copied back.
struct TypeShape {
  std::int64_t size = 0;   ///< bytes of data
  std::int64_t extent = 0; ///< bytes from one element to the next
  bool named = false;      ///< predefined: nobody frees it
  bool contiguous = false; ///< elements are `size` bytes one after another from the address given
};

TypeShape shape_of(MPI_Datatype type);

class BufferBinding {
public:
  enum class Purpose { data, reduction };

  BufferBinding() = default;

  /// `units` units of `count` elements one after another.
  static BufferBinding uniform(void* address, int units, std::int64_t count, MPI_Datatype type,
                               Purpose purpose);
  /// Units of counts[u] elements, displacements[u] elements from the address.
  static BufferBinding varied(void* address, int units, const IntegerArray& counts,
                              const IntegerArray& displacements, MPI_Datatype type);
  /// Units of counts[u] elements of types[u], displacements[u] bytes from the address.
  static BufferBinding mixed(void* address, int units, const IntegerArray& counts,
                             const IntegerArray& displacements, const MPI_Datatype* types);
  /// Units of counts[u] elements one after another, for reductions.
  static BufferBinding row(void* address, int units, const IntegerArray& counts, MPI_Datatype type);

  bool is_uniform() const { return counts_.empty(); }
  bool needs_staging() const { return staged_; }
  /// Uses a row of our own although the data could be taken where it lies.
  void stage_always() { staged_ = true; }
  std::int64_t element_bytes() const { return element_bytes_; }
  std::int64_t unit_elements() const { return unit_elements_; }
  /// Elements of each unit; only of sides that are not uniform.
  const std::vector<std::int64_t>& counts() const { return counts_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  int units() const { return units_; }

  engine::Layout layout(int pieces) const;
  /// Bytes of the staging row.
  std::int64_t staging_bytes() const;
  /// Moves user data into the row, or back out of it. Return MPI's error code.
  int stage_in(std::byte* staging) const;
  int stage_out(std::byte* staging) const;
  /// Makes datatypes last until released, for calls that return before they have finished: those that are
  /// needed as it stands, or all.
  void retain_types();
  void keep_types();
  void release_types();
  /// The same, as long as this one keeps its types.
  BufferBinding borrowing() const;

  std::byte* address() const { return address_; }

private:
  struct Unit {
    std::int64_t offset;
    std::int64_t count;
    MPI_Datatype type;
  };
  Unit unit(int u) const;
  int move(std::byte* staging, bool in) const;
  void measure(MPI_Datatype type, Purpose purpose);

  std::byte* address_ = nullptr;
  int units_ = 0;
  Purpose purpose_ = Purpose::data;
  bool staged_ = false;
  std::vector<MPI_Datatype> retained_;
  std::int64_t element_bytes_ = 1;
  std::int64_t unit_elements_ = 0; ///< in elements of element_bytes_, as the engine counts
  std::int64_t unit_count_ = 0;    ///< in elements of the datatype, as the program counts
  std::int64_t extent_ = 0;
  std::vector<std::int64_t> counts_;  ///< in elements of element_bytes_
  std::vector<std::int64_t> offsets_; ///< bytes, as the program laid them
  std::vector<std::int64_t> user_counts_;
  std::vector<MPI_Datatype> types_; ///< one, or one a unit
};

struct CallBinding {
  schedule::Problem problem; ///< all but its parameters
  BufferBinding input;
  BufferBinding output;
  /// The input lies in the output buffer and must be copied first where the strategy does not support that.
  bool in_place = false;
  /// Bytes of units differ; elements of the canonical units where every rank knows them (allgatherv,
  /// reduce_scatter).
  bool unequal = false;
  std::vector<std::int64_t> canonical_units = {};
  /// The call may wait for other ranks before it returns.
  bool may_wait = false;
  /// For reductions: the element's type.
  MPI_Datatype type{};
};

/// Is the call one that the library takes, as far as anything of ours would stumble over it? Else it must say
/// what is wrong. Asked before all else: nothing may look at a handle of the program's before, for the
/// library would call the program's error handlers for us.
bool is_sound(const CollectiveCall& call, CommunicatorState& communicator);

/// Of a sound call: does the library take its buffers, too?
bool has_sound_buffers(const CollectiveCall& call, CommunicatorState& communicator);

/// Why the engine cannot do the call, the same on all ranks, or nullptr.
const char* objection(const CollectiveCall& call, CommunicatorState& communicator);

CallBinding bind_call(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi

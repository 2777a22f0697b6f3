// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A call's numbers as words that network devices combine (nic/combining.h).

#include <cstddef>
#include <optional>

#include "engine/reductions.hpp"
#include "mpi/call/collective_call.hpp"
#include "nic/combining.h"

namespace thalweg::mpi {

// Where the numbers of a predefined datatype are.
struct NicNumbers {
  engine::Number number = engine::Number::uint64;
  std::size_t stride = 0;
  bool is_located = false; // each has an int beside it, which says where it is (MPI_MINLOC)
  std::size_t where = 0;   // the int's place
};

class NicWords {
public:
  // Of a barrier, a reduce or an allreduce with up to 256 words of predefined types and operators, 1024 of
  // sums of integers. Else nothing, and why, for the report: the same on all ranks.
  static std::optional<NicWords> of(const CollectiveCall& call, int rank, const char*& why_not);

  // A barrier has one.
  std::size_t rows() const;
  // What this rank contributes in a row.
  void contribute(const CollectiveCall& call, std::size_t row, thalweg_nic_content& content) const;
  // Is the result for this rank? That of a reduce is for its root.
  bool is_wanted() const { return is_wanted_; }
  // Writes a row's result to where the call wants it.
  void deliver(const thalweg_nic_content& result, std::size_t row, const CollectiveCall& call) const;

private:
  // The numbers of a row.
  struct Row {
    std::size_t first;
    std::size_t count;
  };
  Row numbers_of_row(std::size_t row) const;
  std::size_t row_words() const;
  std::size_t words_each() const { return numbers_.is_located ? 2 : 1; }

  NicNumbers numbers_;
  std::uint32_t operation_ = 0;
  std::size_t count_ = 0; // of numbers
  bool is_wanted_ = true;
};

} // namespace thalweg::mpi

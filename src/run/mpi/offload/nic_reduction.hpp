// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Reductions on network devices: what of a call they can combine, as words of theirs.

#include "engine/reductions.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/offload/nic_operations.hpp"
#include "nic/combining.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace thalweg::mpi {

// A call's numbers as words that network devices combine (nic/combining.h).

/// Where the numbers of a predefined datatype are.
struct NicNumbers {
  engine::Number number = engine::Number::uint64;
  std::size_t stride = 0;
  bool is_located = false; ///< each has an int beside it, which says where it is (MPI_MINLOC)
  std::size_t where = 0;   ///< the int's place
};

class NicWords {
public:
  /// Of a barrier, a reduce or an allreduce with up to 256 words of predefined types and operators, 1024 of
  /// sums of integers. Else nothing, and why, for the report: the same on all ranks.
  static std::optional<NicWords> of(const CollectiveCall& call, int rank, const char*& why_not);

  /// A barrier has one.
  std::size_t rows() const;
  /// What this rank contributes in a row.
  void contribute(const CollectiveCall& call, std::size_t row, thalweg_nic_content& content) const;
  /// Is the result for this rank? That of a reduce is for its root.
  bool is_wanted() const { return is_wanted_; }
  /// Writes a row's result to where the call wants it.
  void deliver(const thalweg_nic_content& result, std::size_t row, const CollectiveCall& call) const;

private:
  /// The numbers of a row.
  struct Row {
    std::size_t first;
    std::size_t count;
  };
  Row numbers_of_row(std::size_t row) const;
  std::size_t row_words() const;
  std::size_t words_each() const { return numbers_.is_located ? 2 : 1; }

  NicNumbers numbers_;
  std::uint32_t operation_ = 0;
  std::size_t count_ = 0; ///< of numbers
  bool is_wanted_ = true;
};

/// A reduce or an allreduce with an operator of the program's own, which the network devices have too: what
/// lies in memory as words of 64 bits, with each element's in one packet.
class NicElements final : public NicGathering {
public:
  /// Of a commuting operator that has a name, on up to 256 words of elements without gaps. Else nothing, and
  /// why, for the report, where devices might have run it; the same on all ranks.
  static std::unique_ptr<NicOperation> of(const CollectiveCall& call, int rank, const char*& why_not);

  GroupOperator combiner() const override { return combiner_; }

private:
  NicElements(const CollectiveCall& call, const GroupOperator& combiner, std::size_t bytes, bool is_wanted);
  std::size_t rows() const override { return (count_ + in_row() - 1) / in_row(); }
  void contribute(std::size_t row, thalweg_nic_content& content) override;
  void deliver(std::size_t row, const thalweg_nic_content& result) override;
  nic::ElementOperator element_operator() override;
  /// Elements.
  std::size_t in_row() const { return THALWEG_NIC_WORDS / combiner_.words; }
  std::size_t count_of(std::size_t row) const;

  CollectiveCall call_;
  GroupOperator combiner_;
  std::size_t bytes_; ///< of an element
  std::size_t count_; ///< of elements
};

/// A barrier, a reduce or an allreduce, which the network devices combine.
class NicReduction final : public NicGathering {
public:
  NicReduction(const CollectiveCall& call, const NicWords& words)
      : NicGathering(function_name(call), words.is_wanted()), call_(call), words_(words) {}

private:
  std::size_t rows() const override { return words_.rows(); }
  void contribute(std::size_t row, thalweg_nic_content& content) override {
    words_.contribute(call_, row, content);
  }
  void deliver(std::size_t row, const thalweg_nic_content& result) override {
    words_.deliver(result, row, call_);
  }

  CollectiveCall call_;
  NicWords words_;
};

} // namespace thalweg::mpi

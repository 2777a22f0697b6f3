// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "mpi/offload/nic_gathering.hpp"

namespace thalweg::mpi {

// A reduce or an allreduce with an operator of the program's own, which the network devices have too: what
// lies in memory as words of 64 bits, with each element's in one packet.
class NicElements final : public NicGathering {
public:
  // Of a commuting operator that has a name, on up to 256 words of elements without gaps. Else nothing, and
  // why, for the report, where devices might have run it; the same on all ranks.
  static std::unique_ptr<NicOperation> of(const CollectiveCall& call, int rank, const char*& why_not);

  GroupOperator combiner() const override { return combiner_; }

private:
  NicElements(const CollectiveCall& call, const GroupOperator& combiner, std::size_t bytes, bool is_wanted);
  std::size_t rows() const override { return (count_ + in_row() - 1) / in_row(); }
  void contribute(std::size_t row, thalweg_nic_content& content) override;
  void deliver(std::size_t row, const thalweg_nic_content& result) override;
  nic::ElementOperator element_operator() override;
  // Elements.
  std::size_t in_row() const { return THALWEG_NIC_WORDS / combiner_.words; }
  std::size_t count_of(std::size_t row) const;

  CollectiveCall call_;
  GroupOperator combiner_;
  std::size_t bytes_; // of an element
  std::size_t count_; // of elements
};

} // namespace thalweg::mpi

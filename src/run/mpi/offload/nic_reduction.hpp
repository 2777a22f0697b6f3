// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/offload/nic_gathering.hpp"
#include "mpi/offload/nic_words.hpp"

namespace thalweg::mpi {

// A barrier, a reduce or an allreduce, which the network devices combine.
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

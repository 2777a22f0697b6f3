// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mpi/offload/nic_operation.hpp"

namespace thalweg::mpi {

// A call that the network devices gather: each rank brings words, and what all words combine to comes back.
// What is longer than a packet's words goes in rows, each of which is an operation of the group.
class NicGathering : public NicOperation {
public:
  int begin(NicGroup& group) override;
  bool advance(NicGroup& group) override;
  bool run(NicGroup& group, const wait::Policy& policy) override;
  int code() const override { return code_; }

protected:
  // `name`: the MPI function's. `is_wanted`: whether the result is for this rank. That of a reduce or a
  // gather is for its root.
  NicGathering(const char* name, bool is_wanted) : name_(name), is_wanted_(is_wanted) {}
  // As many as may be under way at once.
  static constexpr std::size_t rows_max = THALWEG_NIC_WINDOW;

private:
  // At most `rows_max`.
  virtual std::size_t rows() const = 0;
  // Before rows are filled, and when all results are there. Return MPI's error code.
  virtual int prepare() { return MPI_SUCCESS; }
  virtual int finish() { return MPI_SUCCESS; }
  // Fills in what this rank brings in a row.
  virtual void contribute(std::size_t row, thalweg_nic_content& content) = 0;
  // An operator of users, as this process has it.
  virtual nic::ElementOperator element_operator() { return {}; }
  // Takes a row's result.
  virtual void deliver(std::size_t row, const thalweg_nic_content& result) = 0;

  nic::MemberOperation& at(std::size_t row) { return row == 0 ? first_ : further_[row - 1]; }
  void start(nic::Member& member);
  void end_row(NicGroup& group);

  const char* name_;
  bool is_wanted_;
  std::size_t count_ = 0; // of rows
  // Most calls have one, and then no memory beside this.
  nic::MemberOperation first_;
  std::vector<nic::MemberOperation> further_;
  std::size_t ended_ = 0; // rows whose results were taken, or left; the first ones
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

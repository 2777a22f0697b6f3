// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The operations that network devices run: those that they gather, blocks and messages that they relay, and
// how calls that do not block go on.

#include "mpi/offload/nic_group.hpp"
#include "mpi/run/bound_run.hpp"
#include "mpi/run/pending_collective.hpp"

#include <memory>
#include <vector>

namespace thalweg::mpi {

/// A call that the network devices gather: each rank brings words, and what all words combine to comes back.
/// What is longer than a packet's words goes in rows, each of which is an operation of the group.
class NicGathering : public NicOperation {
public:
  int begin(NicGroup& group) override;
  bool advance(NicGroup& group) override;
  bool run(NicGroup& group, const wait::Policy& policy) override;
  int code() const override { return code_; }

protected:
  /// `name`: the MPI function's. `is_wanted`: whether the result is for this rank. That of a reduce or a
  /// gather is for its root.
  NicGathering(const char* name, bool is_wanted) : name_(name), is_wanted_(is_wanted) {}
  /// As many as may be under way at once.
  static constexpr std::size_t rows_max = THALWEG_NIC_WINDOW;

private:
  /// At most `rows_max`.
  virtual std::size_t rows() const = 0;
  /// Before rows are filled, and when all results are there. Return MPI's error code.
  virtual int prepare() { return MPI_SUCCESS; }
  virtual int finish() { return MPI_SUCCESS; }
  /// Fills in what this rank brings in a row.
  virtual void contribute(std::size_t row, thalweg_nic_content& content) = 0;
  /// An operator of users, as this process has it.
  virtual nic::ElementOperator element_operator() { return {}; }
  /// Takes a row's result.
  virtual void deliver(std::size_t row, const thalweg_nic_content& result) = 0;

  nic::MemberOperation& at(std::size_t row) { return row == 0 ? first_ : further_[row - 1]; }
  void start(nic::Member& member);
  void end_row(NicGroup& group);

  const char* name_;
  bool is_wanted_;
  std::size_t count_ = 0; ///< of rows
  /// Most calls have one, and then no memory beside this.
  nic::MemberOperation first_;
  std::vector<nic::MemberOperation> further_;
  std::size_t ended_ = 0; ///< rows whose results were taken, or left; the first ones
  int code_ = MPI_SUCCESS;
};

/// A gather or an allgather of short blocks: each rank brings the words that its block is in, with zeros
/// beside it, and the network devices put all of them together.
class NicBlocks final : public NicGathering {
public:
  /// Of blocks that are not empty, all of them in 1024 words. Else nothing, and why, for the report: the same
  /// on all ranks.
  static std::unique_ptr<NicOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                          const char*& why_not);

  NicBlocks(const CollectiveCall& call, CommunicatorState& communicator);

private:
  std::size_t rows() const override;
  int prepare() override { return buffers_.stage_in(); }
  int finish() override { return buffers_.stage_out(); }
  void contribute(std::size_t row, thalweg_nic_content& content) override;
  void deliver(std::size_t row, const thalweg_nic_content& result) override;

  /// The bytes of a row, of all ranks' blocks one behind the other.
  struct Row {
    std::size_t begin;
    std::size_t end;
  };
  Row bytes_of(std::size_t row) const;

  BoundBuffers buffers_;
  std::size_t ranks_;
};

/// A broadcast or a scatter that the network devices relay. All that a root scatters goes to all hosts, where
/// each rank takes its own. The root is done when its own device has the message.
class NicRelaying final : public NicOperation {
public:
  /// Of a message that is not empty, and of 88 KiB at most. Else nothing, and why, for the report: the same
  /// on all ranks.
  static std::unique_ptr<NicOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                          const char*& why_not);

  NicRelaying(const CollectiveCall& call, CommunicatorState& communicator);

  int begin(NicGroup& group) override;
  bool advance(NicGroup& group) override;
  bool run(NicGroup& group, const wait::Policy& policy) override;
  int code() const override { return code_; }

private:
  std::span<std::byte> message();
  void deliver();

  BoundBuffers buffers_;
  std::size_t bytes_;
  bool scatters_;
  std::vector<std::byte> all_; ///< of a scatter, on ranks that are not its root
  nic::MemberBroadcast relayed_;
  int code_ = MPI_SUCCESS;
};

/// A nonblocking or persistent collective on the network devices, which goes on while the program computes.
/// Where it turns out that they cannot run it, our engine does.
class NicCollective final : public BackgroundCall {
public:
  /// `name`: the MPI function's.
  NicCollective(std::shared_ptr<NicGroup> group, std::unique_ptr<NicOperation> operation, const char* name);
  /// The same call on the engine; not needed where the group is known to be on devices, and they were not
  /// lost when it was begun.
  void fall_back_on(std::unique_ptr<PendingCollective> fallback) { fallback_ = std::move(fallback); }

  /// Begins the run.
  void start();
  bool progress() noexcept override;
  void restart() noexcept override { start(); }
  int code() const noexcept override { return code_; }

private:
  bool advance();
  bool advance_on_engine();

  std::shared_ptr<NicGroup> group_;
  std::unique_ptr<NicOperation> operation_;
  const char* name_;
  std::unique_ptr<PendingCollective> fallback_;
  std::uint32_t first_epoch_ = 0;
  bool is_on_engine_ = false;
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

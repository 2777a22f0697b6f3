// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An execution for calls in which only a block's sender and its receiver know its size (gatherv, scatterv,
// alltoallv), by schedules in which ranks between them pass blocks on.
//
// Messages describe themselves: each begins with the lengths of its blocks, of which an empty one takes a
// byte. So nobody has to ask for sizes before, and what is passed on lies where it came. A short message is
// one message of the transport. Of a longer one the beginning comes first; then its receiver has room for the
// rest.

#include "engine/execution.hpp"
#include "schedule/schedule.hpp"

namespace thalweg::engine {

class SelfDescribingExecution final : public Runnable {
public:
  /// Bytes that a receiver awaits without knowing how many will come.
  static constexpr std::size_t beginning_bytes = 8192;

  /// The schedule combines nothing and writes each scratch block once. It and the batch are borrowed for
  /// life.
  SelfDescribingExecution(const schedule::Schedule& schedule, transport::Batch& batch);
  SelfDescribingExecution(const SelfDescribingExecution&) = delete;
  SelfDescribingExecution& operator=(const SelfDescribingExecution&) = delete;

  /// A buffer of the call, and which of its bytes a block is.
  struct Side {
    std::byte* data = nullptr; ///< of inputs never written
    Layout layout = {};
  };

  /// Begins a run; nothing may be under way. Memory is borrowed until it has finished.
  void start(Side input, Side output, Tags tags);
  bool progress() override;
  void run() override;
  std::size_t stage() const override { return stage_; }

private:
  struct Memory {
    std::unique_ptr<std::byte[]> data = {};
    std::size_t bytes = 0;
    /// At least `wanted` bytes; the first `kept` of what was there stay.
    std::byte* grow(std::size_t wanted, std::size_t kept = 0);
  };
  struct Place {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
  };
  struct StepState {
    std::int32_t sequence = 0; ///< number among the messages with this peer in this direction
    std::uint32_t predecessors_left = 0;
    int parts_in_flight = 0;
    bool awaits_beginning = false;
    Memory memory = {};         ///< of the message, or of what is copied to scratch
    std::byte* rest = nullptr;  ///< where what follows the beginning is, or goes
    std::size_t head_bytes = 0; ///< of the message's size and lengths; 0: they are not known yet
  };

  struct MessageSize {
    std::size_t head_bytes = 0;
    std::size_t block_bytes = 0;
    std::byte* begin = nullptr; ///< of the blocks, if they are neighbors in memory
    std::size_t total() const { return head_bytes + block_bytes; }
    /// The rest of a long message need not be copied if it is in one piece.
    bool is_direct() const {
      return begin != nullptr && total() > beginning_bytes && head_bytes <= beginning_bytes;
    }
  };

  std::span<const schedule::BlockRange> blocks_of(std::uint32_t s) const;
  Place place(schedule::Buffer buffer, std::int32_t block) const;
  /// Where an output block goes that came with this length.
  std::byte* home(std::uint32_t s, std::int32_t block, std::int64_t bytes) const;
  transport::Message part(std::uint32_t s, int number, std::byte* data, std::size_t bytes) const;

  void start_stage();
  void drain_ready();
  /// Starts a step; true if it has finished at once.
  bool start_step(std::uint32_t s);
  void copy(std::uint32_t s);
  /// Finds the places of the blocks that are to be sent.
  MessageSize measure_message(std::uint32_t s);
  void write_message(std::uint32_t s, const MessageSize& size);
  void send(std::uint32_t s);
  void finish_messages(std::span<const int> ids);
  void receive_rest(std::uint32_t s, std::size_t total);
  /// Where all of the message's blocks go if these are neighbors in the output; nullptr if they are not.
  std::byte* common_home(std::uint32_t s);
  /// Reads the lengths of a message of which so many bytes are here; false if some are missing.
  bool read_lengths(std::uint32_t s, std::size_t here);
  void take_message(std::uint32_t s);

  const schedule::Schedule& schedule_;
  transport::Batch& batch_;
  schedule::Successors successors_;
  Side input_;
  Side output_;
  Tags tags_;
  std::size_t stage_ = 0;
  bool stage_started_ = false;
  std::uint32_t unfinished_ = 0;
  std::vector<StepState> states_;
  std::vector<Place> scratch_;
  std::vector<Place> places_;         ///< of the blocks at work
  std::vector<std::int64_t> lengths_; ///< of the message at work
  std::vector<std::uint32_t> ready_;
  std::vector<int> finished_;
};

} // namespace thalweg::engine

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_operations.hpp"

#include "base/assertion.hpp"
#include "mpi/state/runtime.hpp"
#include "strategies/host_tree.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

namespace thalweg::mpi {

int NicGathering::begin(NicGroup& group) {
  ended_ = 0;
  code_ = prepare();
  count_ = rows();
  THALWEG_ASSERT(light, count_ <= rows_max);
  further_.resize(count_ == 0 ? 0 : count_ - 1);
  std::uint32_t epoch = group.begin_epochs(static_cast<std::uint32_t>(count_));
  for (std::size_t row = 0; row < count_; ++row) {
    at(row) = nic::MemberOperation{.epoch = epoch++};
    contribute(row, at(row).content);
    at(row).content.last = static_cast<std::uint32_t>(group.rank()) + 1;
  }
  if (group.is_settled() && group.member() != nullptr)
    start(*group.member());
  return code_;
}

void NicGathering::start(nic::Member& member) {
  for (std::size_t row = ended_; row < count_; ++row)
    if (!at(row).is_started)
      member.start(at(row));
}

void NicGathering::end_row(NicGroup& group) {
  THALWEG_ASSERT(light, ended_ < count_ && is_wanted_);
  const thalweg_nic_content& result = at(ended_).content;
  deliver(ended_, result);
  if (++ended_ < count_)
    return;
  code_ = finish();
  group.note_last(name_, result.last, result.waited_us);
}

bool NicGathering::advance(NicGroup& group) {
  start(*group.member());
  for (; ended_ < count_ && !is_wanted_; ++ended_)
    if (!group.member()->leave(at(ended_)) && !group.recovery().takes(at(ended_)))
      return false;
  while (ended_ < count_) {
    if (!group.member()->look(at(ended_)) && !group.recovery().ends(at(ended_), element_operator()))
      return false;
    end_row(group);
  }
  return true;
}

bool NicGathering::run(NicGroup& group, const wait::Policy& policy) {
  start(*group.member());
  while (is_wanted_ && ended_ < count_) {
    if (!group.member()->run(at(ended_), policy))
      return false;
    end_row(group);
  }
  if (is_wanted_)
    return true;
  bool is_done = false;
  const auto leave = [&] {
    is_done = !group.is_lost() && advance(group);
    return is_done || group.is_lost() ? wait::Look::reached : wait::Look::nothing;
  };
  wait::until(policy, leave);
  return is_done;
}

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t row_bytes = THALWEG_NIC_ROW * word_bytes;

} // namespace

std::unique_ptr<NicOperation> NicBlocks::of(const CollectiveCall& call, CommunicatorState& communicator,
                                            const char*& why_not) {
  auto blocks = std::make_unique<NicBlocks>(call, communicator);
  const std::size_t bytes = blocks->buffers_.unit_bytes();
  static_assert(rows_max * row_bytes == 8192 && strategies::device_gather_bytes == 8192);
  if (bytes < 1 || bytes > rows_max * row_bytes / blocks->ranks_) {
    why_not = "no or of more than 8192 bytes in all";
    return nullptr;
  }
  return blocks;
}

NicBlocks::NicBlocks(const CollectiveCall& call, CommunicatorState& communicator)
    : NicGathering(function_name(call),
                   call.function->operation == Operation::allgather || communicator.rank == call.root),
      buffers_(call, communicator), ranks_(static_cast<std::size_t>(communicator.size)) {}

std::size_t NicBlocks::rows() const {
  return (ranks_ * buffers_.unit_bytes() + row_bytes - 1) / row_bytes;
}

NicBlocks::Row NicBlocks::bytes_of(std::size_t row) const {
  return {row * row_bytes, std::min((row + 1) * row_bytes, ranks_ * buffers_.unit_bytes())};
}

void NicBlocks::contribute(std::size_t row, thalweg_nic_content& content) {
  const auto [begin, end] = bytes_of(row);
  content.operation = THALWEG_NIC_PLACE;
  const std::size_t bytes = buffers_.unit_bytes();
  const std::size_t own = static_cast<std::size_t>(buffers_.rank()) * bytes;
  const std::size_t from = std::max(own, begin);
  const std::size_t to = std::min(own + bytes, end);
  if (from >= to) // its block is in another row
    return;
  const std::size_t first = (from - begin) / word_bytes;
  const std::size_t behind = (to - begin + word_bytes - 1) / word_bytes;
  THALWEG_ASSERT(light, first < behind && behind <= THALWEG_NIC_ROW);
  content.first = static_cast<std::uint16_t>(first);
  content.count = static_cast<std::uint16_t>(behind - first);
  std::memcpy(reinterpret_cast<std::byte*>(content.words) + (from - begin - first * word_bytes),
              buffers_.input() + (from - own), to - from);
}

void NicBlocks::deliver(std::size_t row, const thalweg_nic_content& result) {
  const auto [begin, end] = bytes_of(row);
  std::memcpy(buffers_.output() + begin, result.words, end - begin);
}

namespace {

constexpr std::size_t relayed_bytes_max = std::size_t{THALWEG_NIC_SEGMENTS} * THALWEG_NIC_SEGMENT_BYTES;
static_assert(relayed_bytes_max == strategies::device_message_bytes);

} // namespace

std::unique_ptr<NicOperation> NicRelaying::of(const CollectiveCall& call, CommunicatorState& communicator,
                                              const char*& why_not) {
  auto relaying = std::make_unique<NicRelaying>(call, communicator);
  // Ranks may have other datatypes, but all of them as many bytes.
  const std::size_t units = relaying->scatters_ ? static_cast<std::size_t>(communicator.size) : 1;
  const std::size_t unit_bytes = relaying->buffers_.unit_bytes();
  if (unit_bytes < 1 || unit_bytes > relayed_bytes_max / units) {
    why_not = "no or of more than 90112 bytes";
    return nullptr;
  }
  relaying->bytes_ = units * unit_bytes;
  return relaying;
}

NicRelaying::NicRelaying(const CollectiveCall& call, CommunicatorState& communicator)
    : buffers_(call, communicator), bytes_(0), scatters_(call.function->operation == Operation::scatter) {}

std::span<std::byte> NicRelaying::message() {
  if (!scatters_)
    return {buffers_.output(), bytes_};
  if (buffers_.is_root())
    return {buffers_.input(), bytes_};
  all_.resize(bytes_);
  return all_;
}

int NicRelaying::begin(NicGroup& group) {
  code_ = buffers_.stage_in();
  relayed_ = {.message = message(), .epoch = group.begin_epochs(1)};
  if (group.is_settled() && group.relay() != nullptr)
    group.relay()->start(relayed_);
  return code_;
}

void NicRelaying::deliver() {
  THALWEG_ASSERT(light, relayed_.message.size() == bytes_);
  if (scatters_) { // in place, the root has its own already
    const std::size_t unit_bytes = buffers_.unit_bytes();
    const std::byte* own = relayed_.message.data() + static_cast<std::size_t>(buffers_.rank()) * unit_bytes;
    if (own != buffers_.output())
      std::memcpy(buffers_.output(), own, unit_bytes);
  }
  code_ = buffers_.stage_out();
}

bool NicRelaying::advance(NicGroup& group) {
  if (!group.relay()->look(relayed_) && !group.recovery().ends(relayed_))
    return false;
  deliver();
  return true;
}

bool NicRelaying::run(NicGroup& group, const wait::Policy& policy) {
  if (!group.relay()->run(relayed_, policy))
    return false;
  deliver();
  return true;
}

NicCollective::NicCollective(std::shared_ptr<NicGroup> group, std::unique_ptr<NicOperation> operation,
                             const char* name)
    : group_(std::move(group)), operation_(std::move(operation)), name_(name) {}

void NicCollective::start() {
  is_on_engine_ = false;
  first_epoch_ = group_->next_epoch();
  code_ = operation_->begin(*group_);
}

bool NicCollective::progress() noexcept {
  try {
    return advance();
  } catch (const std::exception& error) {
    log_line(std::string(name_) + " failed inside of Thalweg: " + error.what());
    code_ = MPI_ERR_INTERN;
  }
  return true;
}

bool NicCollective::advance() {
  if (group_->settle() != wait::Look::reached)
    return false;
  switch (group_->runner_of(first_epoch_)) {
  case NicRecovery::Runner::engine:
    return advance_on_engine();
  case NicRecovery::Runner::unknown:
    return false;
  case NicRecovery::Runner::group:
    break;
  }
  if (!operation_->advance(*group_))
    return false;
  code_ = operation_->code();
  return true;
}

bool NicCollective::advance_on_engine() {
  if (!is_on_engine_) {
    THALWEG_ASSERT(light, fallback_ != nullptr);
    is_on_engine_ = true;
    fallback_->restart();
  }
  if (!fallback_->progress())
    return false;
  fallback_->finish();
  code_ = fallback_->code();
  return true;
}

} // namespace thalweg::mpi

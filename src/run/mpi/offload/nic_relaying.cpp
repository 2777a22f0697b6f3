// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_relaying.hpp"

#include <cstring>

#include "strategies/host_tree.hpp"

namespace thalweg::mpi {

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

} // namespace thalweg::mpi

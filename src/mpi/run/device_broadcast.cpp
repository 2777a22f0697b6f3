#include "mpi/run/device_broadcast.hpp"

namespace thalweg::mpi {

namespace {

constexpr std::int64_t longest_bytes = std::int64_t{THALWEG_NIC_SEGMENTS} * THALWEG_NIC_SEGMENT_BYTES;

} // namespace

std::unique_ptr<DeviceOperation> DeviceBroadcast::of(const CollectiveCall& call,
                                                     CommunicatorState& communicator, const char*& why_not) {
  const std::int64_t size = shape_of(call.recvtype).size;
  // Ranks may have other datatypes, but all of them as many bytes.
  if (size < 1 || call.recvcount < 1 || call.recvcount > longest_bytes / size) {
    why_not = "no or of more than 90112 bytes";
    return nullptr;
  }
  return std::make_unique<DeviceBroadcast>(bind_call(call, communicator), communicator.rank,
                                           static_cast<std::size_t>(call.recvcount * size),
                                           call.function->mode != Mode::blocking);
}

DeviceBroadcast::DeviceBroadcast(CallBinding bound, Rank rank, std::size_t bytes, bool outlives_call)
    : bound_(std::move(bound)), rank_(rank), bytes_(bytes), outlives_call_(outlives_call) {
  if (outlives_call_)
    bound_.output.retain_types();
}

DeviceBroadcast::~DeviceBroadcast() {
  if (outlives_call_)
    bound_.output.release_types();
}

int DeviceBroadcast::begin(DeviceGroup& group) {
  code_ = stage_in(bound_, rank_, storage_, buffers_);
  broadcast_ = {.message = {buffers_.output, bytes_}, .epoch = group.next_epoch()};
  if (group.is_settled() && group.relay() != nullptr)
    group.relay()->start(broadcast_);
  return code_;
}

bool DeviceBroadcast::advance(DeviceGroup& group) {
  if (!group.relay()->look(broadcast_))
    return false;
  code_ = stage_out(bound_, rank_, buffers_);
  return true;
}

void DeviceBroadcast::run(DeviceGroup& group, const wait::Policy& policy) {
  group.relay()->run(broadcast_, policy);
  code_ = stage_out(bound_, rank_, buffers_);
}

} // namespace thalweg::mpi

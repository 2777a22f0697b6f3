#include "mpi/run/device_blocks.hpp"

#include <cstring>

namespace thalweg::mpi {

namespace {

constexpr std::size_t gathered_bytes_max = THALWEG_NIC_WORDS * sizeof(std::uint64_t);

} // namespace

std::unique_ptr<DeviceOperation> DeviceBlocks::of(const CollectiveCall& call, CommunicatorState& communicator,
                                                  const char*& why_not) {
  auto blocks = std::make_unique<DeviceBlocks>(call, communicator);
  const std::size_t bytes = blocks->buffers_.unit_bytes();
  if (bytes < 1 || bytes > gathered_bytes_max / blocks->ranks_) {
    why_not = "no or of more than 256 bytes in all";
    return nullptr;
  }
  return blocks;
}

DeviceBlocks::DeviceBlocks(const CollectiveCall& call, CommunicatorState& communicator)
    : DeviceGathering(function_name(call),
                      call.function->operation == Operation::allgather || communicator.rank == call.root),
      buffers_(call, communicator), ranks_(static_cast<std::size_t>(communicator.size)) {}

int DeviceBlocks::contribute(thalweg_nic_content& content) {
  const int code = buffers_.stage_in();
  const std::size_t bytes = buffers_.unit_bytes();
  constexpr std::size_t word = sizeof(std::uint64_t);
  content.operation = THALWEG_NIC_INTEGER * 8 + THALWEG_NIC_OR;
  content.count = thalweg_nic_length(static_cast<std::uint32_t>((ranks_ * bytes + word - 1) / word));
  auto* const row = reinterpret_cast<std::byte*>(content.words);
  if (code == MPI_SUCCESS)
    std::memcpy(row + static_cast<std::size_t>(buffers_.rank()) * bytes, buffers_.input(), bytes);
  return code;
}

int DeviceBlocks::deliver(const thalweg_nic_content& result) {
  std::memcpy(buffers_.output(), result.words, ranks_ * buffers_.unit_bytes());
  return buffers_.stage_out();
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "strategies/host_tree.hpp"

namespace thalweg::mpi {

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
  content.first = static_cast<std::uint16_t>(first);
  content.count = static_cast<std::uint16_t>(behind - first);
  std::memcpy(reinterpret_cast<std::byte*>(content.words) + (from - begin - first * word_bytes),
              buffers_.input() + (from - own), to - from);
}

void NicBlocks::deliver(std::size_t row, const thalweg_nic_content& result) {
  const auto [begin, end] = bytes_of(row);
  std::memcpy(buffers_.output() + begin, result.words, end - begin);
}

} // namespace thalweg::mpi

#pragma once

// Messages between the processes of a node through memory that they share.

#include "transport/shm/port.hpp"
#include "transport/waiting.hpp"

namespace thalweg::transport {

/// How the channels of a group lie in its segment.
class GroupMemory {
public:
  explicit GroupMemory(std::int32_t ranks);
  std::size_t bytes() const;
  ChannelMemory channel(std::byte* memory, Rank from, Rank to) const;

private:
  std::size_t ranks_;
  std::size_t ring_bytes_;
};

/// The end of `rank` in a group of `ranks` whose memory is `memory`: GroupMemory(ranks).bytes() zeros, aligned
/// to cache lines, which must outlive the transport and its batches. `threaded` if several threads use it.
std::unique_ptr<Transport> make_shm_transport(std::byte* memory, Rank rank, std::int32_t ranks,
                                              const Waiting& waiting, bool threaded);

} // namespace thalweg::transport

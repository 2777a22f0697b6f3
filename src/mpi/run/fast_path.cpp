#include "mpi/run/fast_path.hpp"

#include "mpi/run/recent_calls.hpp"

namespace thalweg::mpi {

namespace {

std::uint64_t hash_of(const IntegerArray& array, std::size_t length, std::uint64_t hash) {
  for (std::size_t index = 0; array && index < length; ++index) {
    hash = (hash ^ static_cast<std::uint64_t>(array[index])) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

std::uint64_t hash_of(const CallArrays& arrays, ArraySides sides, std::size_t length) {
  std::uint64_t hash = 1;
  if (sides.send)
    hash = hash_of(arrays.senddispls, length, hash_of(arrays.sendcounts, length, hash));
  if (sides.receive)
    hash = hash_of(arrays.recvdispls, length, hash_of(arrays.recvcounts, length, hash));
  return hash;
}

} // namespace

bool FastPathEntry::has_arrays(const CallArrays& arrays) const {
  return repeated != nullptr ||
         hash_of(arrays, sides, static_cast<std::size_t>(communicator->size)) == arrays_hash;
}

void cache_on_fast_path(const CollectiveCall& call, CommunicatorState& communicator, RecentCall* remembered,
                        std::uint32_t* calls_left, const Note& note) {
  if (call.function->fast_path_slot < 0 || communicator.inter ||
      !is_identified_by_handles(call, communicator.rank))
    return;
  const CallSignature signature = signature_of(call);
  const ArraySides sides = array_sides(call, communicator.rank);
  fast_path_entry(static_cast<std::size_t>(call.function->fast_path_slot), signature) = {
      signature,  call_epoch.load(std::memory_order_relaxed),
      remembered, &communicator,
      calls_left, note,
      sides,      hash_of(arrays_of(call), sides, static_cast<std::size_t>(communicator.size))};
}

} // namespace thalweg::mpi

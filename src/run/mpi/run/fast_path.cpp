// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/fast_path.hpp"

#include "base/assertion.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/state/process_state.hpp"

namespace thalweg::mpi {

bool FastPathEntry::has_arrays(const CallArrays& arrays) const {
  if (repeated != nullptr)
    return repeated->has_arrays(arrays);
  return hash_of(arrays, sides, static_cast<std::size_t>(communicator->size)) == arrays_hash;
}

void cache_on_fast_path(const CollectiveCall& call, CommunicatorState& communicator, RecentCall* remembered,
                        std::uint32_t* calls_left, const Note& note) {
  THALWEG_ASSERT(light, remembered == nullptr || !remembered->is_empty());
  THALWEG_ASSERT(light, note.row == nullptr || note.implementation != nullptr);
  const std::uint64_t passage = process.passage.now();
  if (call.function->fast_path_slot < 0 || communicator.inter || !Passage::is_quiet(passage) ||
      !Passage::is_untraced(passage) || !is_identified_by_handles(call, ranks_of(communicator)))
    return;
  const CallSignature signature = signature_of(call);
  const CallArrays arrays = arrays_of(call);
  const MPI_Count count =
      arrays.recvcounts || arrays.sendcounts ? count_of_rows(call.comm, arrays) : signature.recvcount;
  const ArraySides sides = array_sides(call, communicator.rank);
  // Of calls that are made natively, the library judges the buffers.
  const BufferNeeds needs =
      remembered == nullptr ? BufferNeeds{} : buffer_needs(call, ranks_of(communicator));
  PerThread<FastPathCache>::own()[fast_path_place(static_cast<std::size_t>(call.function->fast_path_slot),
                                                  count, signature.root)] = {
      signature,
      passage,
      remembered,
      &communicator,
      calls_left,
      note,
      sides,
      hash_of(arrays, sides, static_cast<std::size_t>(communicator.size)),
      HostBuffers(needs)};
}

} // namespace thalweg::mpi

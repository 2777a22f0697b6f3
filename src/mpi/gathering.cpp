#include "mpi/gathering.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mpi/communicators.hpp"
#include "mpi/runtime.hpp"
#include "mpi/world.hpp"

namespace thalweg::mpi {

std::vector<std::vector<std::uint8_t>> gather_bytes(std::span<const std::uint8_t> own) {
  const bool root = runtime.world_rank == 0;
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(root ? static_cast<std::size_t>(runtime.world_size) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  native.Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  complete(request);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::vector<std::uint8_t> all(root ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0);
  native.Igatherv(own.data(), length, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE, 0,
                  MPI_COMM_WORLD, &request);
  complete(request);
  std::vector<std::vector<std::uint8_t>> result;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const auto first = all.begin() + offsets[rank];
    result.emplace_back(first, first + lengths[rank]);
  }
  return result;
}

void spread_bytes(void* data, std::size_t bytes) {
  const int rank = runtime.world_rank;
  const int ranks = runtime.world_size;
  const auto length = static_cast<int>(bytes);
  const int tag = spare_tag(MPI_COMM_WORLD);
  // A rank's parent is the one without its lowest bit; what it can reach is below that bit.
  const int lowest = rank == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))) : rank & -rank;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank != 0) {
    native.Irecv(data, length, MPI_BYTE, rank - lowest, tag, MPI_COMM_WORLD, &request);
    complete(request);
  }
  for (int reach = lowest / 2; reach > 0; reach /= 2) {
    if (rank + reach >= ranks)
      continue;
    native.Isend(data, length, MPI_BYTE, rank + reach, tag, MPI_COMM_WORLD, &request);
    complete(request);
  }
}

std::vector<std::uint8_t> share_rows(std::span<const std::uint8_t> own) {
  const int rank = runtime.world_rank;
  const int ranks = runtime.world_size;
  const std::size_t row = own.size();
  const int tag = spare_tag(MPI_COMM_WORLD);
  // A rank's subtree are some ranks from itself on, and their rows lie from its own on.
  std::vector<std::uint8_t> rows(row * static_cast<std::size_t>(ranks));
  std::uint8_t* const mine = rows.data() + row * static_cast<std::size_t>(rank);
  std::ranges::copy(own, mine);
  MPI_Request request = MPI_REQUEST_NULL;
  for (int reach = 1; reach < ranks; reach *= 2) {
    if ((rank & reach) != 0) {
      const int held = std::min(reach, ranks - rank);
      native.Isend(mine, held * static_cast<int>(row), MPI_BYTE, rank - reach, tag, MPI_COMM_WORLD, &request);
      complete(request);
      break;
    }
    const int child = rank + reach;
    if (child < ranks) {
      const int held = std::min(reach, ranks - child);
      native.Irecv(mine + row * static_cast<std::size_t>(reach), held * static_cast<int>(row), MPI_BYTE,
                   child, tag, MPI_COMM_WORLD, &request);
      complete(request);
    }
  }
  spread_bytes(rows.data(), rows.size());
  return rows;
}

} // namespace thalweg::mpi

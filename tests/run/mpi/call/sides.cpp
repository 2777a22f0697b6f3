// SPDX-License-Identifier: BSD-3-Clause

// What calls' arguments mean, against matrices of who gives how much to whom: each rank's call is written
// down from such a matrix as the standard has it, and has to be read as the same matrix again. Whatever is
// not significant on a rank holds what nobody may read.

#include "mpi/call/sides.hpp"

#include "scenes.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::mpi {

std::uint64_t ask_datatype_bytes(MPI_Datatype datatype) {
  EXPECT_NE(datatype, unreadable_type) << "a datatype is read that is not significant";
  return static_cast<std::uint64_t>((std::intptr_t)(datatype));
}

const Degrees& CommunicatorState::degrees() {
  return degrees_ ? *degrees_ : degrees_.emplace(-1, -1);
}

namespace {

Bytes sum(const std::vector<Bytes>& row) {
  return std::accumulate(row.begin(), row.end(), Bytes{0});
}

void check_side(const Side& side, const Row& row) {
  ASSERT_EQ(side.is_significant, row.has_value());
  if (!row)
    return;
  ASSERT_EQ(side.blocks, static_cast<int>(row->size()));
  for (int block = 0; block < side.blocks; ++block)
    EXPECT_EQ(side.bytes_of(block), (*row)[static_cast<std::size_t>(block)]) << "block " << block;
  EXPECT_EQ(side.bytes(), sum(*row));
  EXPECT_EQ(side.mean_bytes(), row->empty() ? 0 : sum(*row) / row->size());
}

// Where the data are, MPI_IN_PLACE or not: one block of many is that of this rank.
void check_places(const Sides& sides, const CollectiveCall& call, int rank) {
  const bool gives_in_place = call.sendbuf == MPI_IN_PLACE;
  const bool takes_in_place = call.recvbuf == MPI_IN_PLACE;
  if (sides.gives.is_significant) {
    EXPECT_EQ(sides.gives.buffer, gives_in_place ? call.recvbuf : call.sendbuf);
  }
  if (sides.takes.is_significant) {
    EXPECT_EQ(sides.takes.buffer, takes_in_place ? call.sendbuf : call.recvbuf);
  }
  const Side& own = takes_in_place ? sides.takes : sides.gives;
  const Side& row = takes_in_place ? sides.gives : sides.takes;
  const bool is_part = (gives_in_place || takes_in_place) && !is_reduction(call.function->operation) &&
                       own.blocks == 1 && row.blocks > 1;
  const std::int64_t place = !is_part            ? 0
                             : row.displacements ? row.displacements[static_cast<std::size_t>(rank)]
                                                 : rank * row.count;
  EXPECT_EQ(own.place, own.blocks == row.blocks && row.displacements ? own.place : place);
}

// What the report calls bytes: of the buffer that is handed in; at a gather's root of what is gathered.
Bytes payload_in(const Scene& scene, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const bool is_gathered = scene.operation == Operation::gather || scene.operation == Operation::gatherv;
  const Row& row = scene.gives[r] && !(is_gathered && scene.takes[r]) ? scene.gives[r] : scene.takes[r];
  return row ? sum(*row) : 0;
}

void check(const Scene& scene) {
  std::vector<Bytes> units;
  for (int rank = 0; rank < scene.size; ++rank) {
    SCOPED_TRACE(scene.text() + ", rank " + std::to_string(rank));
    const auto r = static_cast<std::size_t>(rank);
    const WrittenCall written = written_call(scene, rank);
    const CallRanks ranks = ranks_in(scene, rank);
    const Sides sides = sides_of(written.call, ranks);
    check_side(sides.gives, scene.gives[r]);
    check_side(sides.takes, scene.takes[r]);
    check_places(sides, written.call, rank);
    EXPECT_EQ(payload_bytes(written.call, ranks), payload_in(scene, rank));
    std::vector<std::pair<int, Bytes>> sends;
    if (!is_among_neighbors(scene.operation))
      visit_given_blocks(written.call, ranks, [&](int to, Bytes bytes) { sends.emplace_back(to, bytes); });
    EXPECT_EQ(sends, scene.sends[r]);
    units.push_back(sides.unit_bytes());
  }
  if (operation_shape(scene.operation).are_sizes_agreed && !scene.inter) {
    EXPECT_EQ(std::ranges::count(units, units.front()), scene.size) << scene.text() << ": ranks disagree";
  }
}

constexpr int ranks_max = 5;

std::vector<Operation> operations() {
  std::vector<Operation> all(operation_count);
  for (std::size_t operation = 0; operation < operation_count; ++operation)
    all[operation] = static_cast<Operation>(operation);
  return all;
}

bool may_be_in_place(Operation operation) {
  return !is_one_of(operation, {Operation::barrier, Operation::bcast});
}

TEST(Sides, AreThoseOfTheStandardWithinAGroup) {
  Random random(1);
  for (const Operation operation : operations())
    for (int size = 1; size <= ranks_max && !is_among_neighbors(operation); ++size)
      for (int root = 0; root < size; ++root)
        for (const Place place : {Place::apart, Place::in_place}) {
          Matrix matrix = amounts(operation, size, size, 12 + 12 * random.below(Bytes{9}), random);
          // In place, a rank sends what it receives.
          if (place == Place::in_place &&
              operation_shape(operation).schedule == schedule::Operation::alltoall)
            make_symmetric(matrix);
          if (place == Place::apart || may_be_in_place(operation))
            check(scene_of({operation, size, 0, false, root, true, place, {}, {}, {}}, matrix, matrix));
        }
}

// Sums that are scattered have rows by the own group; scans have no form between groups.
bool is_between_groups(Operation operation) {
  return !is_among_neighbors(operation) &&
         !is_one_of(operation, {Operation::reduce_scatter, Operation::reduce_scatter_block, Operation::scan,
                                Operation::exscan});
}

TEST(Sides, AreThoseOfTheStandardBetweenGroups) {
  Random random(2);
  for (const Operation operation : operations())
    for (int size = 1; size <= 4 && is_between_groups(operation); ++size)
      for (int others = 1; others <= 4; ++others)
        for (const bool has_root : {true, false})
          for (int root = 0; root < (has_root ? size : others); ++root) {
            const Bytes same = 12 + 12 * random.below(Bytes{9});
            const Matrix given = amounts(operation, size, others, same, random);
            const Matrix taken = amounts(operation, others, size, same, random);
            check(scene_of({operation, size, others, true, root, has_root, Place::apart, {}, {}, {}}, given,
                           taken));
          }
}

TEST(Sides, OfScatteredSumsBetweenGroupsFollowTheOwnGroup) {
  for (const Operation operation : {Operation::reduce_scatter, Operation::reduce_scatter_block})
    for (int size = 1; size <= 4; ++size) {
      Random random(3);
      const std::vector<Bytes> row = amounts(operation, 1, size, 24, random).front();
      for (int rank = 0; rank < size; ++rank) {
        WrittenCall written(operation);
        write_arguments(written, operation, row, row);
        const Sides sides =
            sides_of(written.call, {.rank = rank, .size = size, .remote_size = 3, .inter = true});
        check_side(sides.gives, row);
        check_side(sides.takes, std::vector<Bytes>{row[static_cast<std::size_t>(rank)]});
      }
    }
}

TEST(Sides, OfNeighborhoodsHaveABlockForEachNeighbor) {
  Random random(4);
  for (const Operation operation : operations())
    for (int trial = 0; trial < 50 && is_among_neighbors(operation); ++trial) {
      const bool gathers = operation_shape(operation).schedule == schedule::Operation::neighbor_allgather;
      const bool varies =
          !is_one_of(operation, {Operation::neighbor_allgather, Operation::neighbor_alltoall});
      const auto row = [&](std::size_t length) {
        std::vector<Bytes> bytes(length, 12);
        for (Bytes& one : bytes)
          one = varies ? 12 * random.below(Bytes{9}) : 12;
        return bytes;
      };
      const std::vector<Bytes> takes = row(random.below(std::size_t{4}));
      const std::size_t destinations = random.below(std::size_t{4});
      const std::vector<Bytes> gives = row(gathers ? 1 : destinations);
      WrittenCall written(operation);
      write_arguments(written, operation, gives, takes);
      const CallRanks ranks{.rank = 0,
                            .size = 9,
                            .sources = static_cast<int>(takes.size()),
                            .destinations = static_cast<int>(destinations)};
      const Sides sides = sides_of(written.call, ranks);
      check_side(sides.gives, gives);
      check_side(sides.takes, takes);
      EXPECT_EQ(payload_bytes(written.call, ranks), sum(gives));
    }
}

} // namespace
} // namespace thalweg::mpi

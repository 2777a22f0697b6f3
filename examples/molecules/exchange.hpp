// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"
#include "molecules/planes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::molecules {

/// Which ranks have planes and rows: so many of all, evenly spread, the same for both.
struct MeshRanks {
  std::int64_t ranks = 1; ///< of all
  std::int64_t count = 1; ///< that have some

  [[nodiscard]] std::int64_t rank_of(std::int64_t member) const { return member * ranks / count; }
  [[nodiscard]] std::int64_t member_of(std::int64_t plane) const {
    return part_holding(problem.mesh_side(), count, plane);
  }
  [[nodiscard]] Range part(std::int64_t member) const {
    return part_of({0, problem.mesh_side()}, count, member);
  }
};

/// Transposes by MPI, for which a rank's planes wait for one another: what MPI_Alltoallv can do between
/// objects.
class Exchange {
public:
  /// Collective. `blocks`: by MPI_Alltoallv, in which no object runs. Ranks begin it when all are ready: else
  /// one would wait in it for a plane, which waits for forces that objects of this rank have yet to compute.
  /// Without, by MPI_Ialltoallv.
  Exchange(Group const& world, MeshRanks const& where, bool blocks);
  Exchange(Exchange const&) = delete;
  Exchange& operator=(Exchange const&) = delete;
  ~Exchange();

  /// One of this rank's planes has its spectrum.
  void is_ready() { ++ready_; }
  /// Collective: runs messages, and transposes as often as charges become potentials.
  void run(std::int64_t times);

private:
  void await_ready();
  template <typename From, typename To>
  void transpose(std::vector<From*> const& from, std::vector<To*> const& to);
  void pass(std::vector<Complex> const& from, std::vector<Complex>& to, std::span<int const> counts,
            std::span<int const> begins);

  Group group_; ///< of those that have planes
  MeshRanks where_;
  bool blocks_;
  std::vector<Plane*> planes_; ///< this rank's
  std::vector<Rows*> rows_;
  std::size_t ready_ = 0;
};

} // namespace thalweg::examples::molecules

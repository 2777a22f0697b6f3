// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A distributed field and its spectrum: which numbers this rank has, and how they get from one to the other.

#include "ft/nas.hpp"
#include "thalweg/team.hpp"

#include <fftw3.h>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg::examples::ft {

/// One-dimensional transforms of many rows at once, not normalized.
class Rows {
public:
  /// `count` rows of `length` numbers, `stride` apart, their begins `distance` apart.
  Rows(int length, int count, int stride, int distance, int sign);
  ~Rows();
  Rows(Rows const&) = delete;
  Rows& operator=(Rows const&) = delete;
  void run(Complex* data) const;

private:
  fftw_plan plan_;
};

/// Where a rank's numbers belong: calls `visit(index, x, y, z)` for all of them.
using Visit = std::function<void(std::size_t index, int x, int y, int z)>;

class Field {
public:
  virtual ~Field() = default;
  virtual std::span<Complex> field() = 0;
  virtual std::span<Complex> spectrum() = 0;
  /// From the field to the spectrum, and back; the source is spent.
  virtual void forward() = 0;
  virtual void inverse() = 0;
  virtual void visit_planes(std::function<void(std::span<Complex> row, int y, int z)> const& visit) = 0;
  virtual void visit_spectrum(Visit const& visit) const = 0;
};

/// An exchange that was started.
class Started {
public:
  explicit Started(request of_team) : of_team_(std::move(of_team)) {}
  explicit Started(MPI_Request of_mpi) : of_mpi_(of_mpi) {}
  void wait() {
    of_team_.wait();
    MPI_Wait(&of_mpi_, MPI_STATUS_IGNORE);
  }

private:
  request of_team_;
  MPI_Request of_mpi_ = MPI_REQUEST_NULL;
};

/// How numbers change hands: by the team, or by the same call of MPI.
struct Exchange {
  team* on = nullptr;
  MPI_Comm instead = MPI_COMM_NULL; ///< MPI_Alltoall on this, if there is one
  int ranks() const;
  int rank() const;
  void run(std::span<Complex const> out, std::span<Complex> in) const;
  [[nodiscard]] Started start(std::span<Complex const> out, std::span<Complex> in) const;
};

/// Planes of z, each rank a row of them; one exchange of packed blocks.
std::unique_ptr<Field> packed_slabs(Problem const& problem, Exchange const& exchange);
/// Planes of z dealt out in turns; each is exchanged as soon as it is transformed, without packing.
std::unique_ptr<Field> overlapped_slabs(Problem const& problem, Exchange const& exchange);
/// Pencils along x: two exchanges, in rows and in columns of the ranks.
std::unique_ptr<Field> pencils(Problem const& problem, Exchange const& row, Exchange const& column);
/// The same with planes dealt out in turns: in both rounds each plane is exchanged while others are
/// transformed.
std::unique_ptr<Field> overlapped_pencils(Problem const& problem, Exchange const& row,
                                          Exchange const& column);

} // namespace thalweg::examples::ft

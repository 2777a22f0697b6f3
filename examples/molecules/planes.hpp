// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "molecules/mesh.hpp"
#include "thalweg/objects.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::molecules {

class Patch;
class Exchange;
class Plane;
class Rows;

/// What the mesh's objects know of each other, in a process.
struct MeshObjects {
  thalweg::array<Patch, 3>* patches = nullptr;
  thalweg::array<Plane, 1>* planes = nullptr;
  thalweg::array<Rows, 1>* rows = nullptr;
  /// How spectra are transposed: calls in brackets of these, or by MPI.
  thalweg::association<Plane, 1>* to_rows = nullptr;
  thalweg::association<Rows, 1>* to_planes = nullptr;
  Exchange* by_mpi = nullptr;
};
inline MeshObjects mesh; // of the process

/// A plane of the charges' mesh, an object. Patches add their charges. When all have, it transforms them, and
/// all planes' spectra are transposed: from each plane to each of the rows. They come back as potentials.
/// A plane is done with a step before a patch's next charges can come, so it keeps one step only.
class Plane : public thalweg::element<Plane> {
public:
  Plane() = default;
  void charges(Cell of, std::span<std::int64_t const> of_window);
  void take(std::int64_t row, std::span<Complex const> values);

  /// What is transposed: the plane's part of a row.
  [[nodiscard]] std::span<Complex> part(std::int64_t row);
  /// All parts are there again.
  void send_potentials();
  template <typename Archive>
  void serialize(Archive&) {} // between steps there is nothing

private:
  void transpose();

  std::vector<std::int64_t> charges_;
  std::vector<Complex> spectrum_;
  std::int64_t cells_ = 0; ///< that have given charges
  std::int64_t rows_ = 0;  ///< that have come back
};

/// The rows with one number of all planes' spectra, an object. It transforms across planes, makes potentials
/// of charges, and sends all back.
class Rows : public thalweg::element<Rows> {
public:
  Rows() = default;
  void take(std::int64_t plane, std::span<Complex const> values);

  [[nodiscard]] std::span<Complex> part(std::int64_t plane);
  void transform();
  template <typename Archive>
  void serialize(Archive&) {}

private:
  std::vector<Complex> values_;
  std::int64_t planes_ = 0; ///< whose values are here
};

} // namespace thalweg::examples::molecules

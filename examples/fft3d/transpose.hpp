// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fft3d/decomposition.hpp"

namespace thalweg::examples::fft3d {

/// Takes the field from the boxes of one stage to those of the next, slice by slice of the source: an
/// all-to-all-v of packed bricks per slice, and several slices may be on their way at once.
class Transpose {
public:
  /// Counts and buffers for `slices` slices across `slice_axis` of every rank's source box. The fields are
  /// only remembered; no communication.
  Transpose(Stage const& from, Stage const& to, Exchange const& exchange, int slice_axis, int slices,
            int world_rank, std::vector<Complex> const& source, std::vector<Complex>& target);

  /// Collective in the exchange's group: packs a slice, exchanges it and unpacks what came.
  void exchange(int slice);

  /// The same without waiting, in two halves; start slices in order on all ranks.
  void start(int slice);
  void finish(int slice);

  /// Gives MPI a chance to move the slices that were started.
  void progress();

  /// The time of this rank in these calls of MPI so far, in which it computed nothing.
  [[nodiscard]] double exposed_s() const { return exposed_s_; }

private:
  /// One slice: the bricks and where they lie in the packed buffers, per rank of the group.
  struct Slice {
    std::vector<Box> bricks_to;
    std::vector<Box> bricks_from;
    std::vector<int> counts_to;
    std::vector<int> offsets_to;
    std::vector<int> counts_from;
    std::vector<int> offsets_from;
    std::vector<Complex> outgoing;
    std::vector<Complex> incoming;
  };

  void pack_slice(Slice& slice) const;
  void unpack_slice(Slice const& slice) const;

  MPI_Comm communicator_;
  Layout source_layout_;
  Layout target_layout_;
  std::vector<Complex> const& source_;
  std::vector<Complex>& target_;
  std::vector<Slice> slices_;
  std::vector<MPI_Request> requests_;
  double exposed_s_ = 0;
};

} // namespace thalweg::examples::fft3d

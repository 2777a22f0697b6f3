// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d/transpose.hpp"

#include <utility>

namespace thalweg::examples::fft3d {
namespace {

/// Numbers of elements and where each brick begins; returns the total.
std::size_t lay_out(std::vector<Box> const& bricks, std::vector<int>& counts, std::vector<int>& offsets) {
  int total = 0;
  for (Box const& brick : bricks) {
    counts.push_back(static_cast<int>(brick.size()));
    offsets.push_back(total);
    total += counts.back();
  }
  return static_cast<std::size_t>(total);
}

/// Adds what `call` takes to `total_s`.
template <typename Call>
void time_into(double& total_s, Call const& call) {
  double const begin_s = MPI_Wtime();
  call();
  total_s += MPI_Wtime() - begin_s;
}

} // namespace

Transpose::Transpose(Stage const& from, Stage const& to, Exchange const& exchange, int slice_axis, int slices,
                     int world_rank, std::vector<Complex> const& source, std::vector<Complex>& target)
    : communicator_(exchange.group.communicator),
      source_layout_(Layout::dense(from.boxes[static_cast<std::size_t>(world_rank)], from.order)),
      target_layout_(Layout::dense(to.boxes[static_cast<std::size_t>(world_rank)], to.order)),
      source_(source), target_(target), requests_(static_cast<std::size_t>(slices), MPI_REQUEST_NULL) {
  for (int i = 0; i < slices; ++i) {
    Slice slice;
    for (int const peer : exchange.ranks) {
      auto const p = static_cast<std::size_t>(peer);
      slice.bricks_to.push_back(
          intersection(slice_of(source_layout_.box, slice_axis, slices, i), to.boxes[p]));
      slice.bricks_from.push_back(
          intersection(slice_of(from.boxes[p], slice_axis, slices, i), target_layout_.box));
    }
    slice.outgoing.resize(lay_out(slice.bricks_to, slice.counts_to, slice.offsets_to));
    slice.incoming.resize(lay_out(slice.bricks_from, slice.counts_from, slice.offsets_from));
    slices_.push_back(std::move(slice));
  }
}

void Transpose::pack_slice(Slice& slice) const {
  Complex* packed = slice.outgoing.data();
  for (Box const& brick : slice.bricks_to) {
    packed = pack(source_, source_layout_, brick, packed);
  }
}

void Transpose::unpack_slice(Slice const& slice) const {
  Complex const* packed = slice.incoming.data();
  for (Box const& brick : slice.bricks_from) {
    packed = unpack(packed, target_layout_, brick, target_);
  }
}

void Transpose::exchange(int index) {
  Slice& slice = slices_[static_cast<std::size_t>(index)];
  pack_slice(slice);
  time_into(exposed_s_, [&] {
    MPI_Alltoallv(slice.outgoing.data(), slice.counts_to.data(), slice.offsets_to.data(),
                  MPI_C_DOUBLE_COMPLEX, slice.incoming.data(), slice.counts_from.data(),
                  slice.offsets_from.data(), MPI_C_DOUBLE_COMPLEX, communicator_);
  });
  unpack_slice(slice);
}

void Transpose::start(int index) {
  Slice& slice = slices_[static_cast<std::size_t>(index)];
  pack_slice(slice);
  time_into(exposed_s_, [&] {
    MPI_Ialltoallv(slice.outgoing.data(), slice.counts_to.data(), slice.offsets_to.data(),
                   MPI_C_DOUBLE_COMPLEX, slice.incoming.data(), slice.counts_from.data(),
                   slice.offsets_from.data(), MPI_C_DOUBLE_COMPLEX, communicator_,
                   &requests_[static_cast<std::size_t>(index)]);
  });
}

void Transpose::finish(int index) {
  time_into(exposed_s_, [&] { MPI_Wait(&requests_[static_cast<std::size_t>(index)], MPI_STATUS_IGNORE); });
  unpack_slice(slices_[static_cast<std::size_t>(index)]);
}

void Transpose::progress() {
  int done = 0;
  int index = 0;
  time_into(exposed_s_, [&] {
    MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &done, MPI_STATUS_IGNORE);
  });
}

} // namespace thalweg::examples::fft3d

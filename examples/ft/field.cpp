// SPDX-License-Identifier: BSD-3-Clause
#include "ft/field.hpp"

#include <stdexcept>

namespace thalweg::examples::ft {

Rows::Rows(int length, int count, int stride, int distance, int sign) {
  auto const room = static_cast<std::size_t>(length - 1) * static_cast<std::size_t>(stride) +
                    static_cast<std::size_t>(count - 1) * static_cast<std::size_t>(distance) + 1;
  // Planning writes into its array, so it gets one of its own.
  auto* const data = fftw_alloc_complex(room);
  plan_ = fftw_plan_many_dft(1, &length, count, data, nullptr, stride, distance, data, nullptr, stride,
                             distance, sign, FFTW_ESTIMATE | FFTW_UNALIGNED);
  fftw_free(data);
  if (plan_ == nullptr)
    throw std::runtime_error("FFTW cannot plan rows of " + std::to_string(length));
}

Rows::~Rows() {
  fftw_destroy_plan(plan_);
}

void Rows::run(Complex* data) const {
  auto* const numbers = reinterpret_cast<fftw_complex*>(data);
  fftw_execute_dft(plan_, numbers, numbers);
}

int Exchange::ranks() const {
  if (instead == MPI_COMM_NULL)
    return on->size();
  int ranks = 1;
  MPI_Comm_size(instead, &ranks);
  return ranks;
}

int Exchange::rank() const {
  if (instead == MPI_COMM_NULL)
    return on->rank();
  int rank = 0;
  MPI_Comm_rank(instead, &rank);
  return rank;
}

void Exchange::run(std::span<Complex const> out, std::span<Complex> in) const {
  if (instead == MPI_COMM_NULL) {
    on->alltoall(out, in);
    return;
  }
  int const count = static_cast<int>(in.size()) / ranks();
  MPI_Alltoall(out.data(), count, MPI_CXX_DOUBLE_COMPLEX, in.data(), count, MPI_CXX_DOUBLE_COMPLEX, instead);
}

Started Exchange::start(std::span<Complex const> out, std::span<Complex> in) const {
  if (instead == MPI_COMM_NULL)
    return Started(on->start().alltoall(out, in));
  int const count = static_cast<int>(in.size()) / ranks();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(out.data(), count, MPI_CXX_DOUBLE_COMPLEX, in.data(), count, MPI_CXX_DOUBLE_COMPLEX, instead,
                &request);
  return Started(request);
}

} // namespace thalweg::examples::ft

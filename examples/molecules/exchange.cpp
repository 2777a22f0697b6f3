// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/exchange.hpp"

#include <algorithm>

namespace thalweg::examples::molecules {
namespace {

void await(MPI_Request request) {
  for (int is_done = 0; is_done == 0;) {
    mesh.planes->progress();
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
}

} // namespace

Exchange::Exchange(Group const& world, MeshRanks const& where, bool blocks) : where_(where), blocks_(blocks) {
  mesh.planes->each([&](Plane& plane, auto const&) { planes_.push_back(&plane); });
  mesh.rows->each([&](Rows& rows, auto const&) { rows_.push_back(&rows); });
  auto const index = [](auto const* one) { return one->at()[0]; };
  std::ranges::sort(planes_, {}, index);
  std::ranges::sort(rows_, {}, index);
  MPI_Comm members = MPI_COMM_NULL;
  MPI_Comm_split(world.communicator, planes_.empty() ? MPI_UNDEFINED : 0, world.rank, &members);
  if (members != MPI_COMM_NULL)
    group_ = group_of(members);
}

Exchange::~Exchange() {
  if (group_.communicator != MPI_COMM_NULL)
    MPI_Comm_free(&group_.communicator);
}

void Exchange::run(std::int64_t times) {
  for (; times > 0 && !planes_.empty(); --times) {
    await_ready();
    transpose(planes_, rows_);
    for (Rows* const one : rows_)
      one->transform();
    transpose(rows_, planes_);
    for (Plane* const one : planes_)
      one->send_potentials();
  }
}

void Exchange::await_ready() {
  while (ready_ < planes_.size())
    mesh.planes->progress();
  ready_ = 0;
  if (!blocks_)
    return;
  MPI_Request all_are = MPI_REQUEST_NULL;
  MPI_Ibarrier(group_.communicator, &all_are);
  await(all_are);
}

template <typename From, typename To>
void Exchange::transpose(std::vector<From*> const& from, std::vector<To*> const& to) {
  auto const values = static_cast<std::size_t>(row_values());
  std::vector<Complex> sent;
  std::vector<int> counts; // of what goes to each, and of what comes: there are as many rows as planes
  std::vector<int> begins;
  for (std::int64_t member = 0; member < group_.ranks; ++member) {
    Range const there = where_.part(member);
    for (From* const own : from)
      for (std::int64_t i = there.begin; i < there.end; ++i) {
        std::span<Complex> const part = own->part(i);
        sent.insert(sent.end(), part.begin(), part.end());
      }
    begins.push_back(counts.empty() ? 0 : begins.back() + counts.back());
    counts.push_back(static_cast<int>(2 * sent.size()) - begins.back());
  }
  std::vector<Complex> came(sent.size());
  pass(sent, came, counts, begins);
  auto next = came.begin();
  for (std::int64_t i = 0; i < problem.mesh_side(); ++i) // those of the ranks, one rank's behind another's
    for (To* const own : to) {
      std::copy_n(next, values, own->part(i).begin());
      next += static_cast<std::ptrdiff_t>(values);
    }
}

void Exchange::pass(std::vector<Complex> const& from, std::vector<Complex>& to, std::span<int const> counts,
                    std::span<int const> begins) {
  if (blocks_) {
    MPI_Alltoallv(from.data(), counts.data(), begins.data(), MPI_DOUBLE, to.data(), counts.data(),
                  begins.data(), MPI_DOUBLE, group_.communicator);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallv(from.data(), counts.data(), begins.data(), MPI_DOUBLE, to.data(), counts.data(),
                 begins.data(), MPI_DOUBLE, group_.communicator, &request);
  await(request);
}

} // namespace thalweg::examples::molecules

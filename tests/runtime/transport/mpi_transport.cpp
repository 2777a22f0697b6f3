// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/mpi_transport.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace thalweg::transport {
namespace {

// A library that has finished everything by the time it is asked, and remembers how many requests it was
// given to look at.
int looked_at = 0;

template <typename Handle>
Handle handle(std::intptr_t bits) {
  return (Handle)(bits);
}

int start(MPI_Request* request) {
  *request = handle<MPI_Request>(1);
  return MPI_SUCCESS;
}

int receive(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* request) {
  return start(request);
}

int some(int count, MPI_Request requests[], int* finished, int indices[], MPI_Status*) {
  looked_at = count;
  int found = 0;
  for (int i = 0; i < count; ++i)
    if (requests[i] == handle<MPI_Request>(1)) {
      requests[i] = handle<MPI_Request>(0);
      indices[found++] = i;
    }
  *finished = found == 0 ? MPI_UNDEFINED : found;
  return MPI_SUCCESS;
}

TEST(MpiTransport, LooksOnlyAtWhatMayBeUnderWay) {
  MpiApi api{};
  api.irecv = receive;
  api.waitsome = some;
  api.testsome = some;
  api.request_null = handle<MPI_Request>(0);
  MpiTransport transport(api, handle<MPI_Comm>(1), 0, 2, 32768);
  const auto batch = transport.make_batch();
  constexpr std::uint32_t many = 448;
  batch->reserve(many);
  for (std::uint32_t id = 0; id < many; ++id)
    batch->start_receive(id, {.peer = 1});
  EXPECT_EQ(batch->wait().size(), many);
  EXPECT_EQ(looked_at, static_cast<int>(many));
  // A long schedule has gone by; a short one must not pay for it.
  batch->start_receive(0, {.peer = 1});
  EXPECT_EQ(batch->poll().size(), 1U);
  EXPECT_EQ(looked_at, 1);
  // Nothing is under way: the library is not asked.
  looked_at = -1;
  EXPECT_TRUE(batch->poll().empty());
  EXPECT_TRUE(batch->all_finished());
  EXPECT_EQ(looked_at, -1);
}

} // namespace
} // namespace thalweg::transport

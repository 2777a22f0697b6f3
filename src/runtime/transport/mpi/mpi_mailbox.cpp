// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/mpi_mailbox.hpp"

#include "base/assertion.hpp"
#include "transport/mpi/mpi_transport.hpp"

#include <climits>

namespace thalweg::transport {

namespace {

void must(const char* call, int code) {
  if (code != MPI_SUCCESS)
    throw MpiError(call, code);
}

} // namespace

std::uint64_t MpiMailbox::send(Rank to, std::span<const std::byte> bytes) {
  THALWEG_ASSERT(light, bytes.size() <= INT_MAX);
  const std::uint64_t number = sent_++;
  Sending& message = sending_[number];
  message = {{bytes.begin(), bytes.end()}, api_.request_null};
  must("MPI_Issend", api_.issend(message.bytes.data(), static_cast<int>(bytes.size()), api_.byte, to, tag_,
                                 communicator_, &message.request));
  return number;
}

bool MpiMailbox::was_received(std::uint64_t number) {
  const auto message = sending_.find(number);
  THALWEG_ASSERT(normal, message != sending_.end());
  int flag = 0;
  must("MPI_Test", api_.test(&message->second.request, &flag, MPI_STATUS_IGNORE));
  if (flag != 0)
    sending_.erase(message);
  return flag != 0;
}

bool MpiMailbox::receive(std::vector<std::byte>& message) {
  int found = 0;
  MPI_Status status;
  must("MPI_Iprobe", api_.iprobe(MPI_ANY_SOURCE, tag_, communicator_, &found, &status));
  if (found == 0)
    return false;
  int bytes = 0;
  must("MPI_Get_count", api_.get_count(&status, api_.byte, &bytes));
  message.resize(static_cast<std::size_t>(bytes));
  must("MPI_Recv", api_.recv(message.data(), bytes, api_.byte, status.MPI_SOURCE, tag_, communicator_,
                             MPI_STATUS_IGNORE));
  return true;
}

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/mpi_transport.hpp"

#include "base/assertion.hpp"

#include <climits>
#include <fmt/format.h>
#include <vector>

namespace thalweg::transport {

MpiError::MpiError(const char* call, int code)
    : Error(fmt::format("{} failed with MPI error {}", call, code), "see the MPI library's own message",
            thalweg_error_mpi),
      code_(code) {}

namespace {

void check(const char* call, int code) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw MpiError(call, code);
}

/// Count and datatype of a message of bytes; above INT_MAX a datatype made for it.
class Shape {
public:
  Shape(const MpiApi& api, std::size_t bytes) : api_(api), type_(api.byte) {
    if (bytes <= INT_MAX) [[likely]]
      count_ = static_cast<int>(bytes);
    else
      make_large(bytes);
  }
  ~Shape() {
    if (made_)
      api_.type_free(&type_); // the library keeps it until messages under way have finished
  }
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

private:
  void make_large(std::size_t bytes) {
    constexpr std::size_t chunk_bytes = std::size_t{1} << 30;
    MPI_Datatype chunks = api_.byte;
    MPI_Datatype chunk = api_.byte;
    check("MPI_Type_contiguous", api_.type_contiguous(static_cast<int>(chunk_bytes), api_.byte, &chunk));
    check("MPI_Type_contiguous", api_.type_contiguous(static_cast<int>(bytes / chunk_bytes), chunk, &chunks));
    const int lengths[] = {1, static_cast<int>(bytes % chunk_bytes)};
    const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(bytes - bytes % chunk_bytes)};
    const MPI_Datatype types[] = {chunks, api_.byte};
    check("MPI_Type_create_struct", api_.type_create_struct(2, lengths, offsets, types, &type_));
    check("MPI_Type_commit", api_.type_commit(&type_));
    api_.type_free(&chunk);
    api_.type_free(&chunks);
    made_ = true;
    count_ = 1;
  }

  const MpiApi& api_;
  MPI_Datatype type_;
  int count_ = 0;
  bool made_ = false;
};

class MpiBatch final : public Batch {
public:
  MpiBatch(const MpiApi& api, MPI_Comm communicator) : api_(api), communicator_(communicator) {}
  /// Receives that nothing came for are taken back, as their memory goes.
  ~MpiBatch() override {
    for (std::size_t id = 0; under_way_ > 0 && id < used_; ++id)
      if (is_receive_[id] && requests_[id] != api_.request_null) {
        api_.cancel(&requests_[id]);
        api_.request_free(&requests_[id]);
      }
  }
  MpiBatch(const MpiBatch&) = delete;
  MpiBatch& operator=(const MpiBatch&) = delete;

  void reserve(std::size_t count) override {
    if (requests_.size() < count) {
      requests_.resize(count, api_.request_null);
      finished_.resize(count);
      is_receive_.resize(count);
    }
  }

  void start_receive(std::uint32_t id, const Message& message) override {
    const Shape shape(api_, message.bytes);
    check("MPI_Irecv", api_.irecv(message.data, shape.count(), shape.type(), message.peer, message.tag,
                                  communicator_, &occupy(id)));
    is_receive_[id] = true;
  }

  void start_send(std::uint32_t id, const Message& message) override {
    const Shape shape(api_, message.bytes);
    check("MPI_Isend", api_.isend(message.data, shape.count(), shape.type(), message.peer, message.tag,
                                  communicator_, &occupy(id)));
    is_receive_[id] = false;
  }

  std::span<const int> poll() override { return some("MPI_Testsome", api_.testsome); }
  std::span<const int> wait() override { return some("MPI_Waitsome", api_.waitsome); }

  bool all_finished() override {
    if (under_way_ == 0)
      return true;
    int flag = 0;
    check("MPI_Testall", api_.testall(static_cast<int>(used_), requests_.data(), &flag, MPI_STATUSES_IGNORE));
    if (flag != 0)
      forget_all();
    return flag != 0;
  }

  void transfer(std::span<const Message> receives, std::span<const Message> sends) override {
    if (receives.size() == 1 && sends.size() == 1) {
      exchange(receives[0], sends[0]);
    } else if (sends.empty() && receives.size() == 1) {
      const Shape shape(api_, receives[0].bytes);
      check("MPI_Recv", api_.recv(receives[0].data, shape.count(), shape.type(), receives[0].peer,
                                  receives[0].tag, communicator_, MPI_STATUS_IGNORE));
    } else if (receives.empty() && sends.size() == 1) {
      const Shape shape(api_, sends[0].bytes);
      check("MPI_Send", api_.send(sends[0].data, shape.count(), shape.type(), sends[0].peer, sends[0].tag,
                                  communicator_));
    } else {
      transfer_many(receives, sends);
    }
  }

private:
  MPI_Request& occupy(std::uint32_t id) {
    THALWEG_ASSERT(normal, id < requests_.size() && requests_[id] == api_.request_null);
    if (id >= used_)
      used_ = id + 1;
    ++under_way_;
    return requests_[id];
  }

  void forget_all() {
    used_ = 0;
    under_way_ = 0;
  }

  template <typename Call>
  std::span<const int> some(const char* name, Call call) {
    if (under_way_ == 0)
      return {};
    int count = 0;
    check(name,
          call(static_cast<int>(used_), requests_.data(), &count, finished_.data(), MPI_STATUSES_IGNORE));
    if (count == MPI_UNDEFINED) {
      forget_all();
      return {};
    }
    THALWEG_ASSERT(normal, static_cast<std::size_t>(count) <= under_way_);
    under_way_ -= static_cast<std::size_t>(count);
    if (under_way_ == 0)
      forget_all();
    return {finished_.data(), static_cast<std::size_t>(count)};
  }

  void exchange(const Message& receive, const Message& send) {
    const Shape in(api_, receive.bytes);
    const Shape out(api_, send.bytes);
    check("MPI_Sendrecv",
          api_.sendrecv(send.data, out.count(), out.type(), send.peer, send.tag, receive.data, in.count(),
                        in.type(), receive.peer, receive.tag, communicator_, MPI_STATUS_IGNORE));
  }

  void transfer_many(std::span<const Message> receives, std::span<const Message> sends) {
    const std::uint32_t id = start_all(receives, sends);
    forget_all();
    check("MPI_Waitall", api_.waitall(static_cast<int>(id), requests_.data(), MPI_STATUSES_IGNORE));
  }

  const MpiApi& api_;
  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;
  std::vector<int> finished_;
  std::vector<bool> is_receive_;
  std::size_t used_ = 0;      ///< ids below this may hold requests: libraries look at each of them
  std::size_t under_way_ = 0; ///< how many do
};

} // namespace

std::unique_ptr<Batch> MpiTransport::make_batch() {
  return std::make_unique<MpiBatch>(api_, communicator_);
}

std::uint64_t MpiMailbox::send(Rank to, std::span<const std::byte> bytes) {
  THALWEG_ASSERT(light, bytes.size() <= INT_MAX);
  const std::uint64_t number = sent_++;
  SynchronousSend& message = sending_[number];
  message = {{bytes.begin(), bytes.end()}, api_.request_null};
  check("MPI_Issend", api_.issend(message.bytes.data(), static_cast<int>(bytes.size()), api_.byte, to, tag_,
                                  communicator_, &message.request));
  return number;
}

bool MpiMailbox::was_received(std::uint64_t number) {
  const auto message = sending_.find(number);
  THALWEG_ASSERT(normal, message != sending_.end());
  int flag = 0;
  check("MPI_Test", api_.test(&message->second.request, &flag, MPI_STATUS_IGNORE));
  if (flag != 0)
    sending_.erase(message);
  return flag != 0;
}

bool MpiMailbox::receive(std::vector<std::byte>& message) {
  int found = 0;
  MPI_Status status;
  check("MPI_Iprobe", api_.iprobe(MPI_ANY_SOURCE, tag_, communicator_, &found, &status));
  if (found == 0)
    return false;
  int bytes = 0;
  check("MPI_Get_count", api_.get_count(&status, api_.byte, &bytes));
  message.resize(static_cast<std::size_t>(bytes));
  check("MPI_Recv", api_.recv(message.data(), bytes, api_.byte, status.MPI_SOURCE, tag_, communicator_,
                              MPI_STATUS_IGNORE));
  return true;
}

} // namespace thalweg::transport

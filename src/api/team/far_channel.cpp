// SPDX-License-Identifier: BSD-3-Clause
#include "team/far_channel.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "job/library/mpi_library.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace thalweg::teams {

static_assert(std::is_trivially_copyable_v<FarHead>);

using job::must;

FarChannel::FarChannel(const transport::MpiApi& api, std::shared_ptr<job::ShadowCommunicator> shadow, int tag,
                       std::size_t short_bytes)
    : api_(api), shadow_(std::move(shadow)), tag_(tag), short_bytes_(std::min(short_bytes, max_short_bytes)),
      message_(max_message_bytes) {}

FarChannel::~FarChannel() {
  THALWEG_ASSERT(light, has_sent_all());
}

void FarChannel::begin_send(Rank to, std::span<const std::byte> message, UnderWay&& what) {
  MPI_Request request = api_.request_null;
  must(api_.isend(message.data(), static_cast<int>(message.size()), api_.byte, to, tag_, shadow_->handle(),
                  &request),
       "MPI_Isend");
  int is_done = 0;
  must(api_.test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
  if (is_done != 0)
    return;
  requests_.push_back(request);
  under_way_.push_back(std::move(what));
}

std::uint64_t FarChannel::send(Rank to, FarHead head, std::span<const std::byte> body) {
  THALWEG_ASSERT(normal, head.body_bytes == body.size());
  if (body.size() > INT_MAX)
    throw Error(fmt::format("{} bytes for another node", body.size()),
                fmt::format("move at most {} at once", INT_MAX), thalweg_error_unsupported);
  const bool has_long_body = is_long(body.size());
  head.has_long_body = has_long_body ? 1 : 0;
  const auto head_bytes = std::as_bytes(std::span(&head, 1));
  std::vector<std::byte> message;
  message.reserve(sizeof head + (has_long_body ? 0 : body.size()));
  message.assign(head_bytes.begin(), head_bytes.end());
  if (!has_long_body)
    message.insert(message.end(), body.begin(), body.end());
  const std::span<const std::byte> sent(message);
  ++sent_;
  begin_send(to, sent, {.kept = std::move(message)});
  if (has_long_body)
    begin_send(to, body, {.number = sent_});
  return sent_;
}

void FarChannel::send(Rank to, const FarHead& head, std::vector<std::byte> body) {
  const std::uint64_t number = send(to, head, std::span<const std::byte>(body));
  if (!is_sent(number))
    under_way_.back().kept = std::move(body);
}

bool FarChannel::is_sent(std::uint64_t number) const {
  return std::ranges::none_of(under_way_, [number](const UnderWay& one) { return one.number == number; });
}

bool FarChannel::progress(FarReceiver& receiver) {
  bool moved = finish_some();
  for (int count = 0; count < max_messages && receive_one(receiver); ++count)
    moved = true;
  return moved;
}

// What ends may begin more: requests are taken out before anything is done about them.
bool FarChannel::finish_some() {
  if (requests_.empty())
    return false;
  int count = 0;
  finished_.resize(requests_.size());
  must(api_.testsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
                     MPI_STATUSES_IGNORE),
       "MPI_Testsome");
  if (count <= 0)
    return false;
  std::vector<UnderWay> ended;
  for (int number = 0; number < count; ++number)
    ended.push_back(
        std::move(under_way_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(number)])]));
  std::size_t left = 0;
  for (std::size_t index = 0; index < requests_.size(); ++index) {
    if (requests_[index] == api_.request_null)
      continue;
    if (left != index) {
      requests_[left] = requests_[index];
      under_way_[left] = std::move(under_way_[index]);
    }
    ++left;
  }
  requests_.resize(left);
  under_way_.resize(left);
  for (const UnderWay& one : ended)
    if (one.then)
      one.then();
  return true;
}

bool FarChannel::receive_one(FarReceiver& receiver) {
  int is_there = 0;
  MPI_Status status;
  must(api_.iprobe(MPI_ANY_SOURCE, tag_, shadow_->handle(), &is_there, &status), "MPI_Iprobe");
  if (is_there == 0)
    return false;
  int bytes = 0;
  const Rank from = status.MPI_SOURCE;
  must(api_.get_count(&status, api_.byte, &bytes), "MPI_Get_count");
  THALWEG_ASSERT(light,
                 bytes >= static_cast<int>(sizeof(FarHead)) && bytes <= static_cast<int>(message_.size()));
  must(api_.recv(message_.data(), bytes, api_.byte, from, tag_, shadow_->handle(), MPI_STATUS_IGNORE),
       "MPI_Recv");
  FarHead head;
  std::memcpy(&head, message_.data(), sizeof head);
  if (head.has_long_body != 0) {
    receive_body(head, from, receiver);
    return true;
  }
  // `take` may send, but not receive: the message stays.
  receiver.take(head, from, std::span<const std::byte>(message_).subspan(sizeof head, head.body_bytes));
  return true;
}

// The next message of that rank with the tag is the body, and meets a receive before any look for messages.
void FarChannel::receive_body(const FarHead& head, Rank from, FarReceiver& receiver) {
  std::byte* place = receiver.place_for(head, from);
  std::vector<std::byte> own;
  if (place == nullptr) {
    own.resize(head.body_bytes);
    place = own.data();
  }
  MPI_Request request = api_.request_null;
  must(api_.irecv(place, static_cast<int>(head.body_bytes), api_.byte, from, tag_, shadow_->handle(),
                  &request),
       "MPI_Irecv");
  requests_.push_back(request);
  const std::span<const std::byte> body(place, head.body_bytes);
  under_way_.push_back(
      {.kept = std::move(own), .then = [&receiver, head, from, body] { receiver.take(head, from, body); }});
}

} // namespace thalweg::teams

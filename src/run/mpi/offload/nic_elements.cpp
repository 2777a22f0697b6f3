// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_elements.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/abi/native.hpp"
#include "mpi/call/exactness.hpp"
#include "mpi/call/named_operators.hpp"
#include "mpi/run/buffer_binding.hpp"

namespace thalweg::mpi {

std::unique_ptr<NicOperation> NicElements::of(const CollectiveCall& call, int rank, const char*& why_not) {
  const std::string* const name = name_of_operator(call.op);
  if (name == nullptr || !is_commutative(call.op)) // of the latter the engine says why
    return nullptr;
  // Elements that reach outside of their extent do not come here.
  const TypeShape shape = shape_of(call.recvtype);
  why_not = "a named operator on elements with gaps, or of more than 256 bytes";
  constexpr std::int64_t max_bytes = THALWEG_NIC_WORDS * sizeof(std::uint64_t);
  if (shape.size != shape.extent || shape.size < 1 || shape.size > max_bytes)
    return nullptr;
  const auto bytes = static_cast<std::size_t>(shape.size);
  const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  const GroupOperator combiner{*name, static_cast<std::uint32_t>(words)};
  const std::size_t max_count = rows_max * (THALWEG_NIC_WORDS / combiner.words);
  why_not = "a named operator on no or more elements than eight packets have";
  if (call.recvcount < 1 || static_cast<std::size_t>(call.recvcount) > max_count)
    return nullptr;
  const bool is_wanted = call.function->operation != Operation::reduce || rank == call.root;
  return std::unique_ptr<NicOperation>(new NicElements(call, combiner, bytes, is_wanted));
}

NicElements::NicElements(const CollectiveCall& call, const GroupOperator& combiner, std::size_t bytes,
                         bool is_wanted)
    : NicGathering(function_name(call), is_wanted), call_(call), combiner_(combiner), bytes_(bytes),
      count_(static_cast<std::size_t>(call.recvcount)) {}

std::size_t NicElements::count_of(std::size_t row) const {
  return std::min(count_ - row * in_row(), in_row());
}

void NicElements::contribute(std::size_t row, thalweg_nic_content& content) {
  const std::size_t count = count_of(row);
  content.operation = THALWEG_NIC_ELEMENT * 8;
  content.count =
      static_cast<std::uint16_t>(thalweg_nic_length(static_cast<std::uint32_t>(count * combiner_.words)));
  const auto* from = static_cast<const std::byte*>(is_in_place(call_) ? call_.recvbuf : call_.sendbuf) +
                     row * in_row() * bytes_;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(content.words + i * combiner_.words, from + i * bytes_, bytes_);
}

// The library tells an error to the communicator of its choice.
nic::ElementOperator NicElements::element_operator() {
  return {.combine =
              [this](const thalweg_nic_word* from, thalweg_nic_word* into) {
                native.Reduce_local(from, into, 1, call_.recvtype, call_.op);
              },
          .words = combiner_.words};
}

void NicElements::deliver(std::size_t row, const thalweg_nic_content& result) {
  auto* to = static_cast<std::byte*>(call_.recvbuf) + row * in_row() * bytes_;
  for (std::size_t i = 0; i < count_of(row); ++i)
    std::memcpy(to + i * bytes_, result.words + i * combiner_.words, bytes_);
}

} // namespace thalweg::mpi

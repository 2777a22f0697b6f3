// SPDX-License-Identifier: BSD-3-Clause
#include "team/symmetric_memory.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

namespace thalweg::teams {

namespace {

constexpr std::size_t page = 4096;

void give_back(std::byte* memory) {
  std::free(memory);
}

/// This rank's parts of all allocations of all teams: their begins with their ends.
struct OwnParts {
  std::mutex mutex;
  std::map<const std::byte*, const std::byte*> ends;
};

} // namespace

Allocation::Allocation(job::Group& group, std::size_t bytes, std::uint32_t number)
    : bytes_(bytes), number_(number), stride_((std::max<std::size_t>(bytes, 1) + page - 1) / page * page),
      private_(nullptr, give_back), own_(nullptr) {
  if (group.near_ranks() > 1)
    segment_ = group.share(stride_ * static_cast<std::size_t>(group.near_ranks()));
  if (segment_) {
    own_ = segment_->memory() + stride_ * static_cast<std::size_t>(group.near_rank());
    THALWEG_ASSERT(light, stride_ >= bytes_ && of_near(group.near_rank()) == own_);
  } else {
    private_.reset(static_cast<std::byte*>(std::aligned_alloc(page, stride_)));
    if (!private_)
      throw std::bad_alloc();
    std::memset(private_.get(), 0, stride_);
    own_ = private_.get();
  }
  auto& parts = of_process<OwnParts>();
  const std::scoped_lock lock(parts.mutex);
  parts.ends[own_] = own_ + stride_;
}

Allocation::~Allocation() {
  auto& parts = of_process<OwnParts>();
  const std::scoped_lock lock(parts.mutex);
  parts.ends.erase(own_);
}

bool is_symmetric(const void* begin, std::size_t bytes) {
  if (begin == nullptr || bytes == 0)
    return false;
  const auto* const first = static_cast<const std::byte*>(begin);
  auto& parts = of_process<OwnParts>();
  const std::scoped_lock lock(parts.mutex);
  const auto behind = parts.ends.lower_bound(first + bytes);
  return behind != parts.ends.begin() && std::prev(behind)->second > first;
}

std::byte* Allocation::of_near(Rank near_rank) const {
  THALWEG_ASSERT(normal, near_rank >= 0);
  return segment_ ? segment_->memory() + stride_ * static_cast<std::size_t>(near_rank) : nullptr;
}

std::byte* Allocation::of(const job::Group& group, Rank rank) const {
  if (rank == group.rank())
    return own_;
  const Rank near = group.near_rank(rank);
  return near < 0 ? nullptr : of_near(near);
}

const Allocation& SymmetricMemory::allocate(job::Group& group, std::size_t bytes) {
  allocations_.push_back(std::make_unique<Allocation>(group, bytes, allocated_++));
  return *allocations_.back();
}

void SymmetricMemory::release(const void* begin) {
  const auto place = std::ranges::find(allocations_, static_cast<const std::byte*>(begin),
                                       [](const auto& one) { return one->begin(); });
  if (place == allocations_.end())
    throw Error(fmt::format("no symmetric memory begins at {}", begin),
                "release what allocate() gave, once, with the team that gave it");
  allocations_.erase(place);
}

const Allocation* SymmetricMemory::find(std::uint32_t number) const {
  const auto place =
      std::ranges::find_if(allocations_, [number](const auto& one) { return one->number() == number; });
  return place == allocations_.end() ? nullptr : place->get();
}

std::byte* SymmetricMemory::place_of(std::uint32_t number, std::uint64_t offset) const {
  const Allocation* const allocation = find(number);
  if (allocation == nullptr || offset > allocation->bytes())
    throw Error(fmt::format("another rank asks for memory number {} at {}", number, offset),
                "please report this", thalweg_error_internal);
  return allocation->begin() + offset;
}

} // namespace thalweg::teams

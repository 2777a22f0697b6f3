// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/segment.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace thalweg::transport {

namespace {

constexpr const char* remedy = "messages inside of the node go through the MPI library instead";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), remedy, thalweg_error_system);
}

} // namespace

std::unique_ptr<Segment> Segment::make(std::size_t bytes) {
  // The system ends processes that make a file longer than they may.
  rlimit longest{};
  if (::getrlimit(RLIMIT_FSIZE, &longest) == 0 && longest.rlim_cur < header_bytes + bytes)
    throw Error(
        fmt::format("a shared segment of {} bytes: files may have {} (ulimit -f)", bytes, longest.rlim_cur),
        remedy, thalweg_error_system);
  std::unique_ptr<Segment> segment(new Segment);
  Descriptor file(::memfd_create("thalweg", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0)
    refuse("memfd_create");
  if (::ftruncate(file.number(), static_cast<off_t>(header_bytes + bytes)) != 0)
    refuse(fmt::format("a shared segment of {} bytes", bytes));
  // What is mapped must stay: a shorter file would end its readers by SIGBUS.
  ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  std::random_device random;
  segment->address_ = {bytes, std::uint64_t{random()} << 32 | random(), ::getpid(), -1};
  segment->map(file.number());
  std::memcpy(segment->memory_, &segment->address_.cookie, sizeof segment->address_.cookie);
  segment->address_.descriptor = file.release();
  return segment;
}

std::unique_ptr<Segment> Segment::open(const SegmentAddress& address) {
  std::unique_ptr<Segment> segment(new Segment);
  segment->address_ = address;
  segment->address_.descriptor = -1; // a number of the maker's, that may be anything here
  const std::string path = fmt::format("/proc/{}/fd/{}", address.process, address.descriptor);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0)
    refuse(path);
  std::uint64_t cookie = 0;
  if (::pread(file.number(), &cookie, sizeof cookie, 0) != sizeof cookie || cookie != address.cookie)
    throw Error(fmt::format("{} is not the segment that was to be there", path), remedy,
                thalweg_error_system);
  segment->map(file.number());
  return segment;
}

void Segment::map(int descriptor) {
  void* const memory =
      ::mmap(nullptr, header_bytes + address_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED)
    refuse(fmt::format("mapping a shared segment of {} bytes", address_.bytes));
  memory_ = static_cast<std::byte*>(memory);
}

void Segment::close_door() {
  if (address_.descriptor >= 0)
    ::close(address_.descriptor);
  address_.descriptor = -1;
}

Segment::~Segment() {
  if (memory_ != nullptr)
    ::munmap(memory_, header_bytes + address_.bytes);
  if (address_.process == ::getpid())
    close_door();
}

} // namespace thalweg::transport

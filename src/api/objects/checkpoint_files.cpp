// SPDX-License-Identifier: BSD-3-Clause
#include "objects/checkpoint_files.hpp"

#include "base/error.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace thalweg::objects {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::string_view mark = "thalweg elements 1\n"; // what a part begins with

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(fmt::format("{}: {}", what, std::strerror(error)),
              "see to the folder; the checkpoint before is whole", thalweg_error_system);
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(fmt::format("{}: {}", name, why), "restore from another checkpoint", thalweg_error_system);
}

struct Head {
  std::uint64_t bytes;
  std::uint32_t element;
  std::uint32_t array;
};

int opened(const std::string& name, int flags) {
  const int file = ::open(name.c_str(), flags | O_CLOEXEC, 0666);
  if (file < 0)
    fail(fmt::format("{} cannot be opened", name), errno);
  return file;
}

void write_whole(int file, const std::string& name, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      fail(fmt::format("{} cannot be written", name), errno);
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

/// Closes the file. What was written is on the disk, or it throws.
void sync_and_close(int file, const std::string& name) {
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error != 0)
    fail(fmt::format("{} cannot be written", name), error);
}

std::string read_whole(const std::string& name) {
  std::ifstream stream(name, std::ios::binary);
  if (!stream)
    refuse(name, "cannot be opened");
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad())
    refuse(name, "cannot be read");
  return bytes;
}

} // namespace

std::string generation_folder(const std::string& folder, std::uint64_t generation) {
  return fmt::format("{}/{}", folder, generation);
}
std::string part_name(const std::string& folder, std::uint64_t generation, Rank rank) {
  return fmt::format("{}/{}.elements", generation_folder(folder, generation), rank);
}
std::string manifest_name(const std::string& folder) {
  return folder + "/manifest.toml";
}

std::string read_manifest(const std::string& folder) {
  return read_whole(manifest_name(folder));
}

std::uint64_t begin_generation(const std::string& folder) {
  std::uint64_t generation = 1;
  std::error_code error;
  if (fs::exists(manifest_name(folder), error))
    generation = parse_manifest(read_manifest(folder), manifest_name(folder)).generation + 1;
  const std::string made = generation_folder(folder, generation);
  fs::remove_all(made, error); // what a killed job has left
  if (!error)
    fs::create_directories(made, error);
  if (error)
    fail(fmt::format("{} cannot be made", made), error.value());
  return generation;
}

void replace_manifest(const std::string& folder, const Manifest& manifest) {
  const std::string name = manifest_name(folder);
  const std::string fresh = name + ".new";
  for (const std::string& written : {generation_folder(folder, manifest.generation), fresh}) {
    const bool is_folder = written != fresh;
    const int file = opened(written, is_folder ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_TRUNC);
    if (!is_folder)
      write_whole(file, fresh, to_text(manifest));
    sync_and_close(file, written);
  }
  if (std::rename(fresh.c_str(), name.c_str()) != 0)
    fail(fmt::format("{} cannot be replaced", name), errno);
  sync_and_close(opened(folder, O_RDONLY | O_DIRECTORY), folder);
  std::error_code ignored; // older ones only take room
  if (manifest.generation > 0)
    fs::remove_all(generation_folder(folder, manifest.generation - 1), ignored);
}

PartWriter::PartWriter(std::string name)
    : name_(std::move(name)), file_(opened(name_, O_WRONLY | O_CREAT | O_TRUNC)) {
  part_.checksum = fnv_begin;
  write(mark.data(), mark.size());
}

PartWriter::~PartWriter() {
  if (file_ >= 0)
    ::close(file_);
}

void PartWriter::write(const void* from, std::size_t bytes) {
  buffer_.append(static_cast<const char*>(from), bytes);
  if (buffer_.size() >= buffer_bytes)
    flush();
}

void PartWriter::flush() {
  part_.checksum = text_hash(buffer_, part_.checksum);
  part_.bytes += buffer_.size();
  write_whole(file_, name_, buffer_);
  buffer_.clear();
}

void PartWriter::add(std::uint16_t array, std::uint32_t element, std::string_view bytes) {
  const Head head{bytes.size(), element, array};
  write(&head, sizeof head);
  write(bytes.data(), bytes.size());
  ++part_.elements;
}

SavedPart PartWriter::close() {
  flush();
  sync_and_close(std::exchange(file_, -1), name_);
  return part_;
}

std::string read_part(const std::string& name, const SavedPart& part) {
  std::string bytes = read_whole(name);
  if (bytes.size() != part.bytes)
    refuse(name, fmt::format("has {} B, and {} were written", bytes.size(), part.bytes));
  if (text_hash(bytes) != part.checksum)
    refuse(name, "is damaged: it has another checksum than was written");
  return bytes;
}

std::vector<SavedElement> elements_of(std::string_view bytes, const std::string& name,
                                      const Manifest& manifest) {
  if (!bytes.starts_with(mark))
    refuse(name, "is no file of elements");
  bytes.remove_prefix(mark.size());
  std::vector<SavedElement> elements;
  while (!bytes.empty()) {
    Head head{};
    if (bytes.size() < sizeof head)
      refuse(name, "ends amid an element");
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    if (head.array >= manifest.arrays.size() || head.element >= manifest.arrays[head.array].elements())
      refuse(name,
             fmt::format("has an element {} of array {}, which there is not", head.element, head.array));
    if (head.bytes > bytes.size())
      refuse(name, "ends amid an element");
    elements.push_back({static_cast<std::uint16_t>(head.array), head.element, bytes.substr(0, head.bytes)});
    bytes.remove_prefix(head.bytes);
  }
  return elements;
}

} // namespace thalweg::objects

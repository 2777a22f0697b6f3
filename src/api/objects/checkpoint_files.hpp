// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A checkpoint's files, in one folder:
//
//   manifest.toml     what is in it; renamed into its place when all else is written
//   7/0.elements      the elements that rank 0 had; a new folder for each checkpoint, its generation
//   7/1.elements
//
// So a job that is killed leaves the checkpoint before. What is damaged or cut off is refused, as sizes and
// checksums are in the manifest.

#include "base/rank.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::objects {

/// An array that is saved; restored into one that is the same.
struct SavedArray {
  std::string type; ///< of its elements
  std::vector<std::int64_t> shape;
  bool operator==(const SavedArray&) const = default;

  std::uint64_t elements() const;
  std::string text() const; ///< "Block [4, 2, 2]"
};

/// What a rank wrote.
struct SavedPart {
  std::uint64_t bytes = 0;
  std::uint64_t elements = 0;
  std::uint64_t checksum = 0;
  bool operator==(const SavedPart&) const = default;
};

struct Manifest {
  std::uint64_t generation = 0;
  std::vector<SavedArray> arrays;
  std::vector<SavedPart> parts; ///< by rank
  bool operator==(const Manifest&) const = default;
};

std::string to_text(const Manifest& manifest);
/// Throws Error, which names the file `name`, for what is no manifest, or one of another version.
Manifest parse_manifest(std::string_view text, const std::string& name);

/// The folder of a generation, and in it a rank's file.
std::string generation_folder(const std::string& folder, std::uint64_t generation);
std::string part_name(const std::string& folder, std::uint64_t generation, Rank rank);
std::string manifest_name(const std::string& folder);

/// The manifest in a folder. Throws Error where there is none.
std::string read_manifest(const std::string& folder);
/// Replaces it, and removes older generations. Throws Error.
void replace_manifest(const std::string& folder, const Manifest& manifest);
/// Makes the folder of a new generation, empty, and gives its number. Throws Error.
std::uint64_t begin_generation(const std::string& folder);

/// Writes a rank's file, element by element. Throws Error.
class PartWriter {
public:
  explicit PartWriter(std::string name);
  ~PartWriter();
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  void add(std::uint16_t array, std::uint32_t element, std::string_view bytes);
  /// Everything is on the disk.
  SavedPart close();

private:
  void write(const void* from, std::size_t bytes);
  void flush();

  std::string name_;
  int file_;
  std::string buffer_; ///< not written yet
  SavedPart part_;
};

/// An element that lies in a part that was read.
struct SavedElement {
  std::uint16_t array = 0;
  std::uint32_t element = 0;
  std::string_view bytes;
};

/// Throws Error where the file is not there, or not what the manifest says.
std::string read_part(const std::string& name, const SavedPart& part);
/// The elements in the bytes of a part; they refer to it. Throws Error for what no PartWriter wrote.
std::vector<SavedElement> elements_of(std::string_view bytes, const std::string& name,
                                      const Manifest& manifest);

} // namespace thalweg::objects

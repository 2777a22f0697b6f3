// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Files that users name: read as a whole, and replaced as a whole. And descriptors that close themselves.

#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace thalweg {

/// Closes a file's or socket's descriptor when its scope ends; a negative one is none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  /// The caller closes it then.
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
};

/// The whole of a file of text, without its byte order mark. Throws Error with the path, the reason and this
/// remedy where it cannot be read, and with the line for what is no text: bytes of value 0, UTF-16.
std::string read_text(const std::string& path, const std::string& remedy);

enum class Durability {
  cached, ///< as the system writes it back
  synced, ///< on the disk on return
};

/// Writes a file. A regular one is replaced as a whole, or stays as it was; where its folder lets nobody do
/// so, it is overwritten. Links are followed. Devices, pipes and open descriptors (/dev/stdout) are written
/// to.
std::error_code write_file(const std::string& path, std::string_view content,
                           Durability durability = Durability::cached);

} // namespace thalweg

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/locations.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "mpi/observe/modules.hpp"
#include "mpi/observe/python_calls.hpp"

namespace thalweg::mpi::observe {

namespace {

// extern "C" of src/run/mpi/symbols/symbols.cpp.
using DescribeFunction = int (*)(const char* module, std::uint64_t address, char* text, std::size_t size);

std::string own_executable() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

DescribeFunction load_describe() {
  std::string path = locate(reinterpret_cast<const void*>(&load_describe)).module;
  path.erase(path.rfind('/') + 1);
  void* helper = dlopen((path + "libthalweg-symbols.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  return helper == nullptr ? nullptr
                           : reinterpret_cast<DescribeFunction>(dlsym(helper, "thalweg_describe_source"));
}

} // namespace

Location locate(const void* address) {
  Module module = module_of(address);
  if (module.found && module.path.empty()) {
    static const std::string executable = own_executable();
    module.path = executable;
  }
  if (!module.found)
    if (Location place = kept_python_place(address); !place.function.empty())
      return place;
  return {module.path, reinterpret_cast<std::uint64_t>(address) - module.base};
}

bool is_in_own_library(const Location& location) {
  const std::string_view file = std::string_view(location.module).substr(location.module.rfind('/') + 1);
  constexpr std::string_view linked[] = {"team", "stream", "objects", "balance", "place"};
  return std::ranges::any_of(linked, [file](std::string_view name) {
    return file.starts_with(fmt::format("libthalweg-{}-", name));
  });
}

std::string describe_source(const Location& location) {
  const std::string file = location.module.substr(location.module.rfind('/') + 1);
  if (!location.function.empty())
    return fmt::format("{}:{} ({})", file, location.address, location.function);
  static const DescribeFunction describe = load_describe();
  std::array<char, 512> text{};
  if (describe != nullptr && !location.module.empty() &&
      describe(location.module.c_str(), location.address, text.data(), text.size()) != 0) {
    return text.data();
  }
  return fmt::format("{}+{:#x}", file.empty() ? "code" : file, location.address);
}

} // namespace thalweg::mpi::observe

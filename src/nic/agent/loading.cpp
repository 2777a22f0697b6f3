// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/loading.hpp"

#include "base/error.hpp"
#include "nic/operator_code.hpp"
#include "nic/operator_place.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace thalweg::nic {

namespace {

constexpr std::size_t log_bytes = std::size_t{1} << 24;
constexpr std::size_t objection_letters = 300;

std::vector<std::byte> bytes_of(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(from), {}};
  if (text.empty())
    throw Error(fmt::format("{} cannot be read: {}", file, std::strerror(errno)),
                "build it: make build, with clang and libbpf", thalweg_error_system);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// Nothing where the kernel refuses; then `errno` says why, and `log` what its verifier has said. `is_trial`:
// the program that calls the first operator alone, instead of the others.
LoadedObject load(const std::vector<std::byte>& image, bool is_trial = false,
                  std::vector<char>* log = nullptr) {
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "thalweg_nic_card";
  LoadedObject object(bpf_object__open_mem(image.data(), image.size(), &options));
  if (!object)
    return nullptr;
  bpf_program* program = nullptr;
  while ((program = bpf_object__next_program(object.get(), program)) != nullptr) {
    bpf_program__set_autoload(program, (std::string_view(bpf_program__name(program)) == "trial") == is_trial);
    if (log != nullptr)
      bpf_program__set_log_buf(program, log->data(), log->size());
  }
  if (const int code = bpf_object__load(object.get()); code < 0) {
    object.reset();
    errno = -code;
  }
  return object;
}

// Throws Error where the verifier refuses the operator.
void try_alone(std::vector<std::byte> image, const Operators::Entry& one) {
  put_operator(image, 1, one.code);
  std::vector<char> log(log_bytes);
  if (load(image, true, &log))
    return;
  const int error = errno;
  const std::string said = last_words({log.data(), strnlen(log.data(), log.size())});
  throw Error(said.empty() ? std::strerror(error) : said, "");
}

// Leaves out those that `check` throws for. Numbers the others.
template <typename Check>
void sift(Operators& operators, Check check) {
  std::uint32_t taken = 0;
  for (Operators::Entry& one : operators.all()) {
    if (one.slot == 0)
      continue;
    one.slot = taken + 1;
    try {
      check(one);
      ++taken;
    } catch (const Error& error) {
      one.slot = 0;
      one.objection = std::string(error.what()).substr(0, objection_letters);
    }
  }
}

} // namespace

LoadedObject load_programs(const std::string& file, Operators& operators) {
  const std::vector<std::byte> image = bytes_of(file);
  std::vector<std::byte> filled = image;
  sift(operators, [&](const Operators::Entry& one) {
    try_alone(image, one);
    put_operator(filled, one.slot, one.code);
  });
  LoadedObject loaded = load(filled);
  if (loaded)
    return loaded;
  loaded = load(image);
  if (!loaded)
    throw Error(
        fmt::format("the kernel does not load the programs: {}", std::strerror(errno)),
        "run the agent as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; thalweg nic check says more",
        thalweg_error_system);
  filled = image;
  sift(operators, [&](const Operators::Entry& one) {
    std::vector<std::byte> fuller = filled;
    put_operator(fuller, one.slot, one.code);
    LoadedObject with = load(fuller);
    if (!with)
      throw Error(fmt::format("the programs are not loaded with it: {}", std::strerror(errno)), "");
    loaded = std::move(with);
    filled = std::move(fuller);
  });
  return loaded;
}

} // namespace thalweg::nic

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/locations.hpp"

#include "base/of_process.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <link.h>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace thalweg::mpi::observe {

namespace {

struct ModuleSearch {
  std::uint64_t address;
  Module module;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<ModuleSearch*>(argument);
  for (int index = 0; index < info->dlpi_phnum; ++index) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[index];
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address >= begin && search.address < begin + segment.p_memsz) {
      search.module = {info->dlpi_name == nullptr ? "" : info->dlpi_name, info->dlpi_addr, true};
      return 1;
    }
  }
  return 0;
}

} // namespace

Module module_of(const void* address) {
  ModuleSearch search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(visit, &search);
  return search.module;
}

namespace {

using Object = const char;

// Where Python 3.11 has what is read, on systems whose pointers are of 8 bytes. The layout is fixed within a
// minor version, as extensions are compiled for it.
namespace layout {
constexpr unsigned long version = 0x030B;
constexpr std::ptrdiff_t state_calls = 56;        // PyThreadState::cframe
constexpr std::ptrdiff_t calls_frame = 8;         // _PyCFrame::current_frame
constexpr std::ptrdiff_t frame_code = 32;         // _PyInterpreterFrame::f_code
constexpr std::ptrdiff_t frame_instruction = 56;  // _PyInterpreterFrame::prev_instr
constexpr std::ptrdiff_t object_type = 8;         // PyObject::ob_type
constexpr std::ptrdiff_t code_file = 112;         // PyCodeObject::co_filename
constexpr std::ptrdiff_t code_function = 128;     // PyCodeObject::co_qualname
constexpr std::ptrdiff_t code_instructions = 184; // PyCodeObject::co_code_adaptive
} // namespace layout

Object* pointer_at(Object* object, std::ptrdiff_t offset) {
  Object* found = nullptr;
  std::memcpy(&found, object + offset, sizeof found);
  return found;
}

// Functions of the interpreter that only read.
struct Interpreter {
  Object* (*state_of_this_thread)() = nullptr;
  int (*line_of)(Object* code, int offset) = nullptr;
  std::ptrdiff_t (*length_of)(Object* text) = nullptr;
  std::uint32_t (*character_of)(Object* text, std::ptrdiff_t index) = nullptr;
  Object* code_type = nullptr;
  Object* text_type = nullptr;
  bool known = false;

  Interpreter();
  Object* frame() const;
  std::string utf8(Object* text) const;
};

template <typename Pointer>
bool find(const char* name, Pointer& found) {
  found = reinterpret_cast<Pointer>(dlsym(RTLD_DEFAULT, name));
  return found != nullptr;
}

Interpreter::Interpreter() {
  const unsigned long* version = nullptr;
  known = sizeof(void*) == 8 && find("Py_Version", version) && *version >> 16U == layout::version &&
          find("PyGILState_GetThisThreadState", state_of_this_thread) && find("PyCode_Addr2Line", line_of) &&
          find("PyUnicode_GetLength", length_of) && find("PyUnicode_ReadChar", character_of) &&
          find("PyCode_Type", code_type) && find("PyUnicode_Type", text_type);
}

const Interpreter& interpreter() {
  static const Interpreter found;
  return found;
}

Object* Interpreter::frame() const {
  Object* const state = state_of_this_thread();
  Object* const calls = state == nullptr ? nullptr : pointer_at(state, layout::state_calls);
  return calls == nullptr ? nullptr : pointer_at(calls, layout::calls_frame);
}

std::string Interpreter::utf8(Object* text) const {
  std::string result;
  if (text == nullptr || pointer_at(text, layout::object_type) != text_type)
    return result;
  for (std::ptrdiff_t index = 0, length = length_of(text); index < length; ++index) {
    const std::uint32_t character = character_of(text, index);
    const auto tail = [&](unsigned shift) {
      result += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
    };
    if (character < 0x80) {
      result += static_cast<char>(character);
    } else if (character < 0x800) {
      result += static_cast<char>(0xC0U | character >> 6U);
      tail(0);
    } else if (character < 0x10000) {
      result += static_cast<char>(0xE0U | character >> 12U);
      tail(6);
      tail(0);
    } else {
      result += static_cast<char>(0xF0U | character >> 18U);
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return result;
}

struct Places {
  std::mutex mutex;
  std::map<const void*, Location> places;
};

Places& places() {
  return of_process<Places>();
}

// "<module>" is what Python calls code outside of functions.
std::string without_brackets(const std::string& name) {
  return name.size() > 2 && name.front() == '<' && name.back() == '>' ? name.substr(1, name.size() - 2)
                                                                      : name;
}

Location place_in(Object* frame) {
  const Interpreter& python = interpreter();
  Object* const code = pointer_at(frame, layout::frame_code);
  if (code == nullptr || pointer_at(code, layout::object_type) != python.code_type)
    return {};
  const std::ptrdiff_t offset =
      pointer_at(frame, layout::frame_instruction) - (code + layout::code_instructions);
  const int line = python.line_of(code, static_cast<int>(offset));
  return {python.utf8(pointer_at(code, layout::code_file)), static_cast<std::uint64_t>(line < 0 ? 0 : line),
          without_brackets(python.utf8(pointer_at(code, layout::code_function)))};
}

} // namespace

bool calls_for_python(const std::string& file) {
  const std::size_t name = file.rfind('/') + 1;
  const std::size_t folder = name < 2 ? std::string::npos : file.rfind('/', name - 2);
  return folder != std::string::npos && file.compare(folder + 1, name - folder - 1, "mpi4py/") == 0 &&
         file.compare(name, 4, "MPI.") == 0 && interpreter().known;
}

const void* python_instruction() {
  Object* const frame = interpreter().frame();
  return frame == nullptr ? nullptr : pointer_at(frame, layout::frame_instruction);
}

void keep_python_place(const void* instruction) {
  if (!interpreter().known)
    return;
  Object* const frame = interpreter().frame();
  if (frame == nullptr || pointer_at(frame, layout::frame_instruction) != instruction)
    return;
  const Location place = place_in(frame);
  const std::lock_guard lock(places().mutex);
  places().places.try_emplace(instruction, place);
}

Location kept_python_place(const void* instruction) {
  const std::lock_guard lock(places().mutex);
  const auto found = places().places.find(instruction);
  return found == places().places.end() ? Location{} : found->second;
}

namespace {

// extern "C" of src/run/mpi/symbols/symbols.cpp.
using DescribeFunction = int (*)(const char* module, std::uint64_t address, char* text, char* path,
                                 char* within, std::size_t size);

std::string own_executable() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return path.empty() || error ? path : whole.lexically_normal().string();
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
  return find_source(location).text;
}

Source find_source(const Location& location) {
  const std::string file = location.module.substr(location.module.rfind('/') + 1);
  if (!location.function.empty())
    return {fmt::format("{}:{} ({})", file, location.address, location.function), absolute(location.module),
            static_cast<int>(location.address), location.function};
  static const DescribeFunction describe = load_describe();
  constexpr std::size_t size = 4096;
  std::array<std::array<char, size>, 3> texts{};
  if (describe != nullptr && !location.module.empty()) {
    const int line = describe(location.module.c_str(), location.address, texts[0].data(), texts[1].data(),
                              texts[2].data(), size);
    if (line >= 0)
      return {texts[0].data(), absolute(texts[1].data()), line, texts[2].data()};
  }
  return {fmt::format("{}+{:#x}", file.empty() ? "code" : file, location.address)};
}

} // namespace thalweg::mpi::observe

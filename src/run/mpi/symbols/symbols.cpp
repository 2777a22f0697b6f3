// SPDX-License-Identifier: BSD-3-Clause

// Source lines from debugging information, in a library of its own so that libdw is loaded only when a report
// is made.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

// Looks only at files of this machine: no debug information server is asked while a program ends.
const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                               dwfl_offline_section_address, nullptr};

struct Symbol {
  GElf_Addr begin;
  GElf_Xword size;
  bool is_global;
  const char* name;
};

// A file with code, and its functions by address: dwfl_module_addrinfo() goes through all symbols at each
// question.
struct Module {
  Dwfl_Module* dwfl = nullptr;
  GElf_Addr bias = 0;
  std::vector<Symbol> functions;

  void read_functions();
  const Symbol* function_at(GElf_Addr place) const;
};

void Module::read_functions() {
  const int count = dwfl_module_getsymtab(dwfl);
  for (int index = 1; index < count; ++index) {
    GElf_Sym symbol{};
    GElf_Addr begin = 0;
    const char* const name = dwfl_module_getsym_info(dwfl, index, &symbol, &begin, nullptr, nullptr, nullptr);
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (name != nullptr && *name != '\0' && symbol.st_shndx != SHN_UNDEF &&
        (type == STT_FUNC || type == STT_GNU_IFUNC))
      functions.push_back({begin, symbol.st_size, GELF_ST_BIND(symbol.st_info) != STB_LOCAL, name});
  }
  // Of several names the one that others see is last, and so is found.
  std::ranges::stable_sort(functions, {},
                           [](const Symbol& symbol) { return std::pair(symbol.begin, symbol.is_global); });
}

// Assembly often gives functions no size: they reach to the next one.
const Symbol* Module::function_at(GElf_Addr place) const {
  const auto next = std::ranges::upper_bound(functions, place, {}, &Symbol::begin);
  if (next == functions.begin())
    return nullptr;
  const Symbol& symbol = *std::prev(next);
  return symbol.size == 0 || place < symbol.begin + symbol.size ? &symbol : nullptr;
}

Module open_module(const char* path) {
  Module module;
  if (Dwfl* dwfl = dwfl_begin(&callbacks)) {
    dwfl_report_begin(dwfl);
    module.dwfl = dwfl_report_offline(dwfl, path, path, -1);
    dwfl_report_end(dwfl, nullptr, nullptr);
  }
  if (module.dwfl != nullptr && dwfl_module_getelf(module.dwfl, &module.bias) == nullptr)
    module.dwfl = nullptr;
  if (module.dwfl != nullptr)
    module.read_functions();
  return module;
}

const Module& module_of(const char* path) {
  static std::map<std::string, Module> modules;
  const auto known = modules.find(path);
  return known != modules.end() ? known->second : modules.emplace(path, open_module(path)).first->second;
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// What stands at the end of a demangled name behind the parentheses of its parameters, " const" or the like,
// and they themselves are left out, and so is what a template's function returns.
std::string without_types(const std::string& name) {
  const std::size_t close = name.rfind(')');
  std::size_t end = name.size();
  if (close != std::string::npos && name.find('(', close) == std::string::npos) {
    int depth = 1;
    for (end = close; end > 0 && depth > 0; --end)
      depth += name[end - 1] == ')' ? 1 : name[end - 1] == '(' ? -1 : 0;
  }
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t place = 0; place < end; ++place) {
    depth += std::strchr("<({[", name[place]) != nullptr   ? 1
             : std::strchr(">)}]", name[place]) != nullptr ? -1
                                                           : 0;
    if (depth == 0 && name[place] == ' ' && (place < 8 || name.compare(place - 8, 8, "operator") != 0))
      begin = place + 1;
  }
  return end > begin ? name.substr(begin, end - begin) : name;
}

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (text == nullptr)
    return name;
  std::string whole = text;
  std::free(text);
  if (const std::size_t clone = whole.find(" [clone"); clone != std::string::npos)
    whole.erase(clone);
  return without_types(whole);
}

struct Place {
  std::string path;
  int line = 0;
};

// Compilers name files as they were given to them.
std::string whole_path(const char* file, const char* folder) {
  return file[0] == '/' || folder == nullptr ? file : std::string(folder) + "/" + file;
}

// Thalweg's own, whose functions are inlined into the program's: thalweg/team.hpp.
bool is_own_header(const std::filesystem::path& file) {
  return file.extension() == ".hpp" && file.parent_path().filename() == "thalweg";
}

// The places that inlined functions were called from, at an address of a file with debugging information: the
// innermost first. None where it does not say.
std::vector<Place> inlining_places(Dwfl_Module* module, GElf_Addr address, const char* folder) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  Dwarf_Files* files = nullptr;
  Dwarf_Die* found = nullptr;
  if (unit == nullptr || dwarf_getsrcfiles(unit, &files, nullptr) != 0 ||
      dwarf_getscopes(unit, address - bias, &found) <= 0)
    return {};
  // Around an inlined function these are the scopes of its definition, and not of where it was inlined.
  Dwarf_Die innermost{};
  const bool is_found =
      dwarf_offdie(dwfl_module_getdwarf(module, &bias), dwarf_dieoffset(found), &innermost) != nullptr;
  std::free(found);
  Dwarf_Die* scopes = nullptr;
  const int count = is_found ? dwarf_getscopes_die(&innermost, &scopes) : 0;
  std::vector<Place> places;
  for (int scope = 0; scope < count; ++scope) {
    Dwarf_Attribute attribute{};
    Dwarf_Word file = 0;
    Dwarf_Word line = 0;
    if (dwarf_tag(&scopes[scope]) == DW_TAG_inlined_subroutine &&
        dwarf_formudata(dwarf_attr(&scopes[scope], DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_formudata(dwarf_attr(&scopes[scope], DW_AT_call_line, &attribute), &line) == 0)
      if (const char* const name = dwarf_filesrc(files, file, nullptr, nullptr))
        places.push_back({whole_path(name, folder), static_cast<int>(line)});
  }
  std::free(scopes);
  return places;
}

// The line that an address is of: the program's, where functions of our headers were inlined into it.
std::optional<Place> place_of(Dwfl_Module* module, GElf_Addr address) {
  Dwfl_Line* const line = dwfl_module_getsrc(module, address);
  int number = 0;
  const char* const file =
      line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (file == nullptr)
    return std::nullopt;
  const char* const folder = dwfl_line_comp_dir(line);
  Place innermost{whole_path(file, folder), number};
  if (!is_own_header(innermost.path))
    return innermost;
  for (Place& place : inlining_places(module, address, folder))
    if (!is_own_header(place.path))
      return std::move(place);
  return innermost;
}

} // namespace

// Describes the call that returns to `address` of the file `module` by three texts, each with its end: what a
// line shows of it, the path of its source file, and the function that calls. Those that are not known are
// empty. Gives the line in the file, or 0; -1 when nothing is known of the call.
extern "C" __attribute__((visibility("default"))) int
thalweg_describe_source(const char* module, unsigned long address, char* text, char* path, char* within,
                        std::size_t size) {
  const Module& found = module_of(module);
  if (found.dwfl == nullptr) {
    return -1;
  }
  const GElf_Addr place = address + found.bias - 1; // inside of the call, not after it
  const Symbol* const function = found.function_at(place);
  const std::string name = function == nullptr ? "" : demangled(function->name);
  std::snprintf(within, size, "%s", name.c_str());
  path[0] = '\0';
  if (const std::optional<Place> source = place_of(found.dwfl, place)) {
    std::snprintf(text, size, name.empty() ? "%s:%d" : "%s:%d (%s)", base_name(source->path.c_str()),
                  source->line, name.c_str());
    std::snprintf(path, size, "%s", source->path.c_str());
    return source->line;
  }
  if (name.empty()) {
    return -1;
  }
  std::snprintf(text, size, "%s+%#lx (%s)", name.c_str(),
                static_cast<unsigned long>(place + 1 - function->begin), base_name(module));
  return 0;
}

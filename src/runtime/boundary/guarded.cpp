// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/guarded.hpp"

#include "boundary/last_error.hpp"

#include <fmt/format.h>
#include <iterator>
#include <new>
#include <system_error>

namespace thalweg::boundary {

namespace {

constexpr const char* report = "this is a defect of Thalweg: please report it";

std::string message_of(const Caller& caller, const std::string& what) {
  if (caller.rank < 0)
    return fmt::format("{}: {}", caller.call, what);
  return fmt::format("{} on rank {} of {}: {}", caller.call, caller.rank, caller.ranks, what);
}

thalweg_status keep(const Caller& caller, const Error& error) {
  const std::string call(caller.call);
  const std::string message = message_of(caller, error.what());
  const thalweg_error failed{error.status(), caller.rank, call.c_str(), error.remedy().c_str(),
                             message.c_str()};
  thalweg_keep_error(&failed);
  return error.status();
}

thalweg_status keep_lack_of_memory(const Caller& caller) {
  const thalweg_error failed{thalweg_error_out_of_memory, caller.rank, "", "", "there is not enough memory"};
  thalweg_keep_error(&failed);
  return thalweg_error_out_of_memory;
}

thalweg_status keep_current(const Caller& caller) {
  try {
    throw;
  } catch (const Error& error) {
    return keep(caller, error);
  } catch (const std::bad_alloc&) {
    return keep(caller,
                Error("there is not enough memory", "ask for less at a time", thalweg_error_out_of_memory));
  } catch (const std::system_error& error) {
    return keep(caller, Error(error.what(), "", thalweg_error_system));
  } catch (const std::exception& error) {
    return keep(caller, Error(error.what(), report, thalweg_error_internal));
  } catch (...) {
    return keep(caller, Error("something was thrown that is no exception", report, thalweg_error_internal));
  }
}

} // namespace

thalweg_status keep_exception(const Caller& caller) noexcept {
  try {
    return keep_current(caller);
  } catch (...) { // no memory for the texts
    return keep_lack_of_memory(caller);
  }
}

void must_be_given(const void* argument, std::string_view name) {
  if (argument == nullptr)
    throw Error(fmt::format("{} is NULL", name), "give a pointer");
}

} // namespace thalweg::boundary

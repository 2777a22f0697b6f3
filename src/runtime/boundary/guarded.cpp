// SPDX-License-Identifier: BSD-3-Clause
#include "boundary/guarded.hpp"

#include "base/of_process.hpp"

#include <cstddef>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <system_error>

namespace {

/// Texts of fixed size: an error can be kept in destructors after main().
struct Kept {
  thalweg_error error{thalweg_success, -1, "", "", ""};
  char call[64] = "";
  char remedy[512] = "";
  char message[2048] = "";
};

template <std::size_t size>
const char* copy(char (&place)[size], const char* text) {
  std::snprintf(place, size, "%s", text);
  return place;
}

/// The thread's own; where memory has run out before its first error, one that all such threads share.
Kept& kept_to_write() {
  static Kept of_last_resort;
  try {
    return thalweg::PerThread<Kept>::own();
  } catch (const std::bad_alloc&) {
    return of_last_resort;
  }
}

} // namespace

extern "C" const thalweg_error* thalweg_keep_error(const thalweg_error* failed) {
  if (failed == nullptr)
    return &thalweg::PerThread<Kept>::here().error;
  Kept& kept = kept_to_write();
  kept.error = {failed->status, failed->rank, copy(kept.call, failed->call),
                copy(kept.remedy, failed->remedy), copy(kept.message, failed->message)};
  return &kept.error;
}

// thalweg/status.h

extern "C" {

const char* thalweg_status_name(thalweg_status status) {
  switch (status) {
  case thalweg_success:
    return "success";
  case thalweg_error_invalid_argument:
    return "invalid argument";
  case thalweg_error_out_of_memory:
    return "out of memory";
  case thalweg_error_mpi:
    return "MPI error";
  case thalweg_error_mismatch:
    return "ranks made different calls";
  case thalweg_error_unsupported:
    return "unsupported";
  case thalweg_error_system:
    return "system error";
  case thalweg_error_not_proven:
    return "not proven";
  case thalweg_error_internal:
    return "internal error";
  case thalweg_error_handler:
    return "a handler failed";
  }
  return "unknown status";
}

const thalweg_error* thalweg_last_error(void) {
  return thalweg_keep_error(nullptr);
}

const char* thalweg_error_message(void) {
  return thalweg_last_error()->message;
}

} // extern "C"

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

// SPDX-License-Identifier: BSD-3-Clause
#include "python/arrays.hpp"
#include "python/bindings.hpp"

#include "pattern/recording.hpp"

#include <map>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace thalweg::python {

namespace {

using pattern::RecordedPhase;
using pattern::Recording;
using pattern::Sent;

/// Senders, receivers, bytes and messages.
using SentColumns = std::tuple<Row<std::int32_t>, Row<std::int32_t>, Row<std::int64_t>, Row<std::int64_t>>;
/// Phase, how often it began, what the site is, and what it sent.
using SiteOfPhase = std::tuple<std::string, std::uint64_t, std::string, SentColumns>;

template <typename Number, typename Part>
Row<Number> sent_part(const std::vector<Sent>& sent, Part part) {
  std::vector<Number> numbers;
  for (const Sent& one : sent)
    numbers.push_back(static_cast<Number>(one.*part));
  return row_of(std::move(numbers));
}

std::vector<SiteOfPhase> sites_of(const Recording& recording) {
  std::vector<SiteOfPhase> found;
  for (const RecordedPhase& phase : recording.phases) {
    std::map<std::uint32_t, std::vector<Sent>> by_site;
    for (const Sent& one : phase.sent)
      if (one.from != one.to)
        by_site[one.site].push_back(one);
    for (const auto& [number, sent] : by_site) {
      const pattern::Site& site = recording.sites[number];
      found.emplace_back(phase.name, phase.repeats, site.by + " " + site.function + " " + site.source,
                         SentColumns{sent_part<std::int32_t>(sent, &Sent::from),
                                     sent_part<std::int32_t>(sent, &Sent::to),
                                     sent_part<std::int64_t>(sent, &Sent::bytes),
                                     sent_part<std::int64_t>(sent, &Sent::messages)});
    }
  }
  return found;
}

} // namespace

void bind_recordings(nb::module_& module) {
  nb::class_<Recording>(module, "Recording", "What a run of a program sent.")
      .def_ro("ranks", &Recording::ranks)
      .def_ro("seconds", &Recording::seconds, "That the run took; 0: not known.")
      .def_ro("command", &Recording::command)
      .def("sites", &sites_of,
           "Each phase's call sites: phase, how often it began, name, and senders, receivers, bytes, "
           "messages.");
  module.def("load_recording", &pattern::load_recording, nb::arg("file"));
}

} // namespace thalweg::python

// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/attachment.hpp"

#include "base/of_process.hpp"
#include "stream/mpi/handle.hpp"
#include "thalweg/interposer.h"

#include <algorithm>
#include <dlfcn.h>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <mutex>
#include <vector>

namespace thalweg::streams {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text)
    if (letter == '"' || letter == '\\')
      result += {'\\', letter};
    else if (static_cast<unsigned char>(letter) < ' ')
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", letter);
    else
      result += letter;
  return result + '"';
}

// Its members sum and max.
std::string members_of(const Statistics& done, std::size_t item_bytes) {
  const auto sent = [&](Reason reason) { return done.slots[static_cast<std::size_t>(reason)]; };
  return fmt::format(
      R"("sum":{{"buffers_full":{},"buffers_flushed":{},"buffers_waited":{},"buffers_closed":{},)"
      R"("near_bytes":{},"far_bytes":{},"buffer_bytes":{},"far_messages":{},"hops":{},"delivered_bytes":{},)"
      R"("delivered_items":{},"waits":{},"waited_ns":{},"finish_ns":{}}},)"
      R"("max":{{"phases":{},"waves":{},"waited_ns":{},"finish_ns":{},"duration_ns":{},"max_overflow_bytes":{},)"
      R"("max_memory_bytes":{}}})",
      sent(Reason::full), sent(Reason::flush), sent(Reason::waited), sent(Reason::finish), done.near_bytes,
      done.far_bytes, done.slot_bytes, done.far_messages, done.hops, done.delivered_bytes,
      item_bytes == 0 ? 0 : done.delivered_bytes / item_bytes, done.waits, done.waited_ns, done.finish_ns,
      done.phases, done.waves, done.waited_ns, done.finish_ns, done.duration_ns, done.max_overflow_bytes,
      done.max_memory_bytes);
}

// Behind the other members, where there was anything to choose.
std::string choice_of(const MeshSet& meshes) {
  if (meshes.choice() == nullptr)
    return "";
  std::vector<std::string> candidates;
  for (const MeshChoice::Row& row : meshes.choice()->rows()) {
    std::string text = fmt::format(R"({{"candidate":"{}, buffers of {} B","note":{})", row.shape,
                                   row.fill_bytes, quoted(row.note));
    if (row.predicted_seconds > 0)
      text += fmt::format(R"(,"predicted_s":{})", row.predicted_seconds);
    if (row.seen_seconds)
      text += fmt::format(R"(,"measured_s":{})", *row.seen_seconds);
    candidates.push_back(text + "}");
  }
  return fmt::format(R"(,"choice":{{"candidates":[{}]}})", fmt::join(candidates, ","));
}

std::string loads_of(const LoadHistory& loads) {
  if (loads.kept().empty())
    return "";
  std::vector<std::string> all;
  for (const RankLoad& one : loads.kept())
    all.push_back(
        fmt::format(R"({{"number":{},"sum":{{"load_ns":{},"left":{},"entered":{}}},"max":{{"load_ns":{}}}}})",
                    one.number, one.load_ns, one.left, one.entered, one.load_ns));
  return fmt::format(R"(,"loads":[{}])", fmt::join(all, ","));
}

std::string remarks_of(std::string_view lines) {
  if (lines.empty())
    return "";
  std::vector<std::string> all;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    all.push_back(quoted(lines.substr(0, end)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return fmt::format(R"(,"remarks":[{}])", fmt::join(all, ","));
}

/// What thalweg_report_stream() is given: this rank's part of the report on a stream.
std::string report_of(const thalweg_stream& stream) {
  const ItemStream& items = stream.job.stream();
  const std::size_t item_bytes = stream.job.item_bytes();
  const std::string place =
      stream.name.empty() ? fmt::format(R"("created_at":{})", reinterpret_cast<std::uintptr_t>(stream.site))
                          : fmt::format(R"("name":{})", quoted(stream.name));
  std::vector<std::string> phases;
  for (const PhaseHistory::Phase& phase : items.phases().kept())
    phases.push_back(fmt::format(R"({{"number":{},{}}})", phase.number, members_of(phase.done, item_bytes)));
  return fmt::format(
      R"({{"id":"{:016x}",{},"same":{{"ranks":{},"item_bytes":{},"shape":{},"buffer_bytes":{},"nodes":{}}},)"
      R"({},"phases":[{}]{}{}{}}})",
      stream.id, place, stream.job.group().ranks(), item_bytes, quoted(stream.job.meshes().shape()),
      stream.job.meshes().in_use().fill_bytes, stream.job.group().node_count(),
      members_of(items.statistics(), item_bytes), fmt::join(phases, ","), loads_of(stream.loads),
      choice_of(stream.job.meshes()), remarks_of(stream.remarks));
}

/// What the interposer has; null where it does not have it, or is not there.
struct Interposer {
  decltype(&thalweg_attach_streams) attach =
      find<decltype(&thalweg_attach_streams)>("thalweg_attach_streams");
  decltype(&thalweg_detach_streams) detach =
      find<decltype(&thalweg_detach_streams)>("thalweg_detach_streams");
  decltype(&thalweg_report_stream) report = find<decltype(&thalweg_report_stream)>("thalweg_report_stream");

private:
  template <typename Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

const Interposer& interposer() {
  static const Interposer found;
  return found;
}

struct LivingStreams {
  std::vector<thalweg_stream*> all;
};

std::vector<thalweg_stream*>& living() {
  return of_process<LivingStreams>().all;
}

// Handlers may run in an MPI call where the program could be in a call of a stream instead, and nowhere else:
// not in a call of a stream, not beside another thread that uses streams. From the end of a phase to the next
// call of a stream there are none, as the program has its data to itself then: what arrives is kept.
int progress_in_mpi_call() {
  if (Call::is_open() || (Call::user() != std::this_thread::get_id() && !ProcessLock::is_held()))
    return 0;
  const std::unique_lock lock(process_lock(), std::try_to_lock);
  if (!lock.owns_lock() || living().empty())
    return 0;
  const Call call(false);
  for (thalweg_stream* stream : living())
    stream->items().hold(!stream->is_used());
  bool moved = false;
  try {
    moved = living().front()->items().progress();
  } catch (const std::exception& failed) {
    // There is no call of a stream to return it from: the end of the phase tells all ranks.
    for (thalweg_stream* stream : living())
      stream->items().fail(failed.what());
  }
  for (thalweg_stream* stream : living())
    stream->items().hold(false);
  return moved ? 1 : 0;
}

// Without memory for it, there is no report on this stream.
void report(const thalweg_stream& stream) noexcept {
  try {
    if (interposer().report != nullptr)
      interposer().report(report_of(stream).c_str());
  } catch (const std::exception&) {
  }
}

void report_all() {
  for (const thalweg_stream* stream : living())
    report(*stream);
}

constexpr thalweg_stream_hooks hooks{
    .size = sizeof(thalweg_stream_hooks), .progress = progress_in_mpi_call, .report = report_all};

} // namespace

void attach(thalweg_stream& stream) {
  const std::lock_guard lock(process_lock());
  living().push_back(&stream);
  if (living().size() == 1 && interposer().attach != nullptr)
    interposer().attach(&hooks);
}

void detach(thalweg_stream& stream) {
  report(stream);
  const std::lock_guard lock(process_lock());
  std::erase(living(), &stream);
  if (living().empty() && interposer().detach != nullptr)
    interposer().detach(&hooks);
}

} // namespace thalweg::streams

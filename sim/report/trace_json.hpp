// What is known of a trace as JSON. `Json` is the library's type of a value, which stays behind the
// .cpp files.
#pragma once

#include "sim/trace/counts.hpp"
#include "sim/trace/notes.hpp"
#include "sim/trace/replay_rules.hpp"

namespace x25sim::report {

template <typename Json>
struct TraceJson {
  static Json counts(const trace::Counts& trace) {
    return {{"records", trace.records},
            {"reads", trace.reads},
            {"writes", trace.writes},
            {"trims", trace.trims},
            {"flushes", trace.flushes},
            {"other", trace.other},
            {"bytes_read", trace.bytes_read.count},
            {"bytes_written", trace.bytes_written.count},
            {"bytes_trimmed", trace.bytes_trimmed.count},
            {"first_ns", trace.first_ns},
            {"last_ns", trace.last_ns},
            {"backward_steps", trace.backward_steps},
            {"min_byte", trace.min_byte.count},
            {"max_end_byte", trace.max_end_byte.count},
            {"unique_4k_pages_written", trace.unique_4k_pages_written},
            {"malformed", trace.malformed},
            {"issued", trace.issued},
            {"merged", trace.merged},
            {"refused", trace.refused},
            {"skipped", trace.skipped},
            {"clipped", trace.clipped},
            {"wrapped", trace.wrapped},
            {"scaled", trace.scaled},
            {"expanded", trace.expanded},
            {"clamped", trace.clamped}};
  }

  static Json note(const trace::Notes::Note& note) {
    return {{"text", note.text}, {"count", note.count}, {"lines", note.lines}};
  }

  static Json notes(const trace::Notes& notes) {
    Json list = Json::array();
    for (const trace::Notes::Note& one : notes.all()) list.push_back(note(one));
    return list;
  }

  static Json replay(const trace::ReplaySummary& summary) {
    Json json = counts(summary.counts);
    json["waiting"] = summary.waiting;
    json["passes"] = summary.passes;
    json["devices"] = Json::array();
    for (const trace::DeviceRegion& region : summary.devices) {
      json["devices"].push_back({{"name", region.name},
                                 {"records", region.records},
                                 {"region_offset", region.offset.count},
                                 {"region_length", region.length.count}});
    }
    json["notes"] = notes(summary.notes);
    return json;
  }
};

}  // namespace x25sim::report

// The files of a trace: to say where a record stands, and to read the trace once more.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nand/errors.hpp"
#include "sim/trace/reader.hpp"
#include "sim/trace/record.hpp"

namespace x25sim::trace {

struct FileNames {
  std::vector<std::string> paths;  // by Record::file, at least one

  // File and line of a record.
  SourceLocation where(const Record& record) const {
    return {paths[record.file < paths.size() ? record.file : 0], record.line};
  }
  // All of them, for messages about the trace as a whole.
  std::string all() const {
    std::string names;
    for (const std::string& path : paths) names += (names.empty() ? "" : ", ") + path;
    return names;
  }
};

struct TraceFiles {
  FileNames names;
  // Opens the trace at its start. Throws InputError with the path of a file that can't be read.
  std::function<std::unique_ptr<Reader>()> open;
  // Whether it can be opened again, with the same records: a pipe can't.
  bool rereadable = true;

  // Throws InputError if the trace can't be read once more, which `purpose` needs.
  void require_rereadable(const std::string& purpose) const {
    if (rereadable) return;
    throw InputError({names.all(), 0}, "expected a file, which can be read more than once as " +
                                           purpose + " needs, found a pipe or device");
  }
};

}  // namespace x25sim::trace

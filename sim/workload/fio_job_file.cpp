#include "sim/workload/fio_job_file.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/workload/fio_options.hpp"
#include "sim/workload/fio_region.hpp"

namespace x25sim::workload {
namespace {

// fio's own limit (--max-jobs); each job has its own queue and statistics.
constexpr std::size_t jobs_max = 4096;

constexpr std::string_view blanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// As in fio, ';' and '#' start a comment anywhere in a line.
std::string_view without_comment(std::string_view text) {
  return trimmed(text.substr(0, text.find_first_of(";#")));
}

// fio takes every section whose name begins so for a global one.
bool is_global(std::string_view name) {
  constexpr std::string_view global = "global";
  if (name.size() < global.size()) return false;
  for (std::size_t i = 0; i < global.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(name[i])) != global[i]) return false;
  }
  return true;
}

class JobFileReader {
 public:
  JobFileReader(std::string name, Bytes device_size, JobNumbering first)
      : name_(std::move(name)), device_size_(device_size), next_(first) {}

  JobFile read(std::istream& text) {
    std::string line;
    int number = 0;
    while (std::getline(text, line)) {
      ++number;
      std::string_view content = line;
      constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
      if (number == 1 && content.starts_with(byte_order_mark)) content.remove_prefix(3);
      take_line(trimmed(content), {name_, number});
    }
    finish_section();
    if (file_.jobs.empty()) {
      throw InputError({name_, 0}, "expected at least one job section such as [job], found none");
    }
    write_notices();
    // Job files follow each other as if the next one began with a stonewall.
    file_.next = {next_.number, next_.group + 1, next_.report_group + 1};
    return std::move(file_);
  }

 private:
  struct Section {
    std::string name;
    SourceLocation where;
    std::vector<OptionLine> options;
  };

  void take_line(std::string_view line, SourceLocation where) {
    if (line.starts_with('[')) {
      start_section(line, std::move(where));
      return;
    }
    line = without_comment(line);
    if (line.empty()) return;
    if (line.starts_with("include ") || line.starts_with("include\t")) {
      throw InputError(where, "'include' is not supported");
    }
    const std::size_t equals = line.find('=');
    OptionLine option{std::string(trimmed(line.substr(0, equals))), std::nullopt, std::move(where)};
    if (equals != line.npos) option.value = trimmed(line.substr(equals + 1));
    if (option.name.empty()) {
      throw InputError(option.where, fmt::format("expected option=value, found '{}'", line));
    }
    if (!section_) {
      throw InputError(option.where,
                       fmt::format("expected a section such as [global] before the first option, "
                                   "found '{}'",
                                   line));
    }
    if (option.value && option.value->find("${") != std::string::npos) {
      throw InputError(option.where,
                       fmt::format("{}: expected a value, found '{}': environment variables are "
                                   "not expanded",
                                   option.name, *option.value));
    }
    section_->options.push_back(std::move(option));
  }

  void start_section(std::string_view line, SourceLocation where) {
    const std::size_t end = line.find(']');
    if (end == line.npos) {
      throw InputError(where, fmt::format("expected ']' at the end of '{}'", line));
    }
    const std::string_view name = trimmed(line.substr(1, end - 1));
    if (name.empty()) throw InputError(where, "expected the name of a section, found '[]'");
    const std::string_view rest = without_comment(line.substr(end + 1));
    if (!rest.empty()) {
      throw InputError(where, fmt::format("expected nothing after '[{}]', found '{}'", name, rest));
    }
    finish_section();
    section_ = Section{std::string(name), std::move(where), {}};
  }

  void finish_section() {
    if (!section_) return;
    const Section section = *std::exchange(section_, std::nullopt);
    if (is_global(section.name)) {
      if (section.name.size() > std::strlen("global")) {
        notes_.texts.push_back(
            fmt::format("{}: section [{}] is a global one, as in fio: its name "
                        "begins with 'global'",
                        section.where.text(), section.name));
      }
      apply_options(section.options, global_, notes_);
      return;
    }
    JobDraft draft = global_;
    draft.job.name = section.name;
    draft.job.where = section.where;
    apply_options(section.options, draft, notes_);
    resolve_region(draft, device_size_);
    check_depth(draft);
    check_runtime(draft);
    append(draft);
  }

  void check_depth(const JobDraft& draft) {
    if (draft.job.iodepth > 1 && is_synchronous_engine(draft.engine)) {
      notes_.shallow_jobs.push_back(draft.job.name);
    }
  }

  void check_runtime(JobDraft& draft) {
    if (!draft.job.time_based || draft.job.runtime) return;
    draft.job.time_based = false;
    notes_.texts.push_back(
        fmt::format("{}: job '{}' has time_based but no runtime, and runs as if "
                    "without it, as in fio",
                    draft.job.where.text(), draft.job.name));
  }

  void append(const JobDraft& draft) {
    if (file_.jobs.size() + draft.copies > jobs_max) {
      throw InputError(draft.job.where,
                       fmt::format("expected at most {} jobs, found more", jobs_max));
    }
    if (draft.stonewall && !file_.jobs.empty()) ++next_.group;
    if ((draft.stonewall || draft.new_group) && !file_.jobs.empty()) ++next_.report_group;
    for (std::uint32_t copy = 0; copy < draft.copies; ++copy) {
      Job job = draft.job;
      job.number = next_.number++;
      job.group = next_.group;
      job.report_group = next_.report_group;
      file_.jobs.push_back(std::move(job));
    }
  }

  void write_notices() {
    if (!notes_.ignored.empty()) {
      file_.notices.push_back(
          fmt::format("{}: without a meaning for a simulated drive, ignored: {}", name_,
                      fmt::join(notes_.ignored, ", ")));
    }
    if (!notes_.shallow_jobs.empty()) {
      file_.notices.push_back(
          fmt::format("{}: fio itself would run at depth 1, for want of an "
                      "asynchronous ioengine: {}",
                      name_, fmt::join(notes_.shallow_jobs, ", ")));
    }
    std::ranges::move(notes_.texts, std::back_inserter(file_.notices));
  }

  std::string name_;
  Bytes device_size_;
  JobNumbering next_;
  JobDraft global_;
  std::optional<Section> section_;
  FioNotes notes_;
  JobFile file_;
};

}  // namespace

JobFile read_fio_job_file(const std::string& path, Bytes device_size, JobNumbering first) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError({path, 0}, "expected a job file, found a directory");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError({path, 0}, fmt::format("can't open the job file: {}", std::strerror(errno)));
  }
  return parse_fio_jobs(file, path, device_size, first);
}

JobFile parse_fio_jobs(std::istream& text, const std::string& name, Bytes device_size,
                       JobNumbering first) {
  return JobFileReader(name, device_size, first).read(text);
}

}  // namespace x25sim::workload

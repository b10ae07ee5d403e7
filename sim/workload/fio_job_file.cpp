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

#include "nand/check.hpp"
#include "nand/random.hpp"
#include "sim/workload/fio_consistency.hpp"
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

// Opens a job file or one that it includes; `where` and `kind` are for error messages.
std::ifstream open_file(const std::string& path, const SourceLocation& where,
                        std::string_view kind) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(where, fmt::format("expected a {}, found a directory", kind));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(where, fmt::format("can't open the {}: {}", kind, std::strerror(errno)));
  return file;
}

// As in fio: from the working directory, or else beside the file that names it.
std::string path_of_included(const std::string& name, const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(name, error)) return name;
  const std::size_t slash = file.rfind('/');
  return slash == file.npos ? name : file.substr(0, slash + 1) + name;
}

// The path for one copy of a job: fio takes several between colons, of which "\:" is none.
std::string path_of_copy(const std::string& paths, std::uint32_t copy) {
  std::vector<std::string> all(1);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool escaped = paths[i] == '\\' && i + 1 < paths.size() && paths[i + 1] == ':';
    if (escaped) ++i;
    if (paths[i] == ':' && !escaped) {
      all.emplace_back();
    } else {
      all.back() += paths[i];
    }
  }
  return all[copy % all.size()];
}

// Collects sections and turns them into jobs.
class JobCollector {
 public:
  JobCollector(std::string name, Bytes device_size, JobNumbering first, std::uint64_t seed)
      : name_(std::move(name)), device_size_(device_size), seed_(seed), next_(first) {}

  void start_section(std::string_view name, SourceLocation where) {
    finish_section();
    section_ = Section{std::string(name), std::move(where), {}};
  }

  bool in_section() const { return section_.has_value(); }

  void add_option(OptionLine option) {
    if (option.value && option.value->find("${") != std::string::npos) {
      throw InputError(option.where,
                       fmt::format("{}: expected a value, found '{}': environment variables are "
                                   "not expanded",
                                   option.name, *option.value));
    }
    section_->options.push_back(std::move(option));
  }

  JobFile finish() {
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
    reconcile_options(draft, notes_);
    append(draft);
  }

  void append(const JobDraft& draft) {
    if (file_.jobs.size() + draft.copies > jobs_max) {
      throw InputError(draft.job.where,
                       fmt::format("expected at most {} jobs, found more", jobs_max));
    }
    if (draft.stonewall && !file_.jobs.empty()) ++next_.group;
    if ((draft.stonewall || draft.new_group) && !file_.jobs.empty()) ++next_.report_group;
    for (std::uint32_t i = 0; i < draft.copies; ++i) {
      Job job = draft.job;
      job.number = next_.number++;
      job.group = next_.group;
      job.report_group = next_.report_group;
      // fio counts its copies from the last one down.
      const std::uint32_t copy = i == 0 ? 0 : draft.copies - i;
      Random region_random = random_stream(seed_, "workload.region", job.number);
      resolve_region(draft, copy, device_size_, region_random, job);
      if (draft.start_delay_max) job.start_delay = drawn_delay(draft, job.number);
      if (!draft.replay_paths.empty()) job.replay.path = path_of_copy(draft.replay_paths, copy);
      file_.jobs.push_back(std::move(job));
    }
  }

  Duration drawn_delay(const JobDraft& draft, std::uint32_t number) const {
    const Duration low = draft.job.start_delay;
    const auto choices = static_cast<std::uint64_t>((*draft.start_delay_max - low).count()) + 1;
    Random random = random_stream(seed_, "workload.start_delay", number);
    return low + Duration{static_cast<Duration::rep>(random.below(choices))};
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
  std::uint64_t seed_;
  JobNumbering next_;
  JobDraft global_;
  std::optional<Section> section_;
  FioNotes notes_;
  JobFile file_;
};

class JobFileReader {
 public:
  explicit JobFileReader(JobCollector& jobs) : jobs_(jobs) {}

  void read(std::istream& text, const std::string& name) {
    std::string line;
    int number = 0;
    while (std::getline(text, line)) {
      ++number;
      std::string_view content = line;
      constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
      if (number == 1 && content.starts_with(byte_order_mark)) content.remove_prefix(3);
      take_line(trimmed(content), {name, number});
    }
  }

 private:
  void take_line(std::string_view line, SourceLocation where) {
    if (line.starts_with('[')) {
      start_section(line, std::move(where));
      return;
    }
    line = without_comment(line);
    if (line.empty()) return;
    if (line.starts_with("include ") || line.starts_with("include\t")) {
      include(trimmed(line.substr(std::strlen("include"))), where);
      return;
    }
    const std::size_t equals = line.find('=');
    OptionLine option{std::string(trimmed(line.substr(0, equals))), std::nullopt, std::move(where)};
    if (equals != line.npos) option.value = trimmed(line.substr(equals + 1));
    if (option.name.empty()) {
      throw InputError(option.where, fmt::format("expected option=value, found '{}'", line));
    }
    check_in_section(line, option.where);
    jobs_.add_option(std::move(option));
  }

  void check_in_section(std::string_view line, const SourceLocation& where) const {
    if (jobs_.in_section()) return;
    throw InputError(where,
                     fmt::format("expected a section such as [global] before the first option, "
                                 "found '{}'",
                                 line));
  }

  // The lines of another file in place of this one.
  void include(std::string_view name, const SourceLocation& where) {
    check_in_section(fmt::format("include {}", name), where);
    if (depth_ == include_depth_max) {
      throw InputError(where, fmt::format("expected files included at most {} deep, found '{}'",
                                          include_depth_max, name));
    }
    const std::string path = path_of_included(std::string(name), where.file);
    std::ifstream file = open_file(path, where, fmt::format("job file '{}'", path));
    ++depth_;
    read(file, path);
    --depth_;
  }

  void start_section(std::string_view line, SourceLocation where) {
    if (depth_ > 0) {
      throw InputError(where,
                       fmt::format("expected no sections in an included file, found '{}'", line));
    }
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
    jobs_.start_section(name, std::move(where));
  }

  static constexpr int include_depth_max = 16;

  JobCollector& jobs_;
  int depth_ = 0;
};

}  // namespace

JobFile read_fio_job_file(const std::string& path, Bytes device_size, JobNumbering first,
                          std::uint64_t seed) {
  std::ifstream file = open_file(path, {path, 0}, "job file");
  return parse_fio_jobs(file, path, device_size, first, seed);
}

JobFile parse_fio_jobs(std::istream& text, const std::string& name, Bytes device_size,
                       JobNumbering first, std::uint64_t seed) {
  JobCollector jobs(name, device_size, first, seed);
  JobFileReader(jobs).read(text, name);
  return jobs.finish();
}

JobFile parse_fio_arguments(const std::vector<std::string>& words, Bytes device_size,
                            JobNumbering first, std::uint64_t seed) {
  JobCollector jobs("command line", device_size, first, seed);
  jobs.start_section("global", {});
  for (const std::string& word : words) {
    X25_CHECK(word.starts_with("--"));
    const std::size_t equals = word.find('=');
    OptionLine option{word.substr(2, std::min(equals, word.size()) - 2), std::nullopt, {word, 0}};
    if (equals != word.npos) option.value = word.substr(equals + 1);
    if (option.name == "name") {
      if (!option.value || option.value->empty()) {
        throw InputError(option.where, "expected '=' and a name");
      }
      jobs.start_section(*option.value, option.where);
      continue;
    }
    jobs.add_option(std::move(option));
  }
  return jobs.finish();
}

}  // namespace x25sim::workload

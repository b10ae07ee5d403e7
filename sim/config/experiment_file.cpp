#include "sim/config/experiment_file.hpp"

#include <algorithm>
#include <system_error>
#include <yaml-cpp/yaml.h>

#include "nand/suggestion.hpp"
#include "sim/config/data_directory.hpp"

namespace x25sim::config {

namespace {

namespace fs = std::filesystem;

// A node of the experiment's file, with errors that say where.
class Reader {
 public:
  Reader(std::string file, YAML::Node node) : file_(std::move(file)), node_(std::move(node)) {}

  SourceLocation where() const { return {file_, node_.Mark().line + 1}; }

  // Requires that the node is a mapping with no other keys than these.
  void expect_keys(const std::vector<std::string>& known) const {
    if (!node_.IsMap()) fail("expected a mapping");
    for (const auto& entry : node_) {
      const auto key = entry.first.as<std::string>();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        throw InputError({file_, entry.first.Mark().line + 1},
                         "unknown key '" + key + "'" + did_you_mean(key, known));
      }
    }
  }

  bool has(const char* key) const { return static_cast<bool>(node_[key]); }

  Reader at(const char* key) const {
    const YAML::Node child = node_[key];
    if (!child) fail(std::string("expected a key '") + key + "', found none");
    return {file_, child};
  }

  std::string text() const {
    if (!node_.IsScalar()) fail("expected text");
    return node_.as<std::string>();
  }
  std::string text(const char* key) const { return at(key).text(); }

  std::vector<Reader> items() const {
    if (!node_.IsSequence()) fail("expected a list");
    std::vector<Reader> items;
    for (const auto& item : node_) items.emplace_back(file_, item);
    return items;
  }
  std::vector<Reader> items(const char* key) const {
    return has(key) ? at(key).items() : std::vector<Reader>{};
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> texts;
    for (const Reader& item : items(key)) texts.push_back(item.text());
    return texts;
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError(where(), message); }

 private:
  std::string file_;
  YAML::Node node_;
};

Metric parse_metric(const Reader& reader) {
  const std::string text = reader.text();
  const auto metric = metric_of(text);
  if (!metric) reader.fail("expected MB/s, IOPS or us, found " + in_quotes(text));
  return *metric;
}

ExperimentRun parse_run(const Reader& reader, const std::vector<PublishedFigure>& published) {
  reader.expect_keys({"drive", "set", "figures"});
  ExperimentRun run{reader.text("drive"), reader.texts("set"), {}, reader.where()};
  for (const Reader& item : reader.items("figures")) {
    const std::string id = item.text();
    const auto figure = std::find_if(published.begin(), published.end(),
                                     [&id](const PublishedFigure& f) { return f.id == id; });
    if (figure == published.end()) item.fail("unknown published figure " + in_quotes(id));
    run.figures.push_back(*figure);
  }
  return run;
}

ExperimentCase parse_case(const Reader& reader, const std::vector<PublishedFigure>& published) {
  reader.expect_keys({"name", "prepare", "metric", "job", "runs"});
  ExperimentCase result;
  result.name = reader.text("name");
  result.preparations = reader.texts("prepare");
  result.metric = parse_metric(reader.at("metric"));
  result.job = reader.text("job");
  result.job_where = reader.at("job").where();
  for (const Reader& run : reader.items("runs")) {
    result.runs.push_back(parse_run(run, published));
  }
  return result;
}

ExperimentSweep parse_sweep(const Reader& reader, const std::vector<ExperimentCase>& cases) {
  reader.expect_keys({"name", "drive", "cases", "points"});
  ExperimentSweep sweep{reader.text("name"), reader.text("drive"), {}, {}, reader.where()};
  for (const Reader& item : reader.items("cases")) {
    const std::string name = item.text();
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [&name](const ExperimentCase& c) { return c.name == name; });
    if (found == cases.end()) item.fail("unknown case " + in_quotes(name));
    sweep.cases.push_back(static_cast<std::size_t>(found - cases.begin()));
  }
  for (const Reader& point : reader.items("points")) {
    point.expect_keys({"label", "set"});
    sweep.points.push_back({point.text("label"), point.texts("set")});
  }
  return sweep;
}

fs::path find_experiment(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml")) {
    std::error_code ignored;
    if (!fs::is_regular_file(name_or_path, ignored)) {
      throw InputError({name_or_path, 0}, "no such experiment file");
    }
    return name_or_path;
  }
  const std::vector<std::string> names = experiment_names();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    throw InputError("unknown experiment '" + name_or_path + "'" +
                     did_you_mean(name_or_path, names));
  }
  return data_directory("experiments") / (name_or_path + ".yaml");
}

}  // namespace

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(data_directory("experiments"), ignored)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Experiment load_experiment(const std::string& name_or_path) {
  const fs::path path = find_experiment(name_or_path);
  const std::vector<PublishedFigure> published =
      read_published_figures(data_directory("experiments") / "published.csv");
  try {
    const Reader root(path.string(), YAML::LoadFile(path.string()));
    root.expect_keys({"experiment", "question", "reading", "cases", "sweeps"});
    Experiment experiment;
    experiment.name = root.text("experiment");
    experiment.question = root.text("question");
    if (root.has("reading")) experiment.reading = root.text("reading");
    for (const Reader& item : root.items("cases")) {
      experiment.cases.push_back(parse_case(item, published));
    }
    for (const Reader& item : root.items("sweeps")) {
      experiment.sweeps.push_back(parse_sweep(item, experiment.cases));
    }
    return experiment;
  } catch (const YAML::Exception& error) {
    throw InputError({path.string(), error.mark.line + 1}, error.msg);
  }
}

}  // namespace x25sim::config

#include "sim/report/experiment_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/table.hpp"

namespace x25sim::report {

namespace {

using config::ExperimentCase;
using config::Metric;
using config::PublishedFigure;
using Json = nlohmann::ordered_json;

std::string number(Metric metric, double value) {
  return metric == Metric::iops ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

// A bound in B/s, in the unit of the metric; nothing for latencies.
std::optional<double> in_metric(Metric metric, const ExperimentRecord& record, double bound) {
  switch (metric) {
    case Metric::bandwidth: return bound * 1e-6;
    case Metric::iops: return bound / static_cast<double>(record.block.count);
    case Metric::latency: break;
  }
  return {};
}

std::string published_text(const PublishedFigure& figure) {
  const auto plain = [](double value) { return fmt::format("{:g}", value); };
  const std::string value =
      figure.value ? plain(*figure.value) : plain(*figure.low) + "-" + plain(*figure.high);
  return figure.id + " " + std::string(config::name(figure.role)) + " " + value + " " +
         std::string(unit(figure.unit));
}

std::string verdict_text(const PublishedFigure& figure, const ExperimentRecord& record) {
  const auto met = config::meets(figure, record.value(figure.unit));
  return !met ? "-" : *met ? "pass" : "fail";
}

std::string percent(double share) { return fmt::format("{:.0f}", 100 * share); }

// With a star where garbage collection never ran: it is then no steady value.
std::string amplification_text(const ExperimentRecord& record) {
  if (!record.write_amplification) return "-";
  return fmt::format("{:.2f}{}", *record.write_amplification, record.gc_ran ? "" : "*");
}

std::vector<std::string> run_cells(const ExperimentCase& experiment_case,
                                   const ExperimentRecord& record) {
  const Metric metric = experiment_case.metric;
  const auto bound = in_metric(metric, record, record.bounds.lowest());
  return {record.drive,
          number(metric, record.value(metric)),
          bound ? number(metric, *bound) + " " + std::string(name(record.bounds.limiting())) : "-",
          std::string(name(drive::bound_by(record.busy))),
          percent(record.busy.program_slots),
          percent(record.busy.channels),
          percent(record.busy.link),
          percent(record.busy.firmware()),
          amplification_text(record)};
}

Table case_table(const ExperimentCase& experiment_case,
                 const std::vector<const ExperimentRecord*>& records) {
  Table table({{"drive", Align::left},
               {std::string(unit(experiment_case.metric)), Align::right},
               {"bound", Align::left},
               {"bound by", Align::left},
               {"slots %", Align::right},
               {"channels %", Align::right},
               {"link %", Align::right},
               {"firmware %", Align::right},
               {"WA", Align::right},
               {"published", Align::left},
               {"error %", Align::right},
               {"verdict", Align::left}});
  for (const ExperimentRecord* record : records) {
    std::vector<std::string> cells = run_cells(experiment_case, *record);
    const std::size_t measured = cells.size();
    if (record->figures.empty()) {
      cells.insert(cells.end(), {"-", "-", "-"});
      table.add_row(cells);
    }
    for (const PublishedFigure& figure : record->figures) {
      cells.resize(measured);
      cells.insert(
          cells.end(),
          {published_text(figure),
           fmt::format("{:+.1f}", 100 * relative_error(figure, record->value(figure.unit))),
           verdict_text(figure, *record)});
      table.add_row(cells);
      std::fill(cells.begin(), cells.end(), "");  // further figures of the same run
    }
  }
  return table;
}

std::vector<const ExperimentRecord*> records_of(const ExperimentResult& result,
                                                std::size_t case_index) {
  std::vector<const ExperimentRecord*> records;
  for (const ExperimentRecord& record : result.runs) {
    if (record.measured && record.case_index == case_index) records.push_back(&record);
  }
  return records;
}

// The cases that were run on two drives, side by side: the answer at a glance.
std::string comparison_text(const ExperimentResult& result) {
  const auto& cases = result.experiment.cases;
  Table table({{"in short", Align::left},
               {"first", Align::right},
               {"bound by", Align::left},
               {"second", Align::right},
               {"bound by", Align::left},
               {"unit", Align::left},
               {"first / second", Align::right}});
  std::string drives;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto records = records_of(result, i);
    if (records.size() != 2) continue;
    drives = records[0]->drive + " (first) against " + records[1]->drive + " (second)";
    const Metric metric = cases[i].metric;
    const double first = records[0]->value(metric);
    const double second = records[1]->value(metric);
    table.add_row({cases[i].name, number(metric, first),
                   std::string(name(drive::bound_by(records[0]->busy))), number(metric, second),
                   std::string(name(drive::bound_by(records[1]->busy))), std::string(unit(metric)),
                   fmt::format("{:.2f}", first / second)});
  }
  return drives.empty() ? std::string{} : "\n" + drives + "\n" + table.text();
}

std::string sweep_text(const config::Experiment& experiment, const config::ExperimentSweep& sweep,
                       const std::vector<ExperimentRecord>& records) {
  std::vector<Column> columns{{sweep.name, Align::right}};
  for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
    const std::string letter(1, static_cast<char>('a' + i));
    columns.push_back(
        {letter + " " + std::string(unit(experiment.cases[sweep.cases[i]].metric)), Align::right});
    columns.push_back({"bound", Align::right});
    columns.push_back({"bound by", Align::left});
    columns.push_back({"WA", Align::right});
  }
  Table table(columns);
  auto record = records.begin();
  for (const auto& point : sweep.points) {
    std::vector<std::string> cells{point.label};
    for (const std::size_t number_of_case : sweep.cases) {
      if (!record->measured) {
        cells.insert(cells.end(), {"-", "-", "-", "-"});
        ++record;
        continue;
      }
      const Metric metric = experiment.cases[number_of_case].metric;
      const auto bound = in_metric(metric, *record, record->bounds.lowest());
      cells.push_back(number(metric, record->value(metric)));
      cells.push_back(bound ? number(metric, *bound) : "-");
      cells.emplace_back(name(drive::bound_by(record->busy)));
      cells.push_back(amplification_text(*record));
      ++record;
    }
    table.add_row(cells);
  }
  std::string text = fmt::format("{} with other numbers of {}\n", sweep.drive, sweep.name);
  for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
    text += fmt::format("  {}: {}\n", static_cast<char>('a' + i),
                        experiment.cases[sweep.cases[i]].name);
  }
  return text + table.text();
}

// Breaks `text` into lines of at most 100 characters.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 100;
  std::string result;
  std::string line;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line.clear();
    }
    if (!word.empty()) line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return line.empty() ? result : result + line + "\n";
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

void add_measurements(Json& row, const ExperimentRecord& record) {
  row["bandwidth"] = record.bandwidth;
  row["iops"] = record.iops;
  row["device_latency_us"] = record.device_latency_us;
  row["write_amplification"] = optional(record.write_amplification);
  row["gc_ran"] = record.gc_ran;
  row["busy"] = {{"program_slots", record.busy.program_slots},
                 {"channels", record.busy.channels},
                 {"link", record.busy.link},
                 {"firmware", record.busy.firmware()},
                 {"dies", record.busy.dies},
                 {"write_buffer", record.busy.write_buffer}};
  row["bounds"] = {{"program_slots", finite(record.bounds.program_slots)},
                   {"channels", finite(record.bounds.channels)},
                   {"link", finite(record.bounds.link)},
                   {"firmware", finite(record.bounds.firmware)},
                   {"dies", finite(record.bounds.dies)},
                   {"queue_depth", finite(record.bounds.queue_depth)}};
}

Json record_json(const ExperimentCase& experiment_case, const ExperimentRecord& record,
                 const PublishedFigure* figure, const std::string& id) {
  Json row;
  row["id"] = figure != nullptr ? figure->id : id;
  row["drive"] = record.drive;
  row["metric"] = figure != nullptr ? figure->metric : experiment_case.name;
  const Metric metric = figure != nullptr ? figure->unit : experiment_case.metric;
  row["simulated"] = record.measured ? Json(record.value(metric)) : Json(nullptr);
  row["published"] = figure != nullptr ? optional(figure->value) : Json(nullptr);
  row["low"] = figure != nullptr ? optional(figure->low) : Json(nullptr);
  row["high"] = figure != nullptr ? optional(figure->high) : Json(nullptr);
  row["unit"] = unit(metric);
  row["error"] = nullptr;
  row["verdict"] = nullptr;
  row["bound_by"] = name(drive::bound_by(record.busy));
  row["role"] = figure != nullptr ? Json(name(figure->role)) : Json(nullptr);
  if (figure != nullptr && record.measured) {
    row["error"] = relative_error(*figure, record.value(metric));
    const auto met = meets(*figure, record.value(metric));
    if (met) row["verdict"] = *met ? "pass" : "fail";
  }
  row["case"] = experiment_case.name;
  row["confidence"] = figure != nullptr ? Json(figure->confidence) : Json(nullptr);
  row["source"] = figure != nullptr ? Json(figure->source) : Json(nullptr);
  if (record.measured) {
    add_measurements(row, record);
  } else {
    row["bound_by"] = nullptr;
  }
  return row;
}

Json sweep_rows(const config::Experiment& experiment, const config::ExperimentSweep& sweep,
                const std::vector<ExperimentRecord>& records) {
  Json rows = Json::array();
  auto record = records.begin();
  for (const auto& point : sweep.points) {
    for (const std::size_t number_of_case : sweep.cases) {
      const ExperimentCase& experiment_case = experiment.cases[number_of_case];
      Json row =
          record_json(experiment_case, *record++, nullptr,
                      fmt::format("{} {}: {}", sweep.name, point.label, experiment_case.name));
      row["sweep"] = sweep.name;
      row["point"] = point.label;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

double ExperimentRecord::value(config::Metric metric) const {
  switch (metric) {
    case Metric::bandwidth: return bandwidth * 1e-6;
    case Metric::iops: return iops;
    case Metric::latency: return device_latency_us;
  }
  return 0;
}

bool passes(const ExperimentResult& result) {
  return std::all_of(result.runs.begin(), result.runs.end(), [](const ExperimentRecord& record) {
    return std::all_of(record.figures.begin(), record.figures.end(),
                       [&](const PublishedFigure& figure) {
                         return meets(figure, record.value(figure.unit)) != false;
                       });
  });
}

std::string experiment_text(const ExperimentResult& result) {
  const config::Experiment& experiment = result.experiment;
  std::string text = wrapped(experiment.question) + "\n" + wrapped(experiment.reading);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    const auto records = records_of(result, i);
    if (records.empty()) continue;
    text +=
        "\n" + experiment.cases[i].name + "\n" + case_table(experiment.cases[i], records).text();
  }
  for (std::size_t i = 0; i < experiment.sweeps.size(); ++i) {
    text += "\n" + sweep_text(experiment, experiment.sweeps[i], result.sweeps[i]);
  }
  text +=
      "\nfitted parameters (all other values are datasheet, derived or assumed: x25sim show):\n";
  for (const config::FittedParameter& parameter : result.fitted) {
    text +=
        fmt::format("  {} = {} (fitted to {})\n", parameter.key, parameter.value, parameter.row);
  }
  text += comparison_text(result);
  if (result.interrupted) text += "\ninterrupted: not all runs were done\n";
  text += fmt::format(
      "\nverdict: {} (measured figures within {:.0f} %, ratings missed by at most {:.0f} %)\n",
      result.interrupted ? "incomplete"
      : passes(result)   ? "pass"
                         : "fail",
      100 * config::measured_tolerance, 100 * config::rated_tolerance);
  return text;
}

std::string experiment_json(const ExperimentResult& result) {
  const config::Experiment& experiment = result.experiment;
  Json json;
  json["experiment"] = experiment.name;
  json["question"] = experiment.question;
  json["rows"] = Json::array();
  for (const ExperimentRecord& record : result.runs) {
    const ExperimentCase& experiment_case = experiment.cases[record.case_index];
    if (record.figures.empty()) {
      json["rows"].push_back(record_json(experiment_case, record, nullptr,
                                         record.drive + ": " + experiment_case.name));
    }
    for (const PublishedFigure& figure : record.figures) {
      json["rows"].push_back(record_json(experiment_case, record, &figure, {}));
    }
  }
  json["sweep_rows"] = Json::array();
  for (std::size_t i = 0; i < experiment.sweeps.size(); ++i) {
    for (Json& row : sweep_rows(experiment, experiment.sweeps[i], result.sweeps[i])) {
      json["sweep_rows"].push_back(std::move(row));
    }
  }
  if (result.interrupted) json["interrupted"] = true;
  json["verdict"] = result.interrupted ? Json(nullptr) : Json(passes(result) ? "pass" : "fail");
  json["fitted_parameters"] = Json::array();
  for (const config::FittedParameter& parameter : result.fitted) {
    json["fitted_parameters"].push_back(
        {{"name", parameter.key}, {"value", parameter.value}, {"row", parameter.row}});
  }
  return json.dump(2) + "\n";
}

}  // namespace x25sim::report

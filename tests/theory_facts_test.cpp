// `x25sim theory` against tables of an independent evaluation and of Monte Carlo runs, which are
// not part of the project: they are looked for in the folder that X25SIM_FACTS names, else beside
// the checkout. Cells are compared to their last digit.
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/cli_fixture.hpp"
#include "tests/near.hpp"

using namespace x25sim::test;

namespace {

// A line of a table by the names of its columns.
class Row {
 public:
  Row(const Words& names, const Words& cells) {
    for (std::size_t i = 0; i < names.size(); ++i) cells_[names[i]] = cells[i];
  }

  const std::string& text(const std::string& name) const { return cells_.at(name); }
  double number(const std::string& name) const { return std::stod(cells_.at(name)); }
  // Half a unit of the last digit, and a little for the rounding of a tie.
  double rounding(const std::string& name) const {
    const std::string& cell = cells_.at(name);
    const std::size_t point = cell.find('.');
    const auto digits = point == std::string::npos ? 0 : cell.size() - point - 1;
    return 0.51 * std::pow(10, -static_cast<double>(digits));
  }
  bool is_number(const std::string& name) const { return cells_.at(name) != "nan"; }

 private:
  std::map<std::string, std::string> cells_;
};

// Fields may be in quotes, with separators in them.
Words cells_of(const std::string& line, char separator) {
  Words cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

// The table of that name; empty, and a message, where it is not there.
std::vector<Row> table(const std::string& name, char separator = ',') {
  const char* const given = std::getenv("X25SIM_FACTS");
  const std::filesystem::path folder =
      given != nullptr ? given : X25SIM_SOURCE_DIR "/../shared/facts/theory";
  std::ifstream file(folder / name);
  if (!file) {
    MESSAGE("skipped: no " << (folder / name).string());
    return {};
  }
  std::vector<Row> rows;
  Words names;
  for (std::string line; std::getline(file, line);) {
    const Words cells = cells_of(line, separator);
    if (names.empty()) {
      names = cells;
    } else if (cells.size() == names.size()) {
      rows.emplace_back(names, cells);
    }
  }
  CHECK_FALSE(rows.empty());
  return rows;
}

Json theory(const std::string& words) {
  const ProgramResult result = run_program(Words{"theory"} + cells_of(words, ' '));
  INFO(words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  return Json::parse(result.out);
}

double value(const Json& json, const char* name) { return json.at(name).get<double>(); }

double amplification(const std::string& words) {
  return value(theory("wa " + words), "write_amplification");
}

// Whether `result` is what the row says, to its last digit.
bool agrees(double result, const Row& row, const std::string& name) {
  if (near(result, row.number(name), row.rounding(name))) return true;
  MESSAGE("column ", name);
  return false;
}

}  // namespace

TEST_CASE("theory wa has the tables of uniform writes under every policy") {
  for (const Row& row : table("theory_uniform.csv")) {
    const std::string spare = "--spare-factor " + row.text("Sf");
    CAPTURE(spare);
    CHECK(agrees(amplification(spare + " --policy fifo"), row, "fifo"));
    CHECK(agrees(amplification(spare + " --policy random"), row, "random"));
    for (const std::string pages : {"32", "64", "128", "256", "512"}) {
      const std::string blocks = spare + " --pages-per-block " + pages;
      CHECK(agrees(amplification(blocks), row, fmt::format("greedy{}", pages)));
      if (pages == "512") continue;
      for (const std::string d : {"2", "4", "8", "10", "20"}) {
        const double choices = amplification(blocks + " --policy d-choices --d " + d);
        CHECK(agrees(choices, row, fmt::format("d{}_b{}", d, pages)));
      }
    }
  }
}

TEST_CASE("theory wa and wear are near the Monte Carlo runs of uniform writes") {
  for (const Row& row : table("compare_uniform.csv")) {
    const std::string policy = row.text("policy") == "dch" ? "d-choices" : row.text("policy");
    const Json json =
        theory("wear --policy " + policy + " --d " + row.text("d") + " --spare-factor " +
               row.text("Sf") + " --pages-per-block " + row.text("b"));
    CAPTURE(json.at("inputs").dump());
    const double result = value(json, "write_amplification");
    CHECK(agrees(result, row, "WA_model"));
    CHECK(near(result, row.number("WA_mc"), 0.008 * result));
    // Their ties of greedy blocks are not at random, and their runs are short.
    CHECK(agrees(value(json, "erase_dispersion"), row, "cv2_model"));
  }
}

TEST_CASE("theory wa has the tables of hot and cold pages and of their best split") {
  for (const Row& row : table("hotcold_models.csv")) {
    const std::string words = "--spare-factor " + row.text("Sf") + " --hot-writes " +
                              row.text("r") + " --hot-fraction " + row.text("f");
    CAPTURE(words);
    const Json fifo = theory("wa --policy fifo " + words);
    CHECK(agrees(value(fifo, "write_amplification"), row, "fifo_mixed"));
    CHECK(agrees(value(fifo, "write_amplification_uniform"), row, "fifo_uniform"));
    CHECK(agrees(value(fifo, "write_amplification_separate"), row, "opt_fifo"));
    CHECK(near(value(fifo, "hot_space"), row.number("t_hot"), 1e-3));
    CHECK(near(value(fifo, "spare_factor_hot"), row.number("Sf_hot"), 2e-3));
    CHECK(near(value(fifo, "spare_factor_cold"), row.number("Sf_cold"), 2e-3));
    const Json greedy = theory("wa --policy greedy " + words);
    CHECK(agrees(value(greedy, "write_amplification_uniform"), row, "greedy128_uniform"));
    CHECK(agrees(value(greedy, "write_amplification_separate"), row, "opt_greedy128"));
    // The minimum is flat.
    CHECK(near(value(greedy, "hot_space"), row.number("t_hot_g"), 0.02));
  }
}

TEST_CASE("theory wa is near the Monte Carlo runs of hot pages, trims and long requests") {
  std::size_t compared = 0;
  const std::vector<Row> rows = table("mc_misc.csv", ';');
  for (const Row& row : rows) {
    std::map<std::string, std::string> arguments;
    std::istringstream words(row.text("args"));
    for (std::string name, next; words >> name;) {
      if (name != "-dual") words >> next;
      arguments[name] = next;
    }
    const std::string label = row.text("label");
    const std::string policy = arguments["-pol"];
    if (arguments.contains("-dual") || (policy != "fifo" && policy != "greedy")) continue;
    std::string command = "--policy " + policy + " --spare-factor " + arguments["-S"] +
                          " --pages-per-block " + arguments["-b"];
    double tolerance = 0.005;
    if (label == "hotcold") {
      command += " --hot-writes " + arguments["-r"] + " --hot-fraction " + arguments["-f"];
      // Their greedy collection takes the latest of equal blocks, the model's any.
      if (policy == "greedy") tolerance = 0.04;
    } else if (label == "trim") {
      command += " --trim-share " + arguments["-q"];
    } else if (label == "chunk_aligned") {
      command += " --request-pages " + arguments["-chunk"];
    } else if (label != "partial") {
      continue;
    }
    CAPTURE(command);
    ++compared;
    const double result = amplification(command);
    CHECK(near(result, row.number("result"), tolerance * result));
  }
  CHECK((rows.empty() || compared > 40));
}

TEST_CASE("theory wa has the table of trims") {
  for (const Row& row : table("trim_models.csv")) {
    const std::string words = "--spare-factor " + row.text("Sf") + " --trim-share " + row.text("q");
    CAPTURE(words);
    const Json fifo = theory("wa --policy fifo " + words);
    CHECK(agrees(value(fifo, "in_use_share"), row, "s"));
    CHECK(agrees(value(fifo, "spare_factor_effective"), row, "Sf_eff"));
    CHECK(agrees(value(fifo, "write_amplification"), row, "WA_fifo"));
    CHECK(agrees(amplification("--policy greedy " + words), row, "WA_greedy128"));
  }
}

TEST_CASE("theory span has the tables of partial use, with the rest empty or stale") {
  const std::string drive = "span --raw 40GiB --addressable 40.02066432GB ";
  for (const Row& row : table("partial_lba.csv")) {
    // The table's sizes are rounded.
    const std::string words = "span --raw " + row.text("raw_GB") + "GB --addressable " +
                              row.text("data_per_drive_GB") + "GB --data " +
                              row.text("data_per_drive_GB") + "GB --policy ";
    CAPTURE(words);
    for (const auto& [policy, column] :
         {std::pair("fifo", "WA_fifo"), std::pair("greedy", "WA_greedy128"),
          std::pair("greedy --pages-per-block 256", "WA_greedy256"),
          std::pair("d-choices --d 10", "WA_d10_128"), std::pair("random", "WA_random")}) {
      const double result = value(theory(words + policy), "write_amplification");
      CHECK(near(result, row.number(column), 5e-4 * result));
    }
  }
  for (const Row& row : table("stale.csv")) {
    const std::string words =
        drive + "--data " + row.text("D_GB") + "GB --drives " + row.text("n_drives");
    const Json greedy = theory(words);
    CHECK(agrees(value(greedy, "write_amplification_stale"), row,
                 "WA_segregated_greedy128(static excluded)"));
    CHECK(agrees(value(greedy, "write_amplification"), row, "WA_if_trimmed_greedy128"));
    CHECK(agrees(value(theory(words + " --policy fifo"), "write_amplification_stale"), row,
                 "WA_fifo_static_recopied"));
  }
}

TEST_CASE("theory wear has the table of erase dispersion") {
  for (const Row& row : table("wear_cv2.csv")) {
    const std::string words = "wear --spare-factor " + row.text("Sf") + " --pages-per-block " +
                              row.text("b") + " --policy ";
    for (const auto& [policy, column] :
         {std::pair("greedy", "greedy_randtie"), std::pair("random", "random(d1)"),
          std::pair("d-choices --d 2", "d2"), std::pair("d-choices --d 4", "d4"),
          std::pair("d-choices --d 10", "d10"), std::pair("d-choices --d 20", "d20")}) {
      CAPTURE(policy);
      CHECK(agrees(value(theory(words + policy), "erase_dispersion"), row, column));
    }
  }
}

TEST_CASE("theory transient is near the Monte Carlo runs of empty and filled drives") {
  for (const Row& row : table("transient_summary.csv")) {
    const std::string words =
        "transient --policy " + row.text("policy") + " --spare-factor " + row.text("Sf");
    CAPTURE(words);
    CAPTURE(row.text("init"));
    const Json at_5 = theory(words + " --drive-writes 5");
    CHECK(agrees(value(at_5, "write_amplification_steady"), row, "WA_ss_model"));
    const bool empty = row.text("init") == "0";
    if (empty) {
      CHECK(
          near(value(at_5, "write_amplification"), row.number("at_5"), 0.03 * row.number("at_5")));
      CHECK(near(value(at_5, "empty_within_5_percent"), row.number("DW_to_within5pct_for_good"),
                 0.6));
    }
    const std::string name =
        fmt::format("trans_{}_S{:.{}f}_init{}.csv", row.text("policy"), row.number("Sf"),
                    row.number("Sf") < 0.1 ? 4 : 2, row.text("init"));
    // Collection starts with the first interval that copies anything.
    for (const Row& interval : table(name)) {
      if (interval.number("WA") == 1) continue;
      const double start = value(at_5, empty ? "empty_gc_start" : "filled_gc_start");
      CHECK(near(start, interval.number("drivewrites") - 0.01, 0.015));
      break;
    }
  }
}

TEST_CASE("theory iops has the tables of dies and of networks against queue depth") {
  for (const Row& row : table("queue_qd.csv")) {
    const std::string words = "iops --dies " + row.text("N") + " --queue-depth " + row.text("K");
    CAPTURE(words);
    const Json json = theory(words);
    CHECK(agrees(value(json, "busy_dies_exponential"), row, "exp_exact"));
    CHECK(agrees(value(json, "busy_dies_batch"), row, "batch"));
    CHECK(agrees(value(json, "busy_dies_mean_field"), row, "det_meanfield"));
    const double busy = value(json, "busy_dies");
    if (row.is_number("det_exact")) CHECK(agrees(busy, row, "det_exact"));
    CHECK(near(busy, row.number("det_mc"), 2e-3 * busy));
    CHECK(value(json, "busy_dies_lower_bound") <= busy + 1e-9);
    CHECK(busy <= row.number("bound_min(K;N)") + 1e-9);
  }
  for (const Row& row : table("queue_mva.csv")) {
    const std::string words = "iops --dies " + row.text("N") + " --queue-depth " + row.text("K") +
                              " --channels " + row.text("C") + " --read-time " + row.text("tR_us") +
                              "us --transfer-time " + row.text("tX_us") + "us --link-time " +
                              row.text("tH_us") + "us";
    CAPTURE(words);
    const Json json = theory(words);
    const double iops = value(json, "iops");
    CHECK(agrees(iops, row, "IOPS_mva_exp"));
    CHECK(near(iops, row.number("IOPS_mc_exp"), 0.01 * iops));
    CHECK(agrees(value(json, "iops_upper_bound"), row, "bound_opt"));
    CHECK(agrees(value(json, "iops_lower_bound"), row, "bound_pess"));
    // Equal times are between the exponential ones and the bound.
    CHECK(iops <= 1.002 * row.number("IOPS_mc_det"));
    CHECK(row.number("IOPS_mc_det") <= 1.002 * value(json, "iops_upper_bound"));
  }
}

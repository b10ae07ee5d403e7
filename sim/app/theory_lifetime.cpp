// How a drive comes to its steady state, and how it wears: the subjects `transient` and `wear`.
#include <array>
#include <cmath>

#include "sim/app/theory_subjects.hpp"
#include "sim/model/transient.hpp"
#include "sim/model/wear.hpp"

namespace x25sim::app {

namespace {

using Values = std::vector<report::TheoryValue>;

constexpr std::array transient_options{
    policy_option, choices_option, spare_factor_option, pages_per_block_option,
    TheoryOption{"drive-writes", "T",
                 "also the write amplification of a once empty drive after T drive writes"}};

constexpr std::array wear_options{
    policy_option,
    choices_option,
    spare_factor_option,
    pages_per_block_option,
    TheoryOption{"write-amplification", "A", "use this one; no --spare-factor is needed then"},
    TheoryOption{"cycles", "N", "erases of a block in the mean; for the lifetime, its rated ones"},
    TheoryOption{"blocks", "N", "number of blocks, for the most worn one"},
    TheoryOption{"raw", "SIZE", "flash of the drive, for the lifetime"},
    TheoryOption{"wear-factor", "W",
                 "most worn over mean block (default: as the model says, or 1)"},
    TheoryOption{"host-writes-per-day", "SIZE", "for the lifetime in years"},
    TheoryOption{"static-share", "K", "share of the blocks with static data (default 0)"},
    TheoryOption{"swap-threshold", "N",
                 "static wear levelling: erases between most and least worn (default: none)"}};

constexpr const char* settling_formula = "WA(t) = A(1 - (1 - S)(1 - exp(-t))), derived";

void add_settling(Values& values, const std::string& name, const model::Collection& collection,
                  double spare_factor, double tolerance) {
  const auto time = model::empty_settling_time(collection, spare_factor, tolerance);
  if (time) values.push_back({name, *time, "drive writes", settling_formula});
}

Values evaluate_transient(TheoryArguments& arguments) {
  const model::Collection collection = read_collection(arguments);
  const double spare_factor = arguments.number("spare-factor", spare_factor_range);
  Values values{
      {"write_amplification_steady", model::write_amplification(collection, spare_factor), "",
       formula_of(collection)},
      {"filled_gc_start", model::filled_collection_start(spare_factor), "drive writes",
       "filled first: OP = S / (1 - S)"},
      {"filled_write_amplification_onset", model::filled_onset_write_amplification(spare_factor),
       "", "first victims in order of age: 1 / (1 - exp(-OP)), derived"},
      {"empty_gc_start", model::empty_collection_start(spare_factor), "drive writes",
       "empty first: 1 / (1 - S)"}};
  add_settling(values, "empty_within_5_percent", collection, spare_factor, 0.05);
  add_settling(values, "empty_within_2_percent", collection, spare_factor, 0.02);
  if (arguments.given("drive-writes")) {
    const double drive_writes = arguments.number("drive-writes", {0, 1e6});
    values.push_back({"write_amplification",
                      model::empty_write_amplification(collection, spare_factor, drive_writes), "",
                      settling_formula});
  }
  return values;
}

// Write amplification of the host's load, and how erases spread where a model tells.
struct Load {
  double write_amplification = 1;
  std::optional<double> dispersion;
};

Load read_load(TheoryArguments& arguments, Values& values) {
  if (arguments.given("write-amplification")) {
    for (const char* const name : {"policy", "d", "spare-factor", "pages-per-block", "blocks"}) {
      if (arguments.given(name)) arguments.refuse(name, "nothing beside --write-amplification");
    }
    const double given = arguments.number("write-amplification", {0.01, 10000});
    values.push_back({"write_amplification", given, "", "as given"});
    return {given, {}};
  }
  const model::Collection collection = read_collection(arguments);
  const double spare_factor = arguments.number("spare-factor", spare_factor_range);
  const Load load{model::write_amplification(collection, spare_factor),
                  model::erase_dispersion(collection, spare_factor)};
  values.push_back({"write_amplification", load.write_amplification, "", formula_of(collection)});
  values.push_back({"erase_dispersion", *load.dispersion, "",
                    "variance / mean of erase counts, no wear levelling: renewals, derived"});
  return load;
}

// Most worn over mean block: as given, else as the spread of `cycles` erases over the blocks tells.
double add_spread(TheoryArguments& arguments, Values& values, const Load& load, double cycles) {
  double factor = 1;
  if (load.dispersion && arguments.given("blocks")) {
    const double blocks = arguments.number("blocks", {1, 1e12});
    const double most = model::expected_max_erases(cycles, *load.dispersion, blocks);
    values.push_back({"erase_stddev", std::sqrt(*load.dispersion * cycles), "erases",
                      "sqrt(dispersion x mean)"});
    values.push_back(
        {"erase_max", most, "erases", "mean + sqrt(2 dispersion mean ln blocks), normal deviates"});
    factor = most / cycles;
  }
  return arguments.given("wear-factor") ? arguments.number("wear-factor", {1, 10000}) : factor;
}

// Write amplification with static wear levelling, or, where static blocks are left alone, the share
// of all blocks that wears.
void apply_static_blocks(TheoryArguments& arguments, Values& values, Load& load, double& wearing) {
  if (!arguments.given("static-share") && !arguments.given("swap-threshold")) return;
  const double share = arguments.number("static-share", {0, 0.999}, "0");
  if (!arguments.given("swap-threshold")) {
    wearing = 1 - share;
    values.push_back({"wearing_share", wearing, "", "no static wear levelling: 1 - static share"});
    return;
  }
  const double threshold = arguments.number("swap-threshold", {1, 1e6});
  load.write_amplification *= model::static_levelling_factor(share, threshold);
  values.push_back({"write_amplification_levelled", load.write_amplification, "",
                    "WA (1 + static share / threshold), derived"});
}

// Refuses the options that say nothing without another one.
void require_companions(const TheoryArguments& arguments) {
  if (!arguments.given("cycles")) {
    for (const char* const name : {"blocks", "raw"}) {
      if (arguments.given(name)) arguments.refuse("cycles", std::string("erases for --") + name);
    }
  }
  if (!arguments.given("raw")) {
    for (const char* const name : {"wear-factor", "host-writes-per-day"}) {
      if (arguments.given(name)) {
        arguments.refuse("raw", std::string("an amount of data for --") + name);
      }
    }
  }
}

Values evaluate_wear(TheoryArguments& arguments) {
  require_companions(arguments);
  Values values;
  Load load = read_load(arguments, values);
  double wearing = 1;
  apply_static_blocks(arguments, values, load, wearing);
  if (!arguments.given("cycles")) return values;
  const double cycles = arguments.number("cycles", {1, 1e9});
  const double factor = add_spread(arguments, values, load, cycles);
  if (!arguments.given("raw")) return values;
  const double lifetime = model::lifetime_bytes(wearing * arguments.bytes("raw"), cycles,
                                                load.write_amplification, factor);
  values.push_back({"wear_factor", factor, "", "most worn over mean block"});
  values.push_back(
      {"lifetime_bytes", lifetime, "B", "raw x cycles / (WA x wear factor): Intel's rating"});
  if (arguments.given("host-writes-per-day")) {
    const double years = lifetime / arguments.bytes("host-writes-per-day") / 365.25;
    values.push_back({"lifetime_years", years, "years", "lifetime / host writes"});
  }
  return values;
}

constexpr TheorySubject transient_theory{
    .name = "transient",
    .summary = "when garbage collection starts, and the way to the steady state",
    .about =
        "Uniform random writes to a drive that was filled first, or empty. Time is in drive "
        "writes.",
    .example = "x25sim theory transient --policy greedy --spare-factor 0.1 --drive-writes 5",
    .options = transient_options,
    .evaluate = evaluate_transient};

constexpr TheorySubject wear_theory{
    .name = "wear",
    .summary = "spread of erases, cost of wear levelling, lifetime",
    .about = "Wear under uniform random writes.",
    .example =
        "x25sim theory wear --policy greedy --spare-factor 0.0682 --cycles 5000 "
        "--blocks 81920 --raw 40GiB",
    .options = wear_options,
    .evaluate = evaluate_wear};

}  // namespace

const TheorySubject& transient_subject() { return transient_theory; }
const TheorySubject& wear_subject() { return wear_theory; }

}  // namespace x25sim::app

// Write amplification under steady, mixed and partial loads: the subjects `wa` and `span`.
#include <array>
#include <fmt/format.h>

#include "sim/app/theory_subjects.hpp"
#include "sim/model/hot_cold.hpp"
#include "sim/model/space.hpp"

namespace x25sim::app {

namespace {

using model::VictimPolicy;
using report::TheoryValue;
using Values = std::vector<TheoryValue>;

constexpr std::uint32_t pages_per_block_max = 65536;

constexpr std::array write_amplification_options{
    policy_option,
    choices_option,
    spare_factor_option,
    pages_per_block_option,
    TheoryOption{"request-pages", "N",
                 "pages of a random request, aligned to its size (default 1)"},
    TheoryOption{"hot-fraction", "F", "share of the pages that is hot; with --hot-writes"},
    TheoryOption{"hot-writes", "R", "share of the writes that goes to the hot pages"},
    TheoryOption{"trim-share", "Q", "share of the requests that trims a page (default 0)"}};

constexpr std::array span_options{
    policy_option,
    choices_option,
    pages_per_block_option,
    TheoryOption{"raw", "SIZE", "flash that takes part in garbage collection, as \"40 GiB\""},
    TheoryOption{"addressable", "SIZE", "what the host can address"},
    TheoryOption{"data", "SIZE", "what it writes to, at random, on all drives together"},
    TheoryOption{"drives", "N", "equal drives over which the data are spread (default 1)"}};

// Values that say what a steady state with that write amplification looks like.
void add_victims(Values& values, const model::Collection& collection, double write_amplification) {
  values.push_back(
      {"victim_valid_share", 1 - 1 / write_amplification, "", "mean of victims: 1 - 1 / WA"});
  values.push_back({"host_pages_per_victim", collection.pages_per_block / write_amplification,
                    "pages", "pages per block / WA"});
}

// Hot and cold pages in the same blocks.
double mixed(TheoryArguments& arguments, const model::Collection& collection, double spare_factor,
             const model::HotCold& mix) {
  switch (collection.policy) {
    case VictimPolicy::random: return model::random_write_amplification(spare_factor);
    case VictimPolicy::fifo: {
      const std::array<model::TrafficClass, 2> classes{
          {{mix.writes, mix.space}, {1 - mix.writes, 1 - mix.space}}};
      return model::fifo_mixed_write_amplification(spare_factor, classes);
    }
    case VictimPolicy::greedy:
    case VictimPolicy::d_choices: break;
  }
  const std::string model_name = " for hot and cold pages under this policy";
  if (spare_factor < model::mixed_share_min || spare_factor > 1 - model::mixed_share_min) {
    arguments.refuse("spare-factor", "0.01 to 0.99, after trims," + model_name);
  }
  if (collection.pages_per_block > model::mixed_pages_per_block_max) {
    arguments.refuse("pages-per-block",
                     fmt::format("at most {}{}", model::mixed_pages_per_block_max, model_name));
  }
  const std::uint32_t choices = collection.policy == VictimPolicy::greedy ? 0 : collection.choices;
  const auto result =
      model::mixed_write_amplification(spare_factor, collection.pages_per_block, choices, mix);
  if (!result) arguments.refuse("hot-writes", "a milder mix: this one has not settled");
  return *result;
}

std::string mixed_formula(const model::Collection& collection) {
  switch (collection.policy) {
    case VictimPolicy::random: return formula_of(collection);
    case VictimPolicy::fifo: return "FIFO, one frontier, independent writes: Desnoyers 2014";
    case VictimPolicy::greedy:
    case VictimPolicy::d_choices: break;
  }
  return "one frontier, mean field of hot and cold pages: after Van Houdt 2013";
}

void add_hot_cold(Values& values, TheoryArguments& arguments, const model::Collection& collection,
                  double spare_factor) {
  const Interval shares{model::mixed_share_min, 1 - model::mixed_share_min};
  const double space = arguments.number("hot-fraction", shares);
  const model::HotCold mix{.writes = arguments.number("hot-writes", shares), .space = space};
  values.push_back({"write_amplification", mixed(arguments, collection, spare_factor, mix), "",
                    mixed_formula(collection)});
  values.push_back({"write_amplification_uniform",
                    model::write_amplification(collection, spare_factor), "",
                    formula_of(collection)});
  const model::SeparatePools pools =
      model::best_separate_pools(spare_factor, mix, [&collection](double pool_spare_factor) {
        return model::write_amplification(collection, pool_spare_factor);
      });
  values.push_back({"write_amplification_separate", pools.write_amplification, "",
                    "two uniform pools with the best split of space: Desnoyers 2014"});
  values.push_back({"hot_space", pools.hot_space, "", "share of all pages that the hot pool has"});
  values.push_back({"spare_factor_hot", pools.spare_factor_hot, "", "of the hot pool"});
  values.push_back({"spare_factor_cold", pools.spare_factor_cold, "", "of the cold pool"});
}

model::Collection read_requests(TheoryArguments& arguments) {
  model::Collection collection = read_collection(arguments);
  const std::uint32_t per_block = collection.pages_per_block;
  const std::uint32_t per_request = arguments.count("request-pages", 1, pages_per_block_max, "1");
  if (per_block % per_request != 0 && per_request % per_block != 0) {
    arguments.refuse("request-pages", fmt::format("a divisor or a multiple of {}", per_block));
  }
  collection.pages_per_block = model::effective_pages_per_block(per_block, per_request);
  return collection;
}

Values evaluate_write_amplification(TheoryArguments& arguments) {
  const model::Collection collection = read_requests(arguments);
  const double nominal = arguments.number("spare-factor", spare_factor_range);
  const double trims = arguments.number("trim-share", {0, 0.499}, "0");
  const double spare_factor = model::trimmed_spare_factor(nominal, trims);
  Values values;
  if (arguments.given("hot-fraction") || arguments.given("hot-writes")) {
    if (trims > 0) {
      arguments.refuse("trim-share", "none with --hot-fraction: there is no closed form of both");
    }
    add_hot_cold(values, arguments, collection, spare_factor);
  } else {
    values.push_back({"write_amplification", model::write_amplification(collection, spare_factor),
                      "", formula_of(collection)});
  }
  add_victims(values, collection, std::get<double>(values.front().value));
  values.push_back({"spare_factor_effective", spare_factor, "",
                    "1 - s (1 - S): Frankie, Hughes and Kreutz-Delgado 2012"});
  values.push_back({"in_use_share", model::trimmed_in_use_share(trims), "",
                    "s = (1 - 2 Q) / (1 - Q) of the pages hold data"});
  values.push_back({"over_provisioning", nominal / (1 - nominal), "", "(T - U) / U, nominal"});
  return values;
}

// One drive's share of the data.
model::Span read_span(TheoryArguments& arguments, std::uint32_t drives) {
  model::Span span{};
  span.raw = arguments.bytes("raw");
  span.addressable = arguments.bytes("addressable");
  span.data = arguments.bytes("data") / drives;
  if (span.addressable > (1 - spare_factor_range.min) * span.raw) {
    arguments.refuse("addressable", "at most 99.9 % of --raw");
  }
  if (span.data > span.addressable) {
    arguments.refuse("data", "at most --addressable for each of the drives");
  }
  if (span.data < (1 - spare_factor_range.max) * span.raw) {
    arguments.refuse("data", "at least 0.1 % of --raw for each of the drives");
  }
  return span;
}

// Throughput of all drives over that of one that holds all the data, if garbage collection decides.
void add_scaling(Values& values, const std::string& name, double drives, double on_one,
                 double on_all) {
  values.push_back({name, drives * on_one / on_all, "", "drives x WA on one / WA, if GC decides"});
}

Values evaluate_span(TheoryArguments& arguments) {
  const model::Collection collection = read_collection(arguments);
  const std::uint32_t drives = arguments.count("drives", 1, 1024, "1");
  const model::Span span = read_span(arguments, drives);
  const model::Span whole{span.raw, span.addressable, span.data * drives};
  const bool fits_one = whole.data <= whole.addressable;
  const auto amplification = [&collection](double spare_factor) {
    return model::write_amplification(collection, spare_factor);
  };
  const double clean = model::clean_spare_factor(span);
  const std::string uniform = formula_of(collection);
  Values values{{"write_amplification", amplification(clean), "", uniform},
                {"spare_factor", clean, "", "the rest never written or trimmed: 1 - data / raw"},
                {"write_amplification_full", amplification(1 - span.addressable / span.raw), "",
                 "data at every address; " + uniform}};
  if (fits_one) {
    add_scaling(values, "scaling", drives, amplification(model::clean_spare_factor(whole)),
                amplification(clean));
  }
  if (collection.policy != VictimPolicy::greedy && collection.policy != VictimPolicy::fifo) {
    return values;
  }
  const double stale = model::stale_write_amplification(collection, span);
  values.push_back({"write_amplification_stale", stale, "",
                    collection.policy == VictimPolicy::greedy
                        ? "the rest stale in full blocks, left alone: as a smaller drive"
                        : "the rest stale and copied in every cycle: Desnoyers 2014"});
  if (fits_one) {
    add_scaling(values, "scaling_stale", drives,
                model::stale_write_amplification(collection, whole), stale);
  }
  return values;
}

constexpr TheorySubject write_amplification_theory{
    .name = "wa",
    .summary = "write amplification of random writes",
    .about = "Write amplification of random page writes in the steady state, for many blocks.",
    .example = "x25sim theory wa --policy greedy --spare-factor 0.0687 --pages-per-block 128",
    .options = write_amplification_options,
    .evaluate = evaluate_write_amplification};

constexpr TheorySubject span_theory{
    .name = "span",
    .summary = "write amplification where only a part of the drive is in use, and scaling",
    .about =
        "Write amplification of random writes to a part of the drive's addresses, with the "
        "rest never written or trimmed, or stale; and what spreading the data over several "
        "drives brings.",
    .example = "x25sim theory span --raw 40GiB --addressable 40.02GB --data 34GB --drives 2",
    .options = span_options,
    .evaluate = evaluate_span};

}  // namespace

const TheorySubject& write_amplification_subject() { return write_amplification_theory; }
const TheorySubject& span_subject() { return span_theory; }

model::Collection read_collection(TheoryArguments& arguments) {
  model::Collection collection;
  const std::string policy =
      arguments.choice("policy", {"greedy", "fifo", "random", "d-choices"}, "greedy");
  if (policy == "fifo") collection.policy = VictimPolicy::fifo;
  if (policy == "random") collection.policy = VictimPolicy::random;
  if (policy == "d-choices") collection.policy = VictimPolicy::d_choices;
  if (collection.policy == VictimPolicy::d_choices || arguments.given("d")) {
    collection.choices = arguments.count("d", 1, 1'000'000, "10");
  }
  collection.pages_per_block = arguments.count("pages-per-block", 1, pages_per_block_max, "128");
  return collection;
}

std::string formula_of(const model::Collection& collection) {
  switch (collection.policy) {
    case VictimPolicy::greedy: return "greedy, many blocks: Bux and Iliadis 2010, Desnoyers 2014";
    case VictimPolicy::fifo:
      return "Lambert W: Menon 1995, Xiang and Kurkoski 2012, Desnoyers 2014";
    case VictimPolicy::random: return "1 / spare factor";
    case VictimPolicy::d_choices: return "d-choices mean field: Van Houdt 2013";
  }
  return {};
}

}  // namespace x25sim::app

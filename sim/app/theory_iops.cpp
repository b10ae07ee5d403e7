// Random reads against queue depth: the subject `iops`.
#include <array>

#include "sim/app/theory_subjects.hpp"
#include "sim/model/queueing.hpp"

namespace x25sim::app {

namespace {

using Values = std::vector<report::TheoryValue>;

constexpr std::array iops_options{
    TheoryOption{"dies", "N", "dies of one drive"},
    TheoryOption{"queue-depth", "K", "requests in flight, on all drives together"},
    TheoryOption{"service", "NAME",
                 "time of a die: deterministic (default with dies alone) or exponential (default "
                 "with more than dies)"},
    TheoryOption{"read-time", "TIME", "time of a die for a request (default 30us)"},
    TheoryOption{"channels", "C", "channels of one drive (default: without limit)"},
    TheoryOption{"transfer-time", "TIME",
                 "time of a channel for a request (default with --channels: 107.85us)"},
    TheoryOption{"link-time", "TIME", "time of a drive's host link for a request (default 0us)"},
    TheoryOption{"think-time", "TIME", "time of a request outside the drive (default 0us)"},
    TheoryOption{"drives", "N", "equal drives over which requests spread evenly (default 1)"}};

struct Question {
  std::uint32_t dies;  // of one drive, as all below
  std::uint32_t queue_depth;
  double read_time;
  std::uint32_t channels = 0;
  double transfer_time = 0;
  double link_time = 0;
  double think_time = 0;

  bool dies_alone() const { return transfer_time == 0 && link_time == 0 && think_time == 0; }

  model::ClosedNetwork network(std::uint32_t drives) const {
    return {
        .stations = {{read_time / (dies * drives), dies * drives},
                     {channels > 0 ? transfer_time / (channels * drives) : 0.0, channels * drives},
                     {link_time / drives, drives}},
        .think_time = think_time};
  }
};

double positive_time(TheoryArguments& arguments, std::string_view name,
                     std::string_view otherwise) {
  const double time = arguments.time_s(name, otherwise);
  if (time <= 0) arguments.refuse(name, "a duration above 0 ns");
  return time;
}

Question read_question(TheoryArguments& arguments) {
  Question question{.dies = arguments.count("dies", 1, 4096),
                    .queue_depth = arguments.count("queue-depth", 1, 65536),
                    .read_time = positive_time(arguments, "read-time", "30us")};
  if (arguments.given("channels")) {
    question.channels = arguments.count("channels", 1, 4096);
    question.transfer_time = positive_time(arguments, "transfer-time", "107.85us");
  } else if (arguments.given("transfer-time")) {
    arguments.refuse("channels", "a whole number for --transfer-time");
  }
  question.link_time = arguments.time_s("link-time", "0us");
  question.think_time = arguments.time_s("think-time", "0us");
  return question;
}

double lock_step(std::uint32_t dies, std::uint32_t queue_depth) {
  return queue_depth <= model::lock_step_depth_max
             ? model::lock_step_busy_dies(dies, queue_depth)
             : model::lock_step_lower_bound(dies, queue_depth);
}

const char* lock_step_formula(std::uint32_t queue_depth) {
  return queue_depth <= model::lock_step_depth_max
             ? "equal times: Markov chain on queue lengths, exact"
             : "equal times: E[B]^2 - (2 K + 2 N - 1) E[B] + 2 K N = 0, derived; a lower bound";
}

// Dies and nothing else.
Values evaluate_dies(const Question& question, bool deterministic, std::uint32_t drives) {
  const std::uint32_t dies = question.dies * drives;
  const std::uint32_t depth = question.queue_depth;
  const char* const exponential_formula = "exponential times: N K / (N + K - 1), exact";
  const double exponential = model::exponential_busy_dies(dies, depth);
  const double busy = deterministic ? lock_step(dies, depth) : exponential;
  const double of_one = deterministic ? lock_step(question.dies, depth)
                                      : model::exponential_busy_dies(question.dies, depth);
  const double iops = busy / question.read_time;
  return {
      {"busy_dies", busy, "dies", deterministic ? lock_step_formula(depth) : exponential_formula},
      {"iops", iops, "1/s", "busy dies / read time"},
      {"response_time_us", 1e6 * depth / iops, "us", "Little: K / IOPS"},
      {"scaling", busy / of_one, "", "IOPS over those of one drive at the same depth"},
      {"busy_dies_exponential", exponential, "dies", exponential_formula},
      {"busy_dies_lower_bound", model::lock_step_lower_bound(dies, depth), "dies",
       "equal times: E[B]^2 - (2 K + 2 N - 1) E[B] + 2 K N = 0, derived"},
      {"busy_dies_mean_field", model::mean_field_busy_dies(dies, depth), "dies",
       "equal times, many dies: N (1 + k - sqrt(1 + k^2)), k = K / N"},
      {"busy_dies_batch", model::batch_busy_dies(dies, depth), "dies",
       "K requests at once on idle dies: N (1 - (1 - 1 / N)^K), an upper bound"}};
}

// Dies, channels, link and think time, all exponential.
Values evaluate_network(const Question& question, std::uint32_t drives) {
  const model::ClosedNetwork network = question.network(drives);
  const model::NetworkResult result = model::mean_value_analysis(network, question.queue_depth);
  const model::NetworkResult of_one =
      model::mean_value_analysis(question.network(1), question.queue_depth);
  const model::ThroughputBounds bounds = model::asymptotic_bounds(network, question.queue_depth);
  const double iops = result.throughput;
  Values values{
      {"busy_dies", iops * question.read_time, "dies", "IOPS x read time"},
      {"iops", iops, "1/s",
       "exponential times: mean value analysis, exact: Reiser and Lavenberg 1980"},
      {"response_time_us", 1e6 * result.response_time, "us", "without think time"},
      {"scaling", iops / of_one.throughput, "", "IOPS over those of one drive at the same depth"},
      {"iops_lower_bound", bounds.lower, "1/s", "any times: Lazowska et al. 1984"},
      {"iops_upper_bound", bounds.upper, "1/s", "any times: Lazowska et al. 1984"}};
  if (question.channels > 0) {
    values.push_back(
        {"busy_channels", iops * question.transfer_time, "channels", "IOPS x transfer time"});
  }
  if (question.link_time > 0) {
    values.push_back({"busy_links", iops * question.link_time, "links", "IOPS x link time"});
  }
  return values;
}

Values evaluate_iops(TheoryArguments& arguments) {
  const Question question = read_question(arguments);
  const std::uint32_t drives = arguments.count("drives", 1, 1024, "1");
  const bool dies_alone = question.dies_alone();
  const std::string service = arguments.choice("service", {"deterministic", "exponential"},
                                               dies_alone ? "deterministic" : "exponential");
  if (dies_alone) return evaluate_dies(question, service == "deterministic", drives);
  if (service == "deterministic") {
    arguments.refuse("service", "exponential with --channels, --link-time or --think-time");
  }
  return evaluate_network(question, drives);
}

constexpr TheorySubject iops_theory{
    .name = "iops",
    .summary = "random reads per second against queue depth",
    .about =
        "Random reads of one die each, in a closed loop: every request that ends is followed "
        "by another at once. A die is free again when its read time is over.",
    .example = "x25sim theory iops --dies 20 --queue-depth 32",
    .options = iops_options,
    .evaluate = evaluate_iops};

}  // namespace

const TheorySubject& iops_subject() { return iops_theory; }

}  // namespace x25sim::app

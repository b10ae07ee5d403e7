// The host: keeps requests in flight at a device and measures them.
//
// Models: jobs at a queue depth and at the pace of their options (sim/backend/job_flow.hpp),
// recorded requests at their times; a fixed delay from the decision to issue a request to its
// arrival at the device. Does not model: the host's processor as a shared resource.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/backend/job_flow.hpp"
#include "sim/drive/device.hpp"
#include "sim/drive/span_observer.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/measure/job_statistics.hpp"

namespace x25sim::backend {

class Runner final : public drive::CompletionListener, public kernel::Actor {
 public:
  // `command_overhead`: delay before a request reaches the device.
  Runner(kernel::Kernel& kernel, Duration command_overhead);

  // Where requests go. Call once, before the first run.
  void attach(drive::Device& device) { device_ = &device; }
  void set_observer(drive::SpanObserver* observer) { observer_ = observer; }
  // Is called with every stream at the moment when its measurement starts.
  void on_measurement(std::function<void()> callback) {
    measurement_callback_ = std::move(callback);
  }
  // Is called every few thousand events.
  void on_progress(std::function<void()> callback) { progress_callback_ = std::move(callback); }
  // When `stop` becomes true, no request is issued any more and the run ends with what is in
  // flight.
  void stop_on(const std::atomic<bool>& stop) { stop_ = &stop; }

  // Runs the streams side by side until all their requests are complete; the statistics in the
  // order of the streams. Stops the program if requests are left over when nothing happens any
  // more, or if one was completed that was not issued.
  std::vector<measure::JobStatistics> run(const std::vector<Stream>& streams);

  // Goes on until the device has nothing to do, buffered writes included.
  void drain();

  // How far the present run is, 0 to 1, by requests or by time; 0 where neither is limited.
  double progress() const;
  bool interrupted() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  void on_complete(std::uint64_t id) override;
  void on_event(std::uint32_t number) override;

 private:
  enum Resources : std::uint32_t { arrival_resource, wake_resource, ramp_resource, resource_count };

  struct Pending {
    std::uint32_t flow = 0;
    std::uint32_t parts = 0;  // commands that are not complete yet
    bool flushing = false;    // of a durable write: the write is complete, the flush is not
    CompletedRequest times;
  };

  struct Arrival {
    Time time{};
    std::uint64_t id = 0;
  };

  void run_flow(std::uint32_t number);
  void wake_flows();
  void issue(std::uint32_t number, const workload::Request& request);
  void send(std::uint64_t id);
  void stop_flows();
  void begin_measurements();
  void submit(std::uint64_t id);
  bool step();
  std::string stall_report() const;

  kernel::Kernel& kernel_;
  const Duration command_overhead_;
  const std::uint32_t first_leaf_;
  drive::Device* device_ = nullptr;
  drive::SpanObserver* observer_ = nullptr;
  std::function<void()> measurement_callback_;
  std::function<void()> progress_callback_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<JobFlow> flows_;
  std::size_t ended_flows_ = 0;
  // When sleeping flows go on: by time, then by number.
  using Wake = std::pair<Time, std::uint32_t>;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
  std::vector<Pending> pending_;  // by id
  std::vector<std::uint64_t> free_ids_;
  std::deque<Arrival> arrivals_;  // requests on their way to the device, in order of time
  std::uint64_t in_flight_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace x25sim::backend

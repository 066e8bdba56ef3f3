// windows: windows.csv, load, latency and stalls of a run in windows of time.
#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "model/stall_cause.h"
#include "params/units_of_names.h"
#include "sim/driver/collective_driver.h"
#include "sim/network/network.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/observer.h"

namespace flitscope::windows_observer {
namespace {

constexpr auto kFile = "windows.csv";

struct Keys {
  Cycle windows = 0;
};

/// Messages count in the window in which they were handed over or arrived, stalls cycle by cycle.
class Windows final : public Observer, public MessageObserver, public CircuitObserver {
 public:
  Windows(const Keys& keys, ObservedRun& run)
      : width_(keys.windows), file_(run.file(kFile)), nodes_(run.topology.nodes()) {
    if (run.clock) units_.emplace(*run.clock, run.machine.flit_bytes);
    if (run.topology.has_links()) {
      run.on_messages(*this);
      clock_ = &run.network().clock();
      clock_->on_stalls_counted(width_, [this](Cycle until) { take_stalls(until); });
    } else {
      run.on_circuits(*this);
    }
  }

  void sent(const Packet& packet, Cycle now) override {
    window(now).generated_flits += packet.flits;
    flits_[packet.id] = packet.flits;
  }
  void delivered(const Delivery& delivery) override {
    const auto flits = flits_.extract(delivery.id);
    if (!flits.empty()) count(flits.mapped(), delivery.ready, delivery.arrived);
  }
  void sent(const Transmission& message) override { window(message.begin).generated_flits += message.flits; }
  void arrived(const Transmission& message) override { count(message.flits, message.begin, message.end); }
  void ended(Cycle last) override {
    if (clock_ == nullptr) return;
    for (const Cycle until : {std::min(window_end(stalls_until_), last + 1), last + 1}) {
      clock_->core().count_stalls(until);
      take_stalls(until);
    }
  }
  void close(const RunEnd& end) override {
    window(end.last);
    std::string text =
        "begin_cycle,end_cycle,offered,accepted,waiting_flits,messages,latency_mean_cycles,latency_p99_"
        "cycles,latency_max_cycles";
    for (const StallCauseInfo& cause : kStallCauseTable) text += fmt::format(",{}_flit_cycles", cause.name);
    text += "\n";
    std::uint64_t waiting = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const Window& window = windows_[i];
      const Cycle begin = i * width_;
      const Cycle until = std::min(begin + width_, end.last + 1);
      const double node_cycles = static_cast<double>(until - begin) * nodes_;
      const LatencySummary latency = window.latencies.summary();
      waiting += window.generated_flits - window.arrived_flits;
      text += fmt::format("{},{},{:.6f},{:.6f},{},{},", begin, until,
                          static_cast<double>(window.generated_flits) / node_cycles,
                          static_cast<double>(window.arrived_flits) / node_cycles, waiting, latency.messages);
      text +=
          latency.messages == 0 ? ",," : fmt::format("{:.4f},{},{}", latency.mean, latency.p99, latency.max);
      for (const std::uint64_t stalls : window.stalls) text += fmt::format(",{}", stalls);
      text += "\n";
    }
    ObserverFile out(file_);
    out << (units_ ? csv_in_units(text, *units_) : text);
    out.finish();
  }

 private:
  struct Window {
    std::uint64_t generated_flits = 0;
    std::uint64_t arrived_flits = 0;
    LatencyCounter latencies;
    StallCounts stalls{};
  };

  [[nodiscard]] Cycle window_end(Cycle now) const { return (now / width_ + 1) * width_; }
  /// Takes the stalls before `until`: of one window, or of several in which the same flits were stalled.
  void take_stalls(Cycle until) {
    const StallCounts& stalls = std::as_const(*clock_).core().stalls();
    for (; stalls_until_ < until; stalls_until_ = std::min(window_end(stalls_until_), until)) {
      const Cycle cycles = std::min(window_end(stalls_until_), until) - stalls_until_;
      for (unsigned cause = 0; cause < kStallCauses; ++cause) {
        const std::uint64_t left = stalls[cause] - stalls_[cause];
        const std::uint64_t part =
            stalls_until_ + cycles == until ? left : left / (until - stalls_until_) * cycles;
        window(stalls_until_).stalls[cause] += part;
        stalls_[cause] += part;
      }
    }
  }

  Window& window(Cycle now) {
    const std::size_t index = now / width_;
    if (index >= windows_.size()) windows_.resize(index + 1);
    return windows_[index];
  }
  void count(std::uint32_t flits, Cycle ready, Cycle arrived) {
    Window& now = window(arrived);
    now.arrived_flits += flits;
    now.latencies.add(arrived - ready);
  }

  Cycle width_;
  std::optional<ClockUnits> units_;  ///< with a clock
  std::filesystem::path file_;
  double nodes_;
  ClockDomain* clock_ = nullptr;  ///< of links
  // Stalls in `windows_`, those before a cycle.
  Cycle stalls_until_ = 0;
  StallCounts stalls_{};
  std::vector<Window> windows_;
  std::unordered_map<std::uint64_t, std::uint32_t> flits_;  ///< of messages in flight
};

const ObserverEntry<Keys> entry{
    {.name = "windows",
     .summary = "load, latency and stalls in windows of time",
     .files = {kFile},
     .keys = {.name = "observe",
              .rows = {row(&Keys::windows,
                           Parameter::cycles("windows",
                                             "windows.csv: offered and accepted load, latency and stalls in "
                                             "windows of so many cycles; 0: none",
                                             {0, kMaxCycles}))}},
     .order = -3,
     .wanted = [](const Keys& keys) { return keys.windows > 0; },
     .make = [](const Keys& keys, ObservedRun& run) -> std::unique_ptr<Observer> {
       return std::make_unique<Windows>(keys, run);
     }}};

}  // namespace
}  // namespace flitscope::windows_observer

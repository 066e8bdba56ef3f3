// messages: messages.csv, a line for every message that arrived, with its time split exactly; on circuits
// also tunings.csv, a line for every tuning.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "params/units_of_names.h"
#include "sim/driver/collective_driver.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/observer.h"

namespace flitscope::messages_observer {
namespace {

/// ",ready_ns,arrival_ns,..": the columns of times once more.
std::string columns_in_nanoseconds(const std::string& columns) {
  std::string text;
  std::istringstream names(columns);
  for (std::string name; std::getline(names, name, ',');) {
    if (const auto in_units = name_in_units(name)) text += "," + in_units->name;
  }
  return text;
}

/// A CSV file that is written line by line; with a clock it has a column in nanoseconds for each column of
/// times, behind the others. Throws OutputError.
class CsvFile {
 public:
  CsvFile(const std::filesystem::path& file, const std::string& columns, std::optional<ClockPeriod> clock)
      : out_(file), clock_(clock) {
    out_ << columns << (clock_ ? columns_in_nanoseconds(columns) : "") << '\n';
  }
  /// Adds cells to the line.
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::print(out_, format, std::forward<Values>(values)...);
  }
  /// Adds cells of times, in cycles.
  void add_times(std::initializer_list<std::optional<Cycle>> times) {
    for (const std::optional<Cycle> time : times) {
      out_ << ',';
      if (time) out_ << *time;
      times_.push_back(time);
    }
  }
  void end_line() {
    for (const std::optional<Cycle> time : times_) {
      if (!clock_) break;
      out_ << ',';
      if (time) fmt::print(out_, "{:.12g}", clock_->nanoseconds(static_cast<double>(*time)));
    }
    out_ << '\n';
    times_.clear();
  }
  void close() { out_.finish(); }

 private:
  ObserverFile out_;
  std::optional<ClockPeriod> clock_;
  std::vector<std::optional<Cycle>> times_;  ///< of the line
};

// --- Tail serialization ------------------------------------------------------------------------------------

using CyclesByCause = std::array<Cycle, kStallCauses>;

Cycle sum_of(const CyclesByCause& stalls) {
  return std::accumulate(stalls.begin(), stalls.end(), Cycle{0});
}

/// The tail serialization of a message (docs/timing.md) by cause, in cycles.
struct TailParts {
  /// Flits behind the head waited in the network interface for a slot of the source router's FIFO.
  Cycle injection = 0;
  /// Flits behind the head were stalled in a router.
  CyclesByCause stalls{};

  void add(const TailParts& other) {
    injection += other.injection;
    add_causes(other.stalls, stalls);
  }
};

/// Takes up to `cycles` away and returns how many are left to be taken.
Cycle take_away(Cycle& part, Cycle cycles) {
  const Cycle taken = std::min(part, cycles);
  part -= taken;
  return cycles - taken;
}

/// Keeps the gaps between the flits of every worm.
///
/// Tail serialization is the sum of the gaps at the destination, where a gap is the time between two
/// successive flits of a message, less the interval of the ejection channel. A gap grows by the stalls of the
/// flit behind it and shrinks while the flit before it waits: cycles that a worm has caught up have no cause.
/// Stalls that only part flits which are closer than that interval do not count. Of several causes of a gap
/// that shrinks, the first one in the order of TailParts is forgotten first.
///
/// Must see all flits and stalls from the start of a message on; memory follows the flits in the network.
class TailSerialization final : public FlitObserver, public StallObserver {
 public:
  TailSerialization(const MachineConfig& machine, unsigned link_ports)
      : interval_(machine.ejection_interval), link_ports_(link_ports) {}

  void injected(Cycle now, NodeId /*node*/, unsigned /*channel*/, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override {
    Worm& worm = worms_[message];
    QueuedFlit& flit = worm.flits.emplace_back();
    flit.place = 1;
    if (index == 0) {
      worm.left.assign(1, now);
      return;
    }
    flit.gap = static_cast<std::int64_t>(now - std::exchange(worm.left[0], now)) - interval_;
    flit.parts.injection = static_cast<Cycle>(std::max<std::int64_t>(flit.gap, 0));
  }

  void moved(Cycle now, NodeId /*node*/, unsigned port, unsigned /*vc*/, std::uint64_t message,
             std::uint32_t index, bool /*tail*/) override {
    Worm& worm = worms_.at(message);
    QueuedFlit& flit = worm.flits[index - worm.ejected];
    if (index == 0) {
      ++flit.place;
      worm.left.push_back(now);
    } else {
      leave(worm, flit, now);
    }
    if (port < link_ports_) return;
    worm.sum.add(flit.parts);
    worm.flits.pop_front();
    ++worm.ejected;
  }

  void stalled(const FlitStall& stall) override {
    if (stall.index == 0) return;
    Worm& worm = worms_.at(stall.message);
    worm.flits[stall.index - worm.ejected].stalls[static_cast<unsigned>(stall.cause)] += stall.cycles;
  }

  /// The parts of a message that has arrived. Forgets it.
  [[nodiscard]] TailParts take(std::uint64_t message) {
    const auto worm = worms_.extract(message);
    return worm.empty() ? TailParts() : worm.mapped().sum;
  }

 private:
  /// A flit in the network and the gap before it.
  struct QueuedFlit {
    std::size_t place = 0;   ///< routers it has left, the network interface included
    std::int64_t gap = 0;    ///< below zero: closer than the interval
    TailParts parts;         ///< of the gap, if it is above zero
    CyclesByCause stalls{};  ///< in the router it is in
  };
  struct Worm {
    std::vector<Cycle> left;       ///< by place: when the latest flit left it
    std::deque<QueuedFlit> flits;  ///< that have not left the network, in order
    std::uint32_t ejected = 0;
    TailParts sum;
  };

  static void shrink(QueuedFlit& flit, std::int64_t cycles) {
    flit.gap -= cycles;
    const Cycle total = flit.parts.injection + sum_of(flit.parts.stalls);
    const auto left = static_cast<Cycle>(std::max<std::int64_t>(flit.gap, 0));
    Cycle excess = total > left ? total - left : 0;
    excess = take_away(flit.parts.injection, excess);
    for (Cycle& part : flit.parts.stalls) excess = take_away(part, excess);
  }
  static void grow(QueuedFlit& flit) {
    auto stalls = std::exchange(flit.stalls, {});
    Cycle uncounted = static_cast<Cycle>(std::max<std::int64_t>(-flit.gap, 0));
    flit.gap += static_cast<std::int64_t>(sum_of(stalls));
    // The interval of the ejection channel is first: it parts flits that are too close.
    uncounted = take_away(stalls[static_cast<unsigned>(StallCause::ejection_busy)], uncounted);
    for (Cycle& cycles : stalls) uncounted = take_away(cycles, uncounted);
    flit.parts.add({0, stalls});
  }
  /// The flit leaves the place it is in, behind the one before it.
  void leave(Worm& worm, QueuedFlit& flit, Cycle now) const {
    const Cycle before = std::exchange(worm.left[flit.place++], now);
    const auto gap = static_cast<std::int64_t>(now - before) - interval_;
    // While the flit before it waited and this one was not here yet, the gap shrank.
    shrink(flit, flit.gap + static_cast<std::int64_t>(sum_of(flit.stalls)) - gap);
    grow(flit);
  }

  std::int64_t interval_;  ///< of ejection channels
  unsigned link_ports_;
  std::unordered_map<std::uint64_t, Worm> worms_;
};

// --- On links ----------------------------------------------------------------------------------------------

std::string link_columns(bool has_classes) {
  std::string text = fmt::format(
      "step,message,source,destination{},flits,links,ready_cycle,arrival_cycle,latency_cycles,{},"
      "tail_injection_cycles",
      has_classes ? ",message_class" : "", latency_columns());
  for (const StallCauseInfo& cause : kStallCauseTable) {
    if (cause.of_tails) text += fmt::format(",tail_{}_cycles", cause.name);
  }
  return text +
         ",longest_wait_cycles,longest_wait_from_cycle,longest_wait_node,longest_wait_channel,longest_wait_"
         "cause,longest_wait_culprit";
}

/// Messages in the order in which they arrive. Their times add up as LatencyParts says.
class OnLinks final : public Observer {
 public:
  explicit OnLinks(ObservedRun& run)
      : topology_(run.topology),
        classes_(run.machine.classes),
        file_(run.file("messages.csv"), link_columns(!classes_.empty()), run.clock),
        tails_(run.machine, run.topology.link_ports()) {
    run.on_flits(tails_);
    run.on_stalls(tails_);
    run.on_arrivals([this](const MessageArrival& arrival) { add(arrival); });
  }
  void close(const RunEnd& /*end*/) override { file_.close(); }

 private:
  void add(const MessageArrival& arrival) {
    const ArrivedMessage& arrived = arrival.message;
    const LatencyParts& parts = arrival.parts;
    const MessageName name = message_name(arrived.delivery.id);
    file_.add("{},{},\"{}\",\"{}\"", name.step, name.place, topology_.node_name(arrived.message.source),
              topology_.node_name(arrived.message.destination));
    if (!classes_.empty()) file_.add(",{}", classes_[arrived.delivery.message_class].name);
    file_.add(",{},{}", arrived.flits, parts.links);
    file_.add_times({arrived.delivery.ready, arrived.delivery.arrived, parts.latency});
    for (const Cycle cycles : latency_cells(parts)) file_.add_times({cycles});
    const TailParts tail = tails_.take(arrived.delivery.id);
    file_.add_times({tail.injection});
    for (unsigned cause = 0; cause < kStallCauses; ++cause) {
      if (kStallCauseTable[cause].of_tails) file_.add_times({tail.stalls[cause]});
    }
    add(arrival.longest_wait);
    file_.end_line();
  }
  void add(const Wait* longest) {
    if (longest == nullptr) {
      file_.add_times({0, std::nullopt});
      return file_.add(",,,,");
    }
    file_.add_times({longest->cycles, longest->from});
    const bool is_link = longest->port < topology_.link_ports();
    file_.add(",\"{}\",\"{}\",{},{}", topology_.node_name(longest->node),
              is_link ? topology_.channel_name(topology_.channel(longest->node, longest->port)) : "ejection",
              name_of(longest->cause), longest->culprit ? message_label(*longest->culprit) : "");
  }

  const Topology& topology_;
  std::span<const MessageClass> classes_;
  CsvFile file_;
  TailSerialization tails_;
};

// --- On circuits -------------------------------------------------------------------------------------------

/// Messages in the order in which they arrive, and tunings in that in which they begin. A port sends from
/// start to arrival, and a circuit exists from ready on.
class OnCircuits final : public Observer, public CircuitObserver {
 public:
  explicit OnCircuits(ObservedRun& run)
      : startup_(run.machine.startup),
        messages_(run.file("messages.csv"),
                  "step,message,source,port,destination,flits,start_cycle,arrival_cycle,latency_cycles,"
                  "startup_cycles,flits_cycles",
                  run.clock),
        tunings_(run.file("tunings.csv"), "node,port,target,start_cycle,ready_cycle", run.clock) {
    run.on_circuits(*this);
  }
  void tuned(const Circuit& circuit, Cycle begin, Cycle ready) override {
    tunings_.add("{},{},{}", circuit.node, circuit.port, circuit.target);
    tunings_.add_times({begin, ready});
    tunings_.end_line();
  }
  void arrived(const Transmission& message) override {
    const MessageName name = message_name(message.id);
    messages_.add("{},{},{},{},{},{}", name.step, name.place, message.source, message.port,
                  message.destination, message.flits);
    messages_.add_times({message.begin, message.end, message.end - message.begin, startup_, message.flits});
    messages_.end_line();
  }
  void close(const RunEnd& /*end*/) override {
    messages_.close();
    tunings_.close();
  }

 private:
  Cycle startup_;
  CsvFile messages_;
  CsvFile tunings_;
};

struct Keys {
  bool messages = false;
};

const ObserverEntry<Keys> entry{
    {.name = "messages",
     .summary = "every message with its time split, on circuits also every tuning",
     .files = {"messages.csv", "tunings.csv"},
     .keys = {.name = "observe",
              .rows = {row(&Keys::messages, "messages",
                           "messages.csv: a line for every message, with its time split")}},
     .order = -6,
     .wanted = [](const Keys& keys) { return keys.messages; },
     .make = make_for_network<Keys, OnLinks, OnCircuits>}};

}  // namespace
}  // namespace flitscope::messages_observer

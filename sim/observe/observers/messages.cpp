// messages: a line for every message that arrived, with its time split; on circuits also one for every
// tuning.
#include "sim/driver/collective_driver.h"
#include "sim/observe/circuits/circuit_log.h"
#include "sim/observe/flits/message_log.h"
#include "sim/observe/observer.h"

namespace flitscope::messages_observer {
namespace {

struct Keys {
  bool messages = false;
};

class OnLinks final : public Observer {
 public:
  explicit OnLinks(LinkRun& run)
      : log_(run.file("messages.csv"), run.topology), lag_(run.machine, run.topology.link_ports()) {
    run.on_flits(lag_);
    run.on_stalls(lag_);
    run.on_arrivals([this](const MessageArrival& arrival) {
      const LagParts lag = lag_.take(arrival.message.delivery.id);
      log_.write(arrival.message, arrival.parts, lag, arrival.longest_wait);
    });
  }
  void close(const RunEnd& /*end*/) override { log_.close(); }

 private:
  MessageLog log_;
  TailLag lag_;
};

class OnCircuits final : public Observer {
 public:
  explicit OnCircuits(CircuitRun& run) : log_(run.file("messages.csv"), run.machine.startup) {
    run.on_circuits(log_);
  }
  void close(const RunEnd& /*end*/) override { log_.close(); }

 private:
  CircuitLog log_;
};

const ObserverEntry<Keys> entry{
    {.name = "messages",
     .summary = "every message with its time split, on circuits also every tuning",
     .files = {"messages.csv", "tunings.csv"},
     .keys = {.name = "observe",
              .rows = {row(&Keys::messages,
                           {.name = "messages",
                            .type = ParameterType::boolean,
                            .summary = "messages.csv: a line for every message, with its time split"})}},
     .order = -6,
     .wanted = [](const Keys& keys) { return keys.messages; },
     .on_links = [](const Keys&, LinkRun& run) { return std::make_unique<OnLinks>(run); },
     .on_circuits = [](const Keys&, CircuitRun& run) { return std::make_unique<OnCircuits>(run); }}};

}  // namespace
}  // namespace flitscope::messages_observer

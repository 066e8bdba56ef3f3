// timeline: the run in time, for trace viewers.
#include "sim/observe/flits/timeline.h"
#include "sim/driver/collective_driver.h"
#include "sim/observe/circuits/circuit_timeline.h"
#include "sim/observe/observer.h"

namespace flitscope::timeline_observer {
namespace {

struct Keys {
  bool timeline = false;
};

constexpr auto kFile = "trace.json";

class OnLinks final : public Observer {
 public:
  explicit OnLinks(LinkRun& run) : timeline_(run.file(kFile), run.settings.get<FlitFilter>(), run.topology) {
    run.on_flits(timeline_, run.settings.get<FlitFilter>().nodes);
    run.on_stalls(timeline_);
    run.on_arrivals([this](const MessageArrival& arrival) { timeline_.arrived(arrival.message.delivery); });
  }
  void ended(Cycle last) override { timeline_.ended(last); }
  void close(const RunEnd& end) override { timeline_.close(end.last); }

 private:
  Timeline timeline_;
};

class OnCircuits final : public Observer {
 public:
  explicit OnCircuits(CircuitRun& run)
      : timeline_(run.file(kFile), run.settings.get<FlitFilter>(), run.topology, run.machine.startup) {
    run.on_circuits(timeline_);
  }
  void close(const RunEnd& /*end*/) override { timeline_.close(); }

 private:
  CircuitTimeline timeline_;
};

const ObserverEntry<Keys> entry{
    {.name = "timeline",
     .summary = "the run in time, for Perfetto, as far as observe.filter lets it through",
     .files = {kFile},
     .keys = {.name = "observe",
              .rows = {row(&Keys::timeline,
                           {.name = "timeline",
                            .type = ParameterType::boolean,
                            .summary = "trace.json for Perfetto: worms on channels or messages on circuits, "
                                       "stalls, tunings; see observe.filter"})}},
     .order = -4,
     .wanted = [](const Keys& keys) { return keys.timeline; },
     .on_links = [](const Keys&, LinkRun& run) { return std::make_unique<OnLinks>(run); },
     .on_circuits = [](const Keys&, CircuitRun& run) { return std::make_unique<OnCircuits>(run); }}};

}  // namespace
}  // namespace flitscope::timeline_observer

#include "sim/observe/message_log.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <numeric>

#include "model/error.h"

namespace flitscope {

MessageLog::MessageLog(const std::filesystem::path& file, const Topology& topology,
                       const MachineConfig& machine)
    : topology_(topology), machine_(machine), file_(file), out_(file) {
  if (!out_) throw OutputError(file.string() + ": cannot be written");
  out_ << "step,message,source,destination,flits,links,ready_cycle,arrival_cycle,latency_cycles,startup_"
          "cycles,"
          "queueing_cycles,hops_cycles";
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    out_ << ",head_" << name_of(static_cast<StallCause>(cause)) << "_cycles";
  }
  out_ << ",head_behind_cycles,serialization_cycles,tail_lag_cycles\n";
}

void MessageLog::write(const ArrivedMessage& arrived) {
  const Message& message = arrived.message;
  const Delivery& delivery = arrived.delivery;
  const MessageName name = message_name(delivery.id);
  const std::uint32_t links = route_length(topology_, message.source, message.destination, message.route);
  const Cycle hops = Cycle{links + 1} * (machine_.router_delay + machine_.link_delay);
  const Cycle stalls = std::accumulate(delivery.head_stalls.begin(), delivery.head_stalls.end(), Cycle{0});
  const Cycle serialization = Cycle{arrived.flits - 1} * machine_.slowdown;
  fmt::print(out_, "{},{},\"{}\",\"{}\",{},{},{},{},{},{},{},{}", name.step, name.place,
             topology_.node_name(message.source), topology_.node_name(message.destination), arrived.flits,
             links, delivery.ready, delivery.arrived, delivery.arrived - delivery.ready, machine_.startup,
             delivery.head_entered - delivery.ready - machine_.startup, hops);
  for (const Cycle cycles : delivery.head_stalls) fmt::print(out_, ",{}", cycles);
  fmt::print(out_, ",{},{},{}\n", delivery.head_arrived - delivery.head_entered - hops - stalls,
             serialization, delivery.arrived - delivery.head_arrived - serialization);
}

void MessageLog::close() {
  out_.close();
  if (!out_) throw OutputError(file_.string() + ": could not be written completely");
}

}  // namespace flitscope

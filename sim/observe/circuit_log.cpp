#include "sim/observe/circuit_log.h"

#include <fmt/ostream.h>

#include "model/error.h"

namespace flitscope {

CircuitLog::CircuitLog(const std::filesystem::path& messages_file, const MachineConfig& machine)
    : machine_(machine),
      messages_file_(messages_file),
      tunings_file_(messages_file.parent_path() / "tunings.csv"),
      messages_(messages_file_),
      tunings_(tunings_file_) {
  if (!messages_) throw OutputError(messages_file_.string() + ": cannot be written");
  if (!tunings_) throw OutputError(tunings_file_.string() + ": cannot be written");
  messages_
      << "step,message,source,port,destination,flits,start_cycle,arrival_cycle,latency_cycles,startup_cycles,"
         "flits_cycles\n";
  tunings_ << "node,port,target,start_cycle,ready_cycle\n";
}

void CircuitLog::write(const ArrivedCircuitMessage& arrived) {
  const OpticalDelivery& delivery = arrived.delivery;
  const MessageName name = message_name(delivery.id);
  fmt::print(messages_, "{},{},{},{},{},{},{},{},{},{},{}\n", name.step, name.place, arrived.circuit.node,
             arrived.circuit.port, arrived.circuit.target, delivery.flits, delivery.started, delivery.arrived,
             delivery.arrived - delivery.started, machine_.startup, delivery.flits);
}

void CircuitLog::write(const Circuit& circuit, Cycle start) {
  fmt::print(tunings_, "{},{},{},{},{}\n", circuit.node, circuit.port, circuit.target, start,
             start + machine_.reconfiguration);
}

void CircuitLog::close() {
  messages_.close();
  tunings_.close();
  if (!messages_) throw OutputError(messages_file_.string() + ": could not be written completely");
  if (!tunings_) throw OutputError(tunings_file_.string() + ": could not be written completely");
}

}  // namespace flitscope

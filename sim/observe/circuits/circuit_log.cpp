#include "sim/observe/circuits/circuit_log.h"

#include <fmt/ostream.h>

#include "model/error.h"
#include "model/schedule.h"

namespace flitscope {

CircuitLog::CircuitLog(const std::filesystem::path& messages_file, Cycle startup)
    : startup_(startup),
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

void CircuitLog::tuned(const Circuit& circuit, Cycle begin, Cycle ready) {
  fmt::print(tunings_, "{},{},{},{},{}\n", circuit.node, circuit.port, circuit.target, begin, ready);
}

void CircuitLog::arrived(const Transmission& transmission) {
  const MessageName name = message_name(transmission.id);
  fmt::print(messages_, "{},{},{},{},{},{},{},{},{},{},{}\n", name.step, name.place, transmission.source,
             transmission.port, transmission.destination, transmission.flits, transmission.begin,
             transmission.end, transmission.end - transmission.begin, startup_, transmission.flits);
}

void CircuitLog::close() {
  messages_.close();
  tunings_.close();
  if (!messages_) throw OutputError(messages_file_.string() + ": could not be written completely");
  if (!tunings_) throw OutputError(tunings_file_.string() + ": could not be written completely");
}

}  // namespace flitscope

// A network of flitscope behind ASTRA-sim's interface.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "astra-sim/common/AstraNetworkAPI.hh"
#include "sim/adaptors/stepped_network.h"

/// The network of all ranks, and the events that ASTRA-sim schedules. Rank r is node r.
class FlitscopeFabric {
 public:
  struct Call {
    void (*function)(void*) = nullptr;
    void* argument = nullptr;
    void operator()() const {
      if (function != nullptr) function(argument);
    }
  };

  /// Reads a configuration of flitscope: network, routers, nodes and clock (1 ns if there is none).
  explicit FlitscopeFabric(const std::string& configuration);

  [[nodiscard]] unsigned ranks() const { return network_->topology().nodes(); }
  /// Nanoseconds.
  [[nodiscard]] long double now() const { return static_cast<long double>(network_->now()) * period_; }
  void schedule(long double nanoseconds, Call call);
  /// `sent` is called when the message has arrived, before the receiver's call.
  void send(unsigned source, unsigned destination, int tag, std::uint64_t bytes, Call sent);
  /// `received` is called when the next message of this source, destination, tag and length has arrived.
  void receive(unsigned source, unsigned destination, int tag, std::uint64_t bytes, Call received);
  /// Runs until there is no event. Returns whether all messages were received; otherwise what is left waits
  /// for receives that no rank has called, or is deadlocked: state() says which.
  bool run();
  [[nodiscard]] std::string state() const;

 private:
  using Match = std::tuple<unsigned, unsigned, int, std::uint64_t>;
  struct Message {
    Match match;
    Call sent;
  };
  /// Messages that have arrived, and receives that wait for one.
  struct Meeting {
    std::uint64_t arrived = 0;
    std::deque<Call> receives;
  };

  void take(unsigned node);

  std::unique_ptr<flitscope::SteppedNetwork> network_;
  long double period_ = 1;  ///< of a cycle, in nanoseconds
  std::uint32_t flit_bytes_ = 1;
  std::map<flitscope::Cycle, std::vector<Call>> events_;
  std::map<Match, Meeting> meetings_;
  std::uint64_t open_ = 0;  ///< messages sent and not received
};

/// The interface of one rank.
class FlitscopeNetwork final : public AstraSim::AstraNetworkAPI {
 public:
  FlitscopeNetwork(int rank, FlitscopeFabric& fabric) : AstraNetworkAPI(rank), fabric_(fabric) {}

  int sim_send(void* buffer, std::uint64_t count, int type, int dst, int tag, AstraSim::sim_request* request,
               void (*msg_handler)(void*), void* fun_arg) override;
  int sim_recv(void* buffer, std::uint64_t count, int type, int src, int tag, AstraSim::sim_request* request,
               void (*msg_handler)(void*), void* fun_arg) override;
  void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void*), void* fun_arg) override;
  AstraSim::timespec_t sim_get_time() override;

 private:
  FlitscopeFabric& fabric_;
};

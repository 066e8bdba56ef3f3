// SystemC modules that are not ours: a slow receiver, a sender, and a piece of wire.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/network.h"

namespace flitscope::test {

/// A module that knows the network's time.
class ExternalModule : public sc_core::sc_module {
 protected:
  explicit ExternalModule(Network& network) : network_(network) {}

  [[nodiscard]] Cycle now() const { return network_.clock().now(); }
  [[nodiscard]] Cycle link_delay() const { return network_.machine().link_delay; }
  /// For processes: waits until the beginning of `cycle`; at once if that is not to come.
  void wait_until(Cycle cycle) {
    if (cycle > now())
      wait(network_.clock().period() * static_cast<double>(cycle) - sc_core::sc_time_stamp());
  }
  [[nodiscard]] Network& network() { return network_; }

 private:
  Network& network_;
};

/// A receiver with room for `room` flits, which takes one every `pace` cycles. Throws if it is given more.
class SlowSink final : public ExternalModule, public flit_if {
 public:
  SC_HAS_PROCESS(SlowSink);
  SlowSink(const sc_core::sc_module_name&, Network& network, std::uint32_t room, Cycle pace)
      : ExternalModule(network), room_(room), pace_(pace) {
    SC_THREAD(consume);
  }

  struct Taken {
    LinkFlit flit;
    Cycle put = 0;
    Cycle taken = 0;
  };
  /// All flits, in the order in which they were taken.
  [[nodiscard]] const std::vector<Taken>& taken() const { return taken_; }
  [[nodiscard]] std::size_t most_in_buffer() const { return most_in_buffer_; }
  /// The sink ends messages itself, as it must on a link.
  void close_messages() { closes_messages_ = true; }

  std::uint32_t attach(credit_if& router) override {
    router_ = &router;
    return room_;
  }
  void put(unsigned vc, const LinkFlit& flit) override {
    const auto credits = static_cast<std::size_t>(
        std::ranges::count_if(taken_, [&](const Taken& each) { return each.taken + link_delay() <= now(); }));
    if (taken_.size() + buffer_.size() == room_ + credits) throw std::logic_error("a flit without credit");
    buffer_.push_back({vc, {flit, now()}});
    most_in_buffer_ = std::max(most_in_buffer_, buffer_.size());
    filled_.notify(sc_core::SC_ZERO_TIME);
    if (closes_messages_ && flit.tail) network().clock().close_message(flit.message, now() + link_delay());
  }

 private:
  void consume() {
    while (true) {
      while (buffer_.empty()) wait(filled_);
      auto [vc, next] = buffer_.front();
      wait_until(next.put + link_delay());
      next.taken = now();
      buffer_.pop_front();
      taken_.push_back(next);
      router_->credit(vc);
      wait_until(now() + pace_);
    }
  }

  std::uint32_t room_;
  Cycle pace_;
  bool closes_messages_ = false;
  credit_if* router_ = nullptr;
  std::deque<std::pair<unsigned, Taken>> buffer_;
  std::vector<Taken> taken_;
  std::size_t most_in_buffer_ = 0;
  sc_core::sc_event filled_;
};

/// Sends one message into an injection channel of a router: a flit every `pace` cycles, credits permitting,
/// from cycle `start` on, all a little after the cycle's beginning if there is a `phase`.
class Source final : public ExternalModule, public credit_if {
 public:
  SC_HAS_PROCESS(Source);
  sc_core::sc_port<flit_if> out{"out"};

  Source(const sc_core::sc_module_name&, Network& network, Packet packet, Cycle start, Cycle pace = 1,
         sc_core::sc_time phase = sc_core::SC_ZERO_TIME)
      : ExternalModule(network), packet_(std::move(packet)), start_(start), pace_(pace), phase_(phase) {
    SC_THREAD(send);
  }

  void credit(unsigned /*vc*/) override {
    slots_.push_back(now() + 1);
    credit_came_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  void end_of_elaboration() override { slots_.assign(out->attach(*this), start_); }
  void send() {
    MessageSlot message = kNoMessage;
    for (std::uint32_t index = 0; index < packet_.flits; ++index) {
      while (slots_.empty()) wait(credit_came_);
      wait_until(std::max(slots_.front(), index == 0 ? start_ : last_put_ + pace_));
      slots_.pop_front();
      wait(phase_);
      if (index == 0) message = network().clock().open_message(packet_);
      last_put_ = now();
      out->put(0,
               {.message = message, .index = index, .head = index == 0, .tail = index + 1 == packet_.flits});
    }
  }

  Packet packet_;
  Cycle start_;
  Cycle pace_;
  sc_core::sc_time phase_;
  std::deque<Cycle> slots_;  ///< of the router's FIFO: from when on they can be used
  sc_core::sc_event credit_came_;
  Cycle last_put_ = 0;
};

/// Stands in a link: passes on what comes `delay` cycles after it has arrived, and credits at once.
class Repeater final : public ExternalModule, public flit_if, public credit_if {
 public:
  SC_HAS_PROCESS(Repeater);
  sc_core::sc_port<flit_if> out{"out"};

  Repeater(const sc_core::sc_module_name&, Network& network, Cycle delay)
      : ExternalModule(network), delay_(delay) {
    SC_THREAD(forward);
  }

  std::uint32_t attach(credit_if& router) override {
    upstream_ = &router;
    return out->attach(*this);
  }
  void put(unsigned vc, const LinkFlit& flit) override {
    travelling_.push_back({now() + link_delay() + delay_, vc, flit});
    filled_.notify(sc_core::SC_ZERO_TIME);
  }
  void credit(unsigned vc) override { upstream_->credit(vc); }

 private:
  void forward() {
    while (true) {
      while (travelling_.empty()) wait(filled_);
      const Travelling next = travelling_.front();
      travelling_.pop_front();
      wait_until(next.due);
      out->put(next.vc, next.flit);
    }
  }

  struct Travelling {
    Cycle due;
    unsigned vc;
    LinkFlit flit;
  };
  Cycle delay_;
  credit_if* upstream_ = nullptr;
  std::deque<Travelling> travelling_;
  sc_core::sc_event filled_;
};

/// One process that does what it is told.
class Actor final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Actor);
  Actor(const sc_core::sc_module_name&, std::function<void()> act) : act_(std::move(act)) { SC_THREAD(run); }

 private:
  void run() { act_(); }
  std::function<void()> act_;
};

/// A driver that only listens, in a network with a clock of 1 ns.
class Listener final : public Driver {
 public:
  void start(Transport& /*network*/) override {}
  void delivered(Transport& /*network*/, std::span<const Delivery> arrived, Cycle now) override {
    for (const Delivery& each : arrived) {
      text += fmt::format("{}: ready {}, entered {}, head {}, arrived {} = {}", each.id, each.ready,
                          each.head_entered, each.head_arrived, each.arrived, now);
    }
    if (sc_core::sc_time_stamp() != sc_core::sc_time(static_cast<double>(now), sc_core::SC_NS)) {
      text += ", but not at the cycle's beginning";
    }
  }
  [[nodiscard]] bool finished() const override { return true; }

  std::string text;
};

}  // namespace flitscope::test

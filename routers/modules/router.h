// A router and its network interface as SystemC modules: their names, their ports, and the wiring that
// follows from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <systemc>
#include <vector>

#include "routers/engine/external_links.h"
#include "routers/modules/link_interface.h"
#include "routers/modules/report.h"

namespace flitscope {

/// The link from a router to an external module: turns a std::logic_error of the engine into a report.
class ReportedLink final : public FlitReceiver, public credit_if {
 public:
  /// `receiver` must outlive it.
  explicit ReportedLink(flit_if& receiver) : receiver_(receiver) {}
  ReportedLink(const ReportedLink&) = delete;
  ReportedLink& operator=(const ReportedLink&) = delete;

  std::uint32_t attach(credit_if& sender) override {
    sender_ = &sender;
    return receiver_.attach(*this);
  }
  void put(unsigned vc, const LinkFlit& flit) override { receiver_.put(vc, flit); }
  void credit(unsigned vc) override {
    reporting(kProtocolReport, [&] { sender_->credit(vc); });
  }

 private:
  flit_if& receiver_;
  credit_if* sender_ = nullptr;
};

/// The receiving end of one link (or injection channel) of a router, for one sender. Bind a port of your own
/// module to it to feed the router.
class RouterInput final : public flit_if {
 public:
  RouterInput() = default;
  void place(ExternalLinks& links, NodeId node, unsigned port) {
    links_ = &links;
    node_ = node;
    port_ = port;
  }

  std::uint32_t attach(credit_if& sender) override {
    return reporting(kBindingReport, [&] { return links_->connect_sender(node_, port_, sender); });
  }
  void put(unsigned vc, const LinkFlit& flit) override {
    reporting(kProtocolReport, [&] { links_->put(node_, port_, vc, flit); });
  }

  [[nodiscard]] const ExternalLinks& links() const { return *links_; }
  [[nodiscard]] NodeId node() const { return node_; }
  [[nodiscard]] unsigned port() const { return port_; }

 private:
  ExternalLinks* links_ = nullptr;
  NodeId node_ = kNoNode;
  unsigned port_ = 0;
};

/// One router. State and behaviour are in RouterGroups: at the end of elaboration every binding is read, and
/// those to modules of the user become external links.
class Router final : public sc_core::sc_module {
 public:
  /// Output ports in order: link ports 0 .. 2d-1, then ejection channels. At the border of a mesh they are
  /// bound to a UnconnectedPort.
  std::optional<sc_core::sc_port<flit_if, 0>> out{std::in_place, "out"};

  Router(const sc_core::sc_module_name& name, ExternalLinks& links, NodeId node);

  [[nodiscard]] NodeId node() const { return node_; }
  /// Input port `port`: link ports 0 .. 2d-1, then injection channels.
  [[nodiscard]] RouterInput& in(unsigned port) { return inputs_.at(port); }
  /// The same as an export, "in_PORT" below this router. Throws std::logic_error after elaboration unless it
  /// was requested before.
  [[nodiscard]] sc_core::sc_export<flit_if>& in_export(unsigned port);

 private:
  void end_of_elaboration() override {
    reporting(kBindingReport, [&] { wire(); });
  }
  void wire();

  ExternalLinks& links_;
  NodeId node_;
  std::vector<RouterInput> inputs_;
  std::map<unsigned, sc_core::sc_export<flit_if>> exports_;  ///< requested ones
  std::map<unsigned, ReportedLink> receivers_;               ///< external modules, by output port
};

/// The receiver of an output port without a link, such as at the border of a mesh. No flit may arrive.
class UnconnectedPort final : public flit_if {
 public:
  std::uint32_t attach(credit_if&) override { return 1; }
  void put(unsigned vc, const LinkFlit& flit) override;
};

/// The receiving end of one ejection channel.
class NicInput final : public flit_if {
 public:
  NicInput() = default;

  /// Both report an error: only routers of the same network, which call neither, feed a network interface.
  std::uint32_t attach(credit_if& sender) override;
  void put(unsigned vc, const LinkFlit& flit) override;
};

/// One network interface. State and behaviour are in RouterGroups.
class NetworkInterface final : public sc_core::sc_module {
 public:
  /// Injection channels 0 .. E-1, each bound to an input port of the router.
  std::optional<sc_core::sc_port<flit_if, 0>> out{std::in_place, "out"};

  NetworkInterface(const sc_core::sc_module_name& name, const RouterNumbers& numbers, NodeId node);

  [[nodiscard]] NicInput& in(unsigned channel) { return inputs_.at(channel); }

 private:
  void end_of_elaboration() override;

  const RouterNumbers& numbers_;
  NodeId node_;
  std::vector<NicInput> inputs_;
};

}  // namespace flitscope

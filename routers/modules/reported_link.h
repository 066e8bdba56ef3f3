// The link from a router to a module that is not ours: what the module does wrong is an error report.
#pragma once

#include <cstdint>

#include "routers/engine/external_link.h"
#include "routers/modules/link_interface.h"
#include "routers/modules/report.h"

namespace flitscope {

/// Stands between the engine, which throws std::logic_error, and the module.
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

}  // namespace flitscope

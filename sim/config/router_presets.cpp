#include "sim/config/keys.h"

#include <algorithm>
#include <array>

namespace flitscope {

namespace {

using Setting = RouterPreset::Setting;

// What the parameters of the RTL are in its own parameters.v.
constexpr std::array kStanford{Setting{"delay", "2"},
                               Setting{"credit_delay", "3"},
                               Setting{"vc_allocator", "separable-input-first"},
                               Setting{"switch_allocator", "separable-input-first"},
                               Setting{"arbiter", "round-robin-binary"},
                               Setting{"speculation", "prioritised"},
                               Setting{"vc_allocation", "with-slot"},
                               Setting{"early_credits", "true"}};
constexpr std::array kBookSim{Setting{"delay", "2"},
                              Setting{"credit_delay", "1"},
                              Setting{"injection_credit_delay", "1"},
                              Setting{"vc_allocator", "separable-input-first-flat"},
                              Setting{"switch_allocator", "separable-input-first-ports"},
                              Setting{"arbiter", "round-robin"},
                              Setting{"speculation", "none"},
                              Setting{"vc_allocation", "non-atomic"}};

/// Heads get a VC as they win the switch, one whose buffer is empty.
constexpr std::array<Setting, 7> garnet(std::string_view delay) {
  return {Setting{"delay", delay},
          Setting{"credit_delay", "1"},
          Setting{"vc_allocator", "switch-winner"},
          Setting{"switch_allocator", "separable-input-first"},
          Setting{"arbiter", "round-robin"},
          Setting{"speculation", "none"},
          Setting{"vc_allocation", "atomic"}};
}
constexpr auto kGarnet = garnet("1");
constexpr auto kGarnetStages = garnet("4");

constexpr std::array kMerlin{Setting{"delay", "1"},
                             Setting{"credit_delay", "0"},
                             Setting{"vc_allocator", "switch-winner"},
                             Setting{"switch_allocator", "separable-input-first"},
                             Setting{"arbiter", "matrix"},
                             Setting{"speculation", "none"},
                             Setting{"vc_allocation", "with-slot"},
                             Setting{"hold", "true"}};

constexpr std::array kPresets{
    RouterPreset{"stanford-vc", "the VC router of Stanford's open-source RTL (Becker, 2012)", kStanford},
    RouterPreset{"booksim2-iq", "the input-queued router of BookSim2 with separable allocators", kBookSim},
    RouterPreset{"garnet", "gem5's Garnet router in a cycle", kGarnet},
    RouterPreset{"garnet-4-stage", "gem5's Garnet router in four cycles", kGarnetStages},
    RouterPreset{"merlin", "the router of SST's Merlin, with flits instead of whole packets", kMerlin}};

}  // namespace

std::span<const RouterPreset> router_presets() {
  return kPresets;
}

std::optional<YamlNode> with_router_preset(const YamlNode& root) {
  const YamlNode* const given = root.find("router");
  if (given == nullptr || given->kind != YamlNode::Kind::map) return std::nullopt;
  const YamlNode* const name = given->find("preset");
  if (name == nullptr || name->kind != YamlNode::Kind::scalar) return std::nullopt;
  const auto preset = std::ranges::find(kPresets, std::string_view(name->text), &RouterPreset::name);
  if (preset == kPresets.end()) return std::nullopt;
  YamlNode result = root;
  YamlNode& router = *result.find("router");
  const auto add = [&](const Setting& setting) {
    const YamlNode* const old = router.find(setting.key);
    if (old != nullptr && old->kind != YamlNode::Kind::null) return;
    std::erase_if(router.items, [&](const YamlNode& item) { return item.key == setting.key; });
    router.items.push_back({.kind = YamlNode::Kind::scalar,
                            .place = name->place,
                            .text = std::string(setting.value),
                            .quoted = false,
                            .items = {},
                            .key = std::string(setting.key),
                            .key_place = name->key_place});
  };
  for (const Setting& setting : preset->settings) add(setting);
  // VC allocation is a stage of its own if no head asks for the switch without a VC.
  const bool late = router.find("vc_allocator")->text == "switch-winner";
  add({"vc_delay", router.find("speculation")->text == "none" && !late ? "1" : "0"});
  return result;
}

}  // namespace flitscope

#include "sim/config/keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace flitscope {

namespace {

/// Heads get a VC as they win the switch, one whose buffer is empty.
std::string garnet(unsigned delay) {
  return fmt::format(
      "{{delay: {}, credit_delay: 1, vc_allocator: switch-winner, switch_allocator: separable-input-first, "
      "arbiter: round-robin, speculation: none, vc_allocation: atomic}}",
      delay);
}

}  // namespace

const std::vector<RouterPreset>& router_presets() {
  static const std::vector<RouterPreset> presets{
      // What the parameters of the RTL (Becker, 2012) are in its own parameters.v.
      {"stanford-vc",
       "{delay: 2, credit_delay: 3, vc_allocator: separable-input-first, switch_allocator: "
       "separable-input-first, arbiter: round-robin-binary, speculation: prioritised, vc_allocation: "
       "with-slot, early_credits: true}"},
      // The input-queued router with separable allocators.
      {"booksim2-iq",
       "{delay: 2, credit_delay: 1, injection_credit_delay: 1, vc_allocator: separable-input-first-flat, "
       "switch_allocator: separable-input-first-ports, arbiter: round-robin, speculation: none, "
       "vc_allocation: non-atomic}"},
      {"garnet", garnet(1)},
      {"garnet-4-stage", garnet(4)},
      // The router of SST's Merlin, with flits instead of whole packets.
      {"merlin",
       "{delay: 1, credit_delay: 0, vc_allocator: switch-winner, switch_allocator: separable-input-first, "
       "arbiter: matrix, speculation: none, vc_allocation: with-slot, hold: true}"}};
  return presets;
}

std::optional<YamlNode> with_router_preset(const YamlNode& root) {
  const YamlNode* const given = root.find("router");
  if (given == nullptr || given->kind != YamlNode::Kind::map) return std::nullopt;
  const YamlNode* const name = given->find("preset");
  if (name == nullptr || name->kind != YamlNode::Kind::scalar) return std::nullopt;
  const auto preset = std::ranges::find(router_presets(), name->text, &RouterPreset::name);
  if (preset == router_presets().end()) return std::nullopt;
  YamlNode result = root;
  YamlNode& router = *result.find("router");
  const auto add = [&](const std::string& settings) {
    Diagnostics none;
    std::optional<YamlNode> map = parse_yaml(settings, {}, none);
    for (YamlNode& setting : map->items) {
      const YamlNode* const old = router.find(setting.key);
      if (old != nullptr && old->kind != YamlNode::Kind::null) continue;
      std::erase_if(router.items, [&](const YamlNode& item) { return item.key == setting.key; });
      setting.place = name->place;
      setting.key_place = name->key_place;
      router.items.push_back(std::move(setting));
    }
  };
  add(preset->settings);
  // VC allocation is a stage of its own if no head asks for the switch without a VC.
  const bool late = router.find("vc_allocator")->text == "switch-winner";
  add(fmt::format("{{vc_delay: {}}}", router.find("speculation")->text == "none" && !late ? 1 : 0));
  return result;
}

}  // namespace flitscope

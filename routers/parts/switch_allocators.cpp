#include "routers/parts/switch_allocators.h"

#include <algorithm>
#include <array>

#include "routers/parts/arbiters.h"

namespace flitscope {

namespace {

template <typename Vcs>
using ByPort = std::array<Vcs, std::size_t{64} * Vcs::kWords>;

/// The inputs of the switch at which some input VCs are, and the outputs that they ask for.
template <typename Vcs>
Vcs inputs_of(const RouterShape& shape, Vcs vcs) {
  Vcs result;
  for_each_bit(vcs, [&](unsigned vc) { result.add(shape.input_of(vc)); });
  return result;
}
template <typename Vcs>
Vcs outputs_of(const SwitchRequests<Vcs>& requests, Vcs vcs) {
  Vcs result;
  for_each_bit(vcs, [&](unsigned vc) { result.add(requests.ports[vc]); });
  return result;
}

/// What an allocator finds for heads that speculate, or for other flits.
template <typename Vcs>
struct Match {
  Vcs winners{};  ///< input VCs
  Vcs picked{};   ///< see SwitchGrants
  Vcs asked{};    ///< output ports that were asked for
};

/// Matches inputs of the switch with output ports, heads that speculate apart from other flits.
template <typename Vcs>
class Matcher {
 public:
  using Requests = SwitchRequests<Vcs>;

  Matcher(const RouterShape& shape, Arbiter arbiter)
      : shape_(shape), arbiters_(arbiter), by_age_(arbiter == Arbiter::age) {
    for (unsigned input = 0; input < shape.inputs(); ++input) vcs_[input] = shape.set_of_input<Vcs>(input);
  }
  virtual ~Matcher() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Some of the requests: `flits` are input VCs.
  [[nodiscard]] virtual Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const = 0;

 protected:
  [[nodiscard]] unsigned inputs() const { return shape_.inputs(); }
  [[nodiscard]] unsigned outputs() const { return shape_.outputs(); }
  [[nodiscard]] const Vcs& vcs_of(unsigned input) const { return vcs_[input]; }
  /// Of an arbiter over the VCs of an input, over inputs, over output ports.
  [[nodiscard]] std::size_t vc_bytes() const { return arbiters_.bytes(shape_.most_vcs_of_port()); }
  [[nodiscard]] std::size_t input_bytes() const { return arbiters_.bytes(inputs()); }
  [[nodiscard]] std::size_t output_bytes() const { return arbiters_.bytes(outputs()); }

  /// The choice of an input among its VCs in `flits`.
  [[nodiscard]] unsigned pick_vc(const std::uint8_t* state, unsigned input, Vcs flits,
                                 const Requests& requests) const {
    const Vcs highest = of_highest_priority(flits & vcs_of(input), requests.priorities);
    if (by_age_) return oldest(highest, requests);
    const unsigned first = shape_.first_vc_of_input(input);
    Vcs places;
    for_each_bit(highest, [&](unsigned vc) { places.add((vc - first) / shape_.input_speedup); });
    return first + arbiters_.pick(state, shape_.vcs_of_input(input), places) * shape_.input_speedup;
  }
  void update_vc(std::uint8_t* state, unsigned input, unsigned vc) const {
    const unsigned place = (vc - shape_.first_vc_of_input(input)) / shape_.input_speedup;
    arbiters_.update(state, shape_.vcs_of_input(input), place);
  }
  /// The choice of an output port among inputs whose `flits` request it.
  [[nodiscard]] unsigned pick_input(const std::uint8_t* state, Vcs from, unsigned to, Vcs flits,
                                    const Requests& requests) const {
    if (!by_age_ && requests.priorities.empty()) return arbiters_.pick(state, inputs(), from);
    Vcs asking;
    for_each_bit(from, [&](unsigned input) { asking |= this->asking(input, to, flits, requests); });
    asking = of_highest_priority(asking, requests.priorities);
    return by_age_ ? shape_.input_of(oldest(asking, requests))
                   : arbiters_.pick(state, inputs(), inputs_of(shape_, asking));
  }
  void update_input(std::uint8_t* state, unsigned input) const { arbiters_.update(state, inputs(), input); }
  /// The choice of an input among the output ports that its `flits` request.
  [[nodiscard]] unsigned pick_output(const std::uint8_t* state, Vcs flits, const Requests& requests) const {
    const Vcs wanted = outputs_of(requests, of_highest_priority(flits, requests.priorities));
    return arbiters_.pick(state, outputs(), wanted);
  }
  void update_output(std::uint8_t* state, unsigned output) const {
    arbiters_.update(state, outputs(), output);
  }
  /// The VCs of an input that request an output port.
  [[nodiscard]] Vcs asking(unsigned from, unsigned to, Vcs flits, const Requests& requests) const {
    Vcs result;
    for_each_bit(flits & vcs_of(from), [&](unsigned vc) {
      if (requests.ports[vc] == to) result.add(vc);
    });
    return result;
  }
  /// Inputs by the output port that they request.
  [[nodiscard]] ByPort<Vcs> by_output(Vcs flits, const Requests& requests) const {
    ByPort<Vcs> result{};
    for_each_bit(flits, [&](unsigned vc) { result[requests.ports[vc]].add(shape_.input_of(vc)); });
    return result;
  }

 private:
  [[nodiscard]] static unsigned oldest(Vcs flits, const Requests& requests) {
    unsigned result = lowest_bit(flits);
    for_each_bit(flits, [&](unsigned vc) {
      if (requests.ranks[vc] < requests.ranks[result]) result = vc;
    });
    return result;
  }

 protected:
  RouterShape shape_;
  Arbiters arbiters_;

 private:
  bool by_age_;
  ByPort<Vcs> vcs_{};  ///< by input
};

template <typename Vcs>
class InputFirst final : public Matcher<Vcs> {
  using Base = Matcher<Vcs>;
  using Base::inputs, Base::outputs, Base::vcs_of, Base::vc_bytes, Base::input_bytes, Base::pick_vc,
      Base::update_vc, Base::pick_input, Base::update_input, Base::by_output;
  using typename Base::Requests;

 public:
  using Base::Base;
  [[nodiscard]] std::size_t bytes() const override {
    return inputs() * vc_bytes() + outputs() * input_bytes();
  }
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const override {
    return match(state, flits, Vcs(), requests);
  }
  /// Flits of `low` count only where there are none of `high`.
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs high, Vcs low, const Requests& requests) const {
    Match<Vcs> result;
    for (unsigned input = 0; input < inputs(); ++input) {
      const Vcs first = high & vcs_of(input);
      const Vcs flits = first.any() ? first : low & vcs_of(input);
      if (flits.any()) result.picked.add(pick_vc(state + input * vc_bytes(), input, flits, requests));
    }
    const ByPort<Vcs> wanted = by_output(result.picked & high, requests);
    const ByPort<Vcs> wanted_low = by_output(result.picked & ~high, requests);
    for (unsigned to = 0; to < outputs(); ++to) {
      const Vcs& from = wanted[to].any() ? wanted[to] : wanted_low[to];
      if (!from.any()) continue;
      result.asked.add(to);
      std::uint8_t* const output = state + inputs() * vc_bytes() + to * input_bytes();
      const unsigned winner = pick_input(output, from, to, result.picked, requests);
      update_input(output, winner);
      const auto vc = lowest_bit(result.picked & vcs_of(winner));
      update_vc(state + winner * vc_bytes(), winner, vc);
      result.winners.add(vc);
    }
    return result;
  }
};

/// A matcher in which pairs of an input and an output port are found first, then the VC of each.
template <typename Vcs>
class PairMatcher : public Matcher<Vcs> {
  using Base = Matcher<Vcs>;

 public:
  using Base::Base;

 protected:
  using Base::inputs, Base::vc_bytes, Base::pick_vc, Base::update_vc, Base::asking, Base::shape_;
  using typename Base::Requests;

  [[nodiscard]] std::size_t bytes_of_vcs() const { return inputs() * vc_bytes(); }
  /// The input sends a flit to the output port.
  void move(std::uint8_t* state, unsigned from, unsigned to, Vcs flits, const Requests& requests,
            Match<Vcs>& match) const {
    std::uint8_t* const input = state + from * vc_bytes();
    const unsigned vc = pick_vc(input, from, asking(from, to, flits, requests), requests);
    update_vc(input, from, vc);
    match.winners.add(vc);
    match.picked.add(vc);
  }
  /// Calls match_equal(flits) for the flits of every priority from the highest on, without those whose input
  /// or output port has a match by then.
  template <typename MatchEqual>
  void match_by_priority(Vcs flits, const Requests& requests, const Match<Vcs>& match,
                         MatchEqual match_equal) const {
    while (flits.any()) {
      const Vcs equal = of_highest_priority(flits, requests.priorities);
      match_equal(equal);
      flits &= ~equal;
      if (!flits.any()) return;
      const Vcs taken_inputs = inputs_of(shape_, match.winners);
      const Vcs taken_outputs = outputs_of(requests, match.winners);
      for_each_bit(flits, [&](unsigned vc) {
        if (taken_inputs.has(shape_.input_of(vc)) || taken_outputs.has(requests.ports[vc])) flits.remove(vc);
      });
    }
  }
};

template <typename Vcs>
class InputFirstPorts final : public PairMatcher<Vcs> {
  using Base = PairMatcher<Vcs>;
  using Base::inputs, Base::outputs, Base::vcs_of, Base::input_bytes, Base::output_bytes, Base::bytes_of_vcs,
      Base::pick_output, Base::update_output, Base::pick_input, Base::update_input, Base::move, Base::shape_;
  using typename Base::Requests;

 public:
  using Base::Base;
  [[nodiscard]] std::size_t bytes() const override {
    return bytes_of_vcs() + inputs() * output_bytes() + outputs() * input_bytes();
  }
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const override {
    Match<Vcs> result;
    std::uint8_t* const picks = state + bytes_of_vcs();  // by input
    std::uint8_t* const grants = picks + inputs() * output_bytes();
    ByPort<Vcs> offered{};  // by output port: inputs
    for_each_bit(inputs_of(shape_, flits), [&](unsigned from) {
      const unsigned to = pick_output(picks + from * output_bytes(), flits & vcs_of(from), requests);
      offered[to].add(from);
      result.asked.add(to);
    });
    for_each_bit(result.asked, [&](unsigned to) {
      const unsigned from = pick_input(grants + to * input_bytes(), offered[to], to, flits, requests);
      update_input(grants + to * input_bytes(), from);
      update_output(picks + from * output_bytes(), to);
      move(state, from, to, flits, requests, result);
    });
    return result;
  }
};

template <typename Vcs>
class OutputFirst final : public Matcher<Vcs> {
  using Base = Matcher<Vcs>;
  using Base::inputs, Base::outputs, Base::vc_bytes, Base::input_bytes, Base::pick_vc, Base::update_vc,
      Base::pick_input, Base::update_input, Base::asking, Base::by_output;
  using typename Base::Requests;

 public:
  using Base::Base;
  [[nodiscard]] std::size_t bytes() const override {
    return inputs() * vc_bytes() + outputs() * input_bytes();
  }
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const override {
    Match<Vcs> result;
    std::uint8_t* const grants = state + inputs() * vc_bytes();
    const ByPort<Vcs> wanted = by_output(flits, requests);
    ByPort<Vcs> offers{};  // by input: VCs whose output port has picked it
    result.asked = outputs_of(requests, flits);
    for_each_bit(result.asked, [&](unsigned to) {
      const unsigned from = pick_input(grants + to * input_bytes(), wanted[to], to, flits, requests);
      offers[from] |= asking(from, to, flits, requests);
    });
    for (unsigned from = 0; from < inputs(); ++from) {
      if (!offers[from].any()) continue;
      std::uint8_t* const input = state + from * vc_bytes();
      const unsigned vc = pick_vc(input, from, offers[from], requests);
      update_vc(input, from, vc);
      update_input(grants + requests.ports[vc] * input_bytes(), from);
      result.winners.add(vc);
    }
    result.picked = result.winners;
    return result;
  }
};

template <typename Vcs>
class Islip final : public PairMatcher<Vcs> {
  using Base = PairMatcher<Vcs>;
  using Base::inputs, Base::outputs, Base::input_bytes, Base::output_bytes, Base::bytes_of_vcs,
      Base::pick_output, Base::update_output, Base::pick_input, Base::update_input, Base::asking,
      Base::by_output, Base::move;
  using typename Base::Requests;

 public:
  Islip(const RouterShape& shape, Arbiter arbiter, unsigned iterations)
      : Base(shape, arbiter), iterations_(iterations) {}
  [[nodiscard]] std::size_t bytes() const override {
    return bytes_of_vcs() + outputs() * input_bytes() + inputs() * output_bytes();
  }
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const override {
    Match<Vcs> result;
    std::uint8_t* const grants = state + bytes_of_vcs();
    std::uint8_t* const accepts = grants + outputs() * input_bytes();
    const ByPort<Vcs> wanted = by_output(flits, requests);
    Vcs free_inputs = ~Vcs();
    result.asked = outputs_of(requests, flits);
    Vcs free_outputs = result.asked;
    for (unsigned iteration = 0; iteration < iterations_; ++iteration) {
      ByPort<Vcs> offers{};  // by input: VCs whose output port has picked it
      for_each_bit(free_outputs, [&](unsigned to) {
        const Vcs from = wanted[to] & free_inputs;
        if (!from.any()) return;
        const unsigned input = pick_input(grants + to * input_bytes(), from, to, flits, requests);
        offers[input] |= asking(input, to, flits, requests);
      });
      bool any = false;
      for (unsigned from = 0; from < inputs(); ++from) {
        if (!offers[from].any()) continue;
        any = true;
        const unsigned to = pick_output(accepts + from * output_bytes(), offers[from], requests);
        if (iteration == 0) {
          update_output(accepts + from * output_bytes(), to);
          update_input(grants + to * input_bytes(), from);
        }
        free_inputs.remove(from);
        free_outputs.remove(to);
        move(state, from, to, flits, requests, result);
      }
      if (!any) break;
    }
    return result;
  }

 private:
  unsigned iterations_;
};

/// Rows are inputs, columns output ports.
template <typename Vcs>
class SwitchWavefront final : public PairMatcher<Vcs> {
  using Base = PairMatcher<Vcs>;
  using Base::inputs, Base::outputs, Base::bytes_of_vcs, Base::by_output, Base::match_by_priority, Base::move,
      Base::shape_;
  using typename Base::Requests;

 public:
  using Base::Base;
  [[nodiscard]] std::size_t bytes() const override { return bytes_of_vcs() + 1; }
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const override {
    Match<Vcs> result;
    std::uint8_t& priority = state[bytes_of_vcs()];
    const unsigned size = std::max(inputs(), outputs());
    unsigned first = size;  // diagonal with a request, from the one with priority on
    // Calls visit(from, to) for the elements.
    const auto for_each_element = [&](const ByPort<Vcs>& wanted, auto visit) {
      for (unsigned i = 0; i < size; ++i) {
        for (unsigned column = 0; column < outputs(); ++column) {
          const unsigned from = (priority + i + size - column) % size;
          const unsigned to = shape_.opposite_output(column);
          if (!wanted[to].has(from)) continue;
          first = std::min(first, i);
          visit(from, to);
        }
      }
    };
    match_by_priority(flits, requests, result, [&](const Vcs& equal) {
      Vcs taken_inputs;
      Vcs taken_outputs;
      for_each_element(by_output(equal, requests), [&](unsigned from, unsigned to) {
        if (taken_outputs.has(to) || taken_inputs.has(from)) return;
        taken_outputs.add(to);
        taken_inputs.add(from);
        move(state, from, to, equal, requests, result);
      });
    });
    if (!requests.priorities.empty()) for_each_element(by_output(flits, requests), [](unsigned, unsigned) {});
    if (first != size) priority = static_cast<std::uint8_t>((priority + first + 1) % size);
    result.asked = outputs_of(requests, flits);
    return result;
  }
};

/// As many pairs as possible, by augmenting paths.
template <typename Vcs>
class MaxSize final : public PairMatcher<Vcs> {
  using Base = PairMatcher<Vcs>;
  using Base::inputs, Base::bytes_of_vcs, Base::match_by_priority, Base::move, Base::shape_;
  using typename Base::Requests;

 public:
  using Base::Base;
  [[nodiscard]] std::size_t bytes() const override { return bytes_of_vcs() + 1; }
  [[nodiscard]] Match<Vcs> match(std::uint8_t* state, Vcs flits, const Requests& requests) const override {
    Match<Vcs> result;
    if (!flits.any()) return result;
    std::uint8_t& first = state[bytes_of_vcs()];
    match_by_priority(flits, requests, result, [&](const Vcs& equal) {
      ByPort<Vcs> wanted{};  // by input: output ports
      for_each_bit(equal, [&](unsigned vc) { wanted[shape_.input_of(vc)].add(requests.ports[vc]); });
      Pairs pairs{};
      for (unsigned i = 0; i < inputs(); ++i) {
        Vcs visited;
        find_output((first + i) % inputs(), wanted, visited, pairs);
      }
      for_each_bit(pairs.outputs,
                   [&](unsigned to) { move(state, pairs.input_of[to], to, equal, requests, result); });
    });
    first = static_cast<std::uint8_t>((first + 1) % inputs());
    result.asked = outputs_of(requests, flits);
    return result;
  }

 private:
  struct Pairs {
    Vcs outputs{};
    std::array<std::uint8_t, std::tuple_size_v<ByPort<Vcs>>> input_of{};
  };
  /// Finds an output port for one more input; inputs before may get another one. Returns false without any.
  static bool find_output(unsigned from, const ByPort<Vcs>& wanted, Vcs& visited, Pairs& pairs) {
    for (Vcs left = wanted[from] & ~visited; left.any(); left &= ~visited) {
      const unsigned to = lowest_bit(left);
      visited.add(to);
      const bool taken = pairs.outputs.has(to);
      if (taken && !find_output(pairs.input_of[to], wanted, visited, pairs)) continue;
      pairs.outputs.add(to);
      pairs.input_of[to] = static_cast<std::uint8_t>(from);
      return true;
    }
    return false;
  }
};

template <typename Vcs>
std::unique_ptr<Matcher<Vcs>> make_matcher(const RouterParts& parts, const RouterShape& shape) {
  switch (parts.switch_allocator) {
    case SwitchAllocator::separable_input_first_ports:
      return std::make_unique<InputFirstPorts<Vcs>>(shape, parts.arbiter);
    case SwitchAllocator::separable_output_first:
      return std::make_unique<OutputFirst<Vcs>>(shape, parts.arbiter);
    case SwitchAllocator::wavefront:
      return std::make_unique<SwitchWavefront<Vcs>>(shape, parts.arbiter);
    case SwitchAllocator::islip:
      return std::make_unique<Islip<Vcs>>(shape, parts.arbiter, parts.switch_iterations);
    case SwitchAllocator::max_size:
      return std::make_unique<MaxSize<Vcs>>(shape, parts.arbiter);
    default:
      return std::make_unique<InputFirst<Vcs>>(shape, parts.arbiter);
  }
}

/// One allocator, in which heads without an output VC come last.
template <typename Vcs>
class Prioritised final : public SwitchMatcher<Vcs> {
 public:
  Prioritised(const RouterShape& shape, Arbiter arbiter) : matcher_(shape, arbiter) {}
  [[nodiscard]] std::size_t bytes() const override { return matcher_.bytes(); }
  [[nodiscard]] SwitchGrants<Vcs> allocate(std::uint8_t* state,
                                           const SwitchRequests<Vcs>& requests) const override {
    const Match<Vcs> match = matcher_.match(state, requests.flits, requests.speculative, requests);
    return {match.winners & (requests.flits | requests.valid), match.picked,
            outputs_of(requests, match.winners)};
  }

 private:
  InputFirst<Vcs> matcher_;
};

/// Heads without an output VC, if they ask at all, have an allocator of their own.
template <typename Vcs>
class Separate final : public SwitchMatcher<Vcs> {
 public:
  Separate(const RouterShape& shape, const RouterParts& parts)
      : shape_(shape), speculation_(parts.speculation), matcher_(make_matcher<Vcs>(parts, shape)) {}
  [[nodiscard]] std::size_t bytes() const override {
    return matcher_->bytes() * (speculation_ == Speculation::none ? 1 : 2);
  }
  [[nodiscard]] SwitchGrants<Vcs> allocate(std::uint8_t* state,
                                           const SwitchRequests<Vcs>& requests) const override {
    const Match<Vcs> match = matcher_->match(state, requests.flits, requests);
    SwitchGrants<Vcs> grants{match.winners, match.picked};
    if (!requests.speculative.any()) return grants;
    const Match<Vcs> heads = matcher_->match(state + matcher_->bytes(), requests.speculative, requests);
    const bool by_grants = speculation_ == Speculation::grants;
    // Outputs and inputs that block a head.
    const Vcs outputs = by_grants ? outputs_of(requests, match.winners) : match.asked;
    const Vcs inputs = inputs_of(shape_, by_grants ? match.winners : requests.flits);
    for_each_bit(heads.winners & requests.valid, [&](unsigned vc) {
      const bool blocked = outputs.has(requests.ports[vc]) || inputs.has(shape_.input_of(vc));
      if (!blocked) grants.moved.add(vc);
    });
    // An input port's choice among heads matters if it has none among the others.
    const Vcs chosen = inputs_of(shape_, match.picked);
    for_each_bit(heads.picked, [&](unsigned vc) {
      if (!chosen.has(shape_.input_of(vc))) grants.picked.add(vc);
    });
    return grants;
  }

 private:
  RouterShape shape_;
  Speculation speculation_;
  std::unique_ptr<Matcher<Vcs>> matcher_;
};

}  // namespace

template <typename Vcs>
std::unique_ptr<SwitchMatcher<Vcs>> SwitchMatcher<Vcs>::make(const RouterParts& parts,
                                                             const RouterShape& shape) {
  if (parts.speculation == Speculation::prioritised)
    return std::make_unique<Prioritised<Vcs>>(shape, parts.arbiter);
  return std::make_unique<Separate<Vcs>>(shape, parts);
}
template class SwitchMatcher<VcSetOf<1>>;
template class SwitchMatcher<VcSet>;

}  // namespace flitscope

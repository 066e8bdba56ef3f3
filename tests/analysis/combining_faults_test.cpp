// Reductions in the schedule checker: each fault in its place, and random mutations of legal schedules
// against an independent reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "algorithms/algorithm.h"
#include "model/random.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/combining_judge.h"
#include "tests/support/small_schedules.h"

namespace flitscope::combining_faults_test {
namespace {

/// A ring of three nodes with one operand each of one chunk; node 1 wants the value.
MemorySchedule three(const std::vector<Holding>& goal = {{1, {0}}}) {
  ScheduleFacts facts = broadcast({TopologyKind::torus, {3}}, 2);
  facts.collective = {{64}, {}, goal, {}, true};
  return MemorySchedule(facts);
}

/// The violations, as "kind: text", with sets and with sums.
std::vector<std::string> violations(MemorySchedule schedule,
                                    std::uint64_t set_limit = OperandLedger::kSetLimit) {
  const CheckReport report = check_schedule(schedule, {.operand_set_limit = set_limit});
  std::vector<std::string> texts;
  for (const Violation& violation : report.violations) {
    texts.push_back(fmt::format("{}: {}", name_of(violation.kind), violation.text));
  }
  return texts;
}
using Texts = std::vector<std::string>;

TEST(CombiningFault, LegalReduction_HasNone) {
  MemorySchedule schedule = three();
  schedule.begin_step().reduce(0, 1, kPlus).reduce(2, 1, kMinus);
  EXPECT_EQ(violations(schedule), Texts());
  EXPECT_EQ(violations(schedule, 0), Texts());
}

TEST(CombiningFault, OperandMissingAtTheEnd_IsNamed) {
  MemorySchedule schedule = three();
  schedule.begin_step().reduce(0, 1, kPlus);
  EXPECT_EQ(violations(schedule), (Texts{"goal: at the end chunk 0 at [1] lacks the operand of [2]"}));
  EXPECT_EQ(
      violations(schedule, 0),
      (Texts{"goal: at the end chunk 0 at [1] does not have every operand once; one is missing or counted "
             "twice"}));
}

TEST(CombiningFault, OperandCountedTwice_IsNamed) {
  MemorySchedule schedule = three();
  schedule.begin_step().reduce(0, 2, kMinus).reduce(0, 1, kPlus);
  schedule.begin_step().reduce(2, 1, kMinus);
  EXPECT_EQ(
      violations(schedule),
      (Texts{"counted_twice: step 2, message 1: [2] -> [1]: counts the operand of [0] twice in chunk 0; [1] "
             "has it already, and an operand counts once"}));
  EXPECT_EQ(violations(schedule, 0).size(), 1U);
}

TEST(CombiningFault, ValueOfAStep_IsTheOneAtItsStart) {
  MemorySchedule schedule = three();
  // What 2 gets in step 1 is not in what it sends in step 1.
  schedule.begin_step().reduce(0, 2, kMinus).reduce(2, 1, kMinus);
  EXPECT_EQ(violations(schedule), (Texts{"goal: at the end chunk 0 at [1] lacks the operand of [0]"}));
}

TEST(CombiningFault, UnfinishedValueThatReplacesAnother_IsNamed) {
  MemorySchedule schedule = three();
  schedule.begin_step().reduce(0, 2, kMinus);
  schedule.begin_step().add(2, 1, kMinus);
  EXPECT_EQ(
      violations(schedule),
      (Texts{"unfinished: step 2, message 1: [2] -> [1]: carries chunk 0 without the operand of [1], which "
             "had not arrived at [2] when the step started; an unfinished value may not replace what [1] has",
             "goal: at the end chunk 0 at [1] lacks the operand of [1]"}));
}

TEST(CombiningFault, FinishedValue_MayReplaceAnyValue) {
  MemorySchedule schedule = three({{0, {0}}, {1, {0}}, {2, {0}}});
  schedule.begin_step().reduce(0, 1, kPlus).reduce(2, 1, kMinus);
  schedule.begin_step().add(1, 0, kMinus).add(1, 2, kPlus);
  EXPECT_EQ(violations(schedule), Texts());
  schedule.begin_step().add(1, 0, kMinus);
  EXPECT_EQ(violations(schedule), Texts());
  EXPECT_EQ(check_schedule(schedule).redundant_deliveries, 1U);
}

TEST(CombiningFault, ChunkWithoutOperands_CannotBeReduced) {
  MemorySchedule schedule = ring();
  schedule.begin_step().reduce(1, 0, kMinus);
  EXPECT_EQ(
      violations(schedule),
      (Texts{"not_combined: step 2, message 1: [1] -> [0]: reduces chunk 0, which no node contributes to"}));
}

TEST(CombiningFault, Report_SaysHowOperandsWereCounted) {
  MemorySchedule schedule = three();
  schedule.begin_step().reduce(0, 1, kPlus).reduce(2, 1, kMinus);
  MemorySchedule again = schedule;
  EXPECT_EQ(check_schedule(schedule).proof, CheckReport::Proof::sets);
  EXPECT_EQ(check_schedule(again, {.operand_set_limit = 0}).proof, CheckReport::Proof::sums);
  MemorySchedule plain = ring();
  EXPECT_EQ(check_schedule(plain).proof, std::nullopt);
}

/// A message that can be edited.
struct Edit {
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::vector<ChunkId> chunks;
  bool reduces = false;
};
using Edits = std::vector<std::vector<Edit>>;

Edits recorded(Schedule& schedule) {
  Edits steps;
  for (Step step; schedule.next(step);) {
    auto& edits = steps.emplace_back();
    for (const Message& message : step.messages()) {
      const auto chunks = step.chunks(message);
      edits.push_back({message.source,
                       message.destination,
                       message.route,
                       {chunks.begin(), chunks.end()},
                       message.reduced_count > 0});
    }
  }
  return steps;
}

MemorySchedule played(const ScheduleFacts& of, const Edits& steps) {
  ScheduleFacts facts = of;
  facts.steps = 0;
  facts.messages = 0;
  facts.stages.clear();
  MemorySchedule schedule(facts);
  for (const auto& step : steps) {
    schedule.begin_step();
    for (const Edit& edit : step) {
      if (edit.reduces) {
        schedule.reduce(edit.source, edit.destination, edit.route, edit.chunks);
      } else {
        schedule.add(edit.source, edit.destination, edit.route, edit.chunks);
      }
    }
  }
  return schedule;
}

enum class Mutation : std::uint8_t { drop, twice, swap, overwrite, combine, lose };

/// Changes the steps; false if what was drawn cannot be changed so.
bool mutate(Edits& steps, Mutation mutation, std::mt19937_64& random) {
  const auto draw = [&]() -> std::pair<std::size_t, std::size_t> {
    const std::size_t step = random_below(random, steps.size());
    return {step, random_below(random, steps[step].size())};
  };
  const auto [step, place] = draw();
  auto& messages = steps[step];
  Edit& message = messages[place];
  switch (mutation) {
    case Mutation::drop:
      messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(place));
      return true;
    case Mutation::twice:
      if (!message.reduces) return false;  // merely redundant
      messages.push_back(Edit(message));
      return true;
    case Mutation::swap: {
      const auto [other_step, other] = draw();
      std::swap(message, steps[other_step][other]);
      return step != other_step;
    }
    case Mutation::overwrite:
      if (!message.reduces) return false;
      message.reduces = false;
      return true;
    case Mutation::combine:
      if (message.reduces) return false;
      message.reduces = true;
      return true;
    case Mutation::lose:
      if (message.chunks.size() < 2) return false;
      message.chunks.erase(message.chunks.begin() +
                           static_cast<std::ptrdiff_t>(random_below(random, message.chunks.size())));
      return true;
  }
  return false;
}

TEST(CombiningFault, RandomMutations_AreFoundLikeByTheReference) {
  std::mt19937_64 random(20);
  unsigned caught = 0;
  for (const char* const name : {"all-reduce-ring", "all-reduce-bucket", "all-reduce-swing",
                                 "all-reduce-rabenseifner", "all-reduce-recursive-doubling",
                                 "all-reduce-tree", "reduce-scatter-bucket", "all-reduce-dissemination"}) {
    const Topology torus(TopologyKind::torus, {4, 2});
    const Algorithm& algorithm = *AlgorithmRegistry::find(name);
    ParameterValues values;
    for (const Parameter& parameter : algorithm.parameters) values.set(parameter.name, parameter.fallback);
    values.set("message", std::int64_t{1000});
    values.set("segment", std::int64_t{400});
    values.set("root", NodeName{"[1, 1]"});
    const auto original = algorithm.make(torus, values);
    const Edits steps = recorded(*original);
    for (unsigned trial = 0; trial < 120; ++trial) {
      Edits changed = steps;
      const auto mutation = static_cast<Mutation>(trial % 6);
      if (!mutate(changed, mutation, random)) continue;
      MemorySchedule schedule = played(original->facts(), changed);
      const auto wrong = test::judge_collective(schedule);
      // Messages that change places may be just as good.
      EXPECT_TRUE(wrong || mutation == Mutation::swap) << name << ", mutation " << trial % 6;
      for (const std::uint64_t set_limit : {OperandLedger::kSetLimit, std::uint64_t{0}}) {
        schedule.rewind();
        const CheckReport report = check_schedule(schedule, {.operand_set_limit = set_limit});
        EXPECT_EQ(report.passed(), !wrong)
            << name << ": " << wrong.value_or("nothing") << " against "
            << (report.violations.empty() ? "nothing" : report.violations.front().text);
      }
      caught += wrong ? 1 : 0;
    }
  }
  EXPECT_GT(caught, 500U);
}

}  // namespace
}  // namespace flitscope::combining_faults_test

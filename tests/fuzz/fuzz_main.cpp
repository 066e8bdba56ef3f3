// fuzz: attacks what reads files, for as long as one likes.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/fuzz/fuzzer.h"
#include "tests/support/program.h"

namespace flitscope::fuzz {
namespace {

constexpr auto kUsage =
    "usage: fuzz TARGET SECONDS SEED DIR   attacks a target; findings go into DIR\n"
    "       fuzz TARGET FILE               attacks it with one file\n"
    "       fuzz                           lists the targets\n";

/// Writes findings and says so; true if there are any.
bool tell(const Target& target, const std::vector<Finding>& findings,
          const std::filesystem::path& directory) {
  for (const Finding& finding : findings) {
    if (directory.empty()) {
      std::cout << fmt::format("{}: {}\n", target.name, finding.what);
      continue;
    }
    const auto name = fmt::format("{}-{:016x}", target.name, std::hash<std::string>()(finding.input));
    std::filesystem::create_directories(directory);
    std::ofstream(directory / name, std::ios::binary) << finding.input;
    std::cout << fmt::format("{}: {}: {}\n", target.name, finding.what, (directory / name).string());
  }
  return !findings.empty();
}

int attack_for(const Target& target, std::chrono::seconds time, std::uint64_t seed,
               const std::filesystem::path& directory) {
  constexpr std::uint64_t kAtOnce = 500;
  const auto end = std::chrono::steady_clock::now() + time;
  std::uint64_t inputs = 0;
  bool found = false;
  do {
    found = tell(target, attack_with_many(target, seed, inputs, kAtOnce), directory) || found;
    inputs += kAtOnce;
  } while (std::chrono::steady_clock::now() < end);
  std::cout << fmt::format("{}: {} inputs, seed {}\n", target.name, inputs, seed);
  return found ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) {
    for (const Target& target : TargetRegistry::all()) {
      std::cout << fmt::format("{:10}  {}\n", target.name, target.summary);
    }
    return EXIT_SUCCESS;
  }
  const Target* const target = TargetRegistry::find(words[0]);
  if (target == nullptr || (words.size() != 2 && words.size() != 4)) {
    std::cerr << kUsage;
    return EXIT_FAILURE;
  }
  if (words.size() == 2) {
    return tell(*target, attack_with(*target, test::text_of(words[1])), "") ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  return attack_for(*target, std::chrono::seconds(std::stoul(words[1])), std::stoull(words[2]), words[3]);
}

}  // namespace
}  // namespace flitscope::fuzz

int main(int argc, char** argv) {
  return flitscope::fuzz::run({argv + 1, argv + argc});
}

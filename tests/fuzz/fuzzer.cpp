#include "tests/fuzz/fuzzer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>

#include "tests/fuzz/mutation.h"
#include "tests/support/program.h"

namespace flitscope::fuzz {

namespace fs = std::filesystem;

namespace {

/// How far a child has come; its parent reads it when the child is no more.
struct Report {
  std::uint64_t at = 0;
  char error[512] = "";
};

class SharedReport {
 public:
  SharedReport()
      : report_(static_cast<Report*>(
            mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (report_ == MAP_FAILED) throw std::runtime_error("no shared memory");
  }
  ~SharedReport() { munmap(report_, sizeof(Report)); }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;

  Report* operator->() const { return report_; }

 private:
  Report* report_;
};

using Inputs = std::function<std::string(std::uint64_t)>;

/// In the child: reads inputs until one is too much.
[[noreturn]] void read_all(const Target& target, const Inputs& inputs, std::uint64_t first, std::uint64_t end,
                           const Limits& limits, const SharedReport& report) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!test::kSanitized) {
    const rlimit memory{limits.memory_bytes, limits.memory_bytes};
    setrlimit(RLIMIT_AS, &memory);
  }
  int status = 0;
  for (std::uint64_t at = first; at < end && status == 0; ++at) {
    report->at = at;
    const std::string input = inputs(at);
    alarm(limits.seconds);
    try {
      attack(target, input);
    } catch (const std::exception& error) {
      std::strncpy(report->error, error.what(), sizeof(report->error) - 1);
      status = 1;
    }
    alarm(0);
  }
  _exit(status);
}

std::string end_text(int status, const SharedReport& report, const Limits& limits) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("more than {} s", limits.seconds);
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  const std::string error = static_cast<const char*>(report->error);
  return error.empty() ? fmt::format("exit code {}", WEXITSTATUS(status)) : error;
}

std::vector<Finding> attack_in_children(const Target& target, const Inputs& inputs, std::uint64_t first,
                                        std::uint64_t count, const Limits& limits) {
  std::vector<Finding> findings;
  const SharedReport report;
  const std::uint64_t end = first + count;
  for (std::uint64_t next = first; next < end; next = report->at + 1) {
    report->error[0] = '\0';
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process to attack in");
    if (child == 0) read_all(target, inputs, next, end, limits, report);
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) break;
    findings.push_back({end_text(status, report, limits), inputs(report->at)});
  }
  return findings;
}

}  // namespace

std::vector<std::string> corpus_of(const Target& target) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(FLITSCOPE_SOURCE_DIR) / "tests/fuzz/corpus" / target.name)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(test::text_of(file));
  return texts;
}

std::vector<Finding> attack_with_many(const Target& target, std::uint64_t seed, std::uint64_t first,
                                      std::uint64_t count, const Limits& limits) {
  const std::vector<std::string> corpus = corpus_of(target);
  auto findings = attack_in_children(
      target, [&](std::uint64_t i) { return corpus[i]; }, 0, corpus.size(), limits);
  const auto made = [&](std::uint64_t number) {
    std::seed_seq numbers{seed, seed >> 32, number, number >> 32};
    std::mt19937_64 random(numbers);
    return mutated(corpus, random);
  };
  for (Finding& finding : attack_in_children(target, made, first, count, limits)) {
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> attack_with(const Target& target, const std::string& input, const Limits& limits) {
  return attack_in_children(
      target, [&](std::uint64_t) { return input; }, 0, 1, limits);
}

}  // namespace flitscope::fuzz

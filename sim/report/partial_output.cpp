#include "sim/report/partial_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <mutex>

namespace flitscope {

namespace fs = std::filesystem;

namespace {

/// Everything unfinished of this process. Never destroyed: the program may be interrupted while it ends.
struct UnfinishedList {
  std::mutex mutex;
  std::vector<const PartialOutput*> all;
};

UnfinishedList& unfinished() {
  static auto* const list = new UnfinishedList;
  return *list;
}

}  // namespace

PartialOutput::PartialOutput(fs::path name, std::vector<fs::path> made_above, const Action& make)
    : name_(std::move(name)), temporary_(name_), made_above_(std::move(made_above)) {
  temporary_ += fmt::format(".partial-{}", getpid());
  const std::lock_guard lock(unfinished().mutex);
  try {
    make(temporary_);
  } catch (...) {
    remove();
    throw;
  }
  unfinished().all.push_back(this);
}

PartialOutput::~PartialOutput() {
  const std::lock_guard lock(unfinished().mutex);
  if (std::erase(unfinished().all, this) > 0) remove();
}

void PartialOutput::finish(const Action& rename) {
  const std::lock_guard lock(unfinished().mutex);
  rename(temporary_);
  std::erase(unfinished().all, this);
}

void PartialOutput::remove() const {
  std::error_code ignored;
  // Whoever writes into a directory may make another file while it is emptied.
  for (int attempt = 0; attempt < 100 && fs::exists(fs::symlink_status(temporary_, ignored)); ++attempt) {
    fs::remove_all(temporary_, ignored);
  }
  for (const fs::path& above : made_above_) fs::remove(above, ignored);
}

std::vector<fs::path> abandon_unfinished() {
  std::unique_lock lock(unfinished().mutex);
  std::vector<fs::path> names;
  for (const PartialOutput* const each : unfinished().all) {
    each->remove();
    names.push_back(each->name_);
  }
  lock.release();  // and never unlocked
  return names;
}

}  // namespace flitscope

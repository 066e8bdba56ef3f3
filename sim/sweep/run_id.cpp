#include "sim/sweep/run_id.h"

#include <fmt/format.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "model/error.h"
#include "model/graph.h"
#include "model/text.h"
#include "sim/config/resolve.h"

namespace flitscope {

namespace {

namespace uuids = boost::uuids;

/// The first digits of a name-based UUID; they come from its SHA-1 alone.
std::string digits_of(const uuids::uuid& uuid) {
  std::string digits;
  for (const char character : to_string(uuid)) {
    if (character != '-') digits += character;
  }
  return digits.substr(0, kRunIdDigits);
}

}  // namespace

std::string RunIds::id_of(const ExperimentConfig& config) {
  ExperimentConfig what = config;
  what.name.clear();
  what.workload.schedule_digest.reset();  // says nothing that the content does not
  what.graph_digest.reset();
  if (!what.graph_file.empty()) what.graph_file = config.topology.graph()->digest();
  if (!what.workload.schedule_file.empty())
    what.workload.schedule_file = digest_of(what.workload.schedule_file);
  take_files_of(what.workload.traffic);
  for (TrafficConfig& traffic : what.workload.classes) take_files_of(traffic);
  if (what.workload.background) take_files_of(*what.workload.background);
  return digits_of(uuids::name_generator_sha1(uuids::ns::oid())(resolve(what)));
}

/// What the files of a pattern hold counts, not where they lie. One that cannot be read is left to the run.
void RunIds::take_files_of(TrafficConfig& traffic) {
  if (traffic.pattern == nullptr) return;
  for (const Parameter& parameter : traffic.pattern->parameters) {
    if (parameter.type != ParameterType::file || !traffic.parameters.has(parameter.name)) continue;
    const std::filesystem::path file = traffic.parameters.text(parameter.name);
    if (std::filesystem::is_regular_file(file)) traffic.parameters.set(parameter.name, digest_of(file));
  }
}

const std::string& RunIds::digest_of(const std::filesystem::path& file) {
  const auto [at, is_new] = digests_.try_emplace(file);
  if (!is_new) return at->second;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw Inadmissible("workload.schedule", fmt::format("{} cannot be opened: {}", printable(file.string()),
                                                        std::strerror(errno)));
  }
  // Each part's digest is the name space of the next, so that no part need be kept.
  uuids::uuid digest = uuids::ns::oid();
  std::string part(std::size_t{1} << 20, '\0');
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())), stream.gcount() > 0) {
    digest = uuids::name_generator_sha1(digest)(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  return at->second = to_string(digest);
}

}  // namespace flitscope

// Meyer and Sibeyn: time-independent gossiping on full-port tori. P is the number of PUs.
#include <algorithm>
#include <iterator>

#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims {
namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all = meyer_sibeyn::claims_of_sections_1_to_3();
  for (auto claims : {meyer_sibeyn::claims_of_section_4(), meyer_sibeyn::claims_of_tables()}) {
    std::ranges::move(claims, std::back_inserter(all));
  }
  return all;
}

const PaperRegistry::Entry entry{{
    .name = "meyer-sibeyn",
    .citation = "Ulrich Meyer and Jop F. Sibeyn: Time-Independent Gossiping on Full-Port Tori, "
                "Max-Planck-Institut fuer Informatik, 1998",
    .claims = all_claims(),
}};

}  // namespace
}  // namespace flitscope::claims

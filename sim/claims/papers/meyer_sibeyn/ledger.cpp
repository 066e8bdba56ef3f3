// Meyer and Sibeyn: time-independent gossiping on full-port tori. P is the number of PUs.
#include <algorithm>
#include <iterator>

#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (const auto claims : {claims_of_sections_1_and_2, claims_of_section_3, claims_of_section_41,
                            claims_of_section_42, claims_of_section_43, claims_of_tables}) {
    std::ranges::move(claims(), std::back_inserter(all));
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
}  // namespace flitscope::claims::meyer_sibeyn

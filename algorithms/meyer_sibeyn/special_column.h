// The one-packet algorithm on a torus of two odd sides: one special column (Meyer and Sibeyn, Section 4.1,
// where it is only mentioned; worked out here).
#pragma once

#include <vector>

#include "algorithms/meyer_sibeyn/gossip.h"

namespace flitscope::meyer_sibeyn {

/// Writes the complete table of an n1 x n2 torus, both odd and at least 3: cycles, injections, supply. With
/// `lists` the streams into PUs of ordinary columns, and into (1,0) and (1,1), are lists; otherwise
/// everything is fixed.
void write_special_column(const PaperTorus& torus, LinkPrograms& table, bool lists);

}  // namespace flitscope::meyer_sibeyn

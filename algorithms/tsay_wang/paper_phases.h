// The phases of Tsay and Wang, Sections 4 to 6, as they make sense.
#pragma once

#include <memory>

#include "algorithms/tsay_wang/ring_schedule.h"
#include "model/schedule.h"

namespace flitscope::tsay_wang {

/// A broadcast on a torus of d equal sides n >= 3, from the source in `facts`: the main diagonal, d-2 phases
/// that each inform a diagonal in every subtorus, for d >= 3 the step that aligns them, and the phase that
/// informs all. d * ceil(log_{2d+1} n) steps, one more for d >= 3. n is odd if d >= 4 (Lemma 6 needs it).
///
/// Fills in the facts' steps, messages and stages.
[[nodiscard]] std::unique_ptr<Schedule> paper_phases(ScheduleFacts facts, Reading reading);

}  // namespace flitscope::tsay_wang

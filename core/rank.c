#include "core/rank.h"

/* Those apart may come in either order: they count like the others, as the executor starts them in
 * the order of their positions when nothing speaks against it. */
void ls_rank_upward(const ls_plan_system *systems, uint32_t first, uint32_t end,
                    const uint64_t *times, uint64_t *ranks)
{
    for (uint32_t i = end; i-- > first;) {
        const ls_plan_system *plan = &systems[i];
        uint64_t longest = 0;
        for (uint32_t j = 0; j < plan->successor_count + plan->apart_count; j++) {
            uint64_t rank = ranks[plan->successors[j]];
            longest = rank > longest ? rank : longest;
        }
        ranks[i] = times[i] + longest;
    }
}

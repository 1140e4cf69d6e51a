/* Shrinks a failing schedule: removes one part at a time and keeps the smaller schedule if it still
 * fails. */
#include "tests/schedule/prove.h"

#include <string.h>

/* A schedule that does not build for another reason than an ambiguity fails in a way of its own. */
static bool is_unbuilt(const char *text)
{
    return strncmp(text, "refused: ", 9) == 0;
}

static bool try_it(prover *self, schedule *best, const schedule *candidate)
{
    char kept[PROVE_TEXT_BYTES];
    memcpy(kept, self->text, sizeof kept);
    if (memcmp(best, candidate, sizeof *best) == 0 || prove_schedule(self, candidate) ||
        is_unbuilt(self->text) != is_unbuilt(kept)) {
        memcpy(self->text, kept, sizeof kept);
        return false;
    }
    *best = *candidate;
    return true;
}

static void remove_row(bool table[SYSTEMS_MAX][SYSTEMS_MAX], uint32_t index)
{
    for (uint32_t i = 0; i < SYSTEMS_MAX; i++)
        memmove(&table[i][index], &table[i][index + 1], SYSTEMS_MAX - 1 - index);
    memmove(table[index], table[index + 1], sizeof table[0] * (SYSTEMS_MAX - 1 - index));
}

static void remove_system(schedule *from, uint32_t index)
{
    from->system_count--;
    memmove(&from->systems[index], &from->systems[index + 1],
            sizeof from->systems[0] * (SYSTEMS_MAX - 1 - index));
    remove_row(from->before, index);
    remove_row(from->weakly, index);
    remove_row(from->needs, index);
    remove_row(from->independent, index);
}

static bool cut_systems(prover *self, schedule *best)
{
    bool is_cut = false;
    for (uint32_t i = best->system_count; i-- > 0;) {
        schedule candidate = *best;
        remove_system(&candidate, i);
        is_cut |= try_it(self, best, &candidate);
    }
    return is_cut;
}

static bool cut_ops(prover *self, schedule *best, uint32_t index)
{
    bool is_cut = false;
    for (uint32_t i = best->systems[index].op_count; i-- > 0;) {
        schedule candidate = *best;
        actor *plan = &candidate.systems[index];
        memmove(&plan->ops[i], &plan->ops[i + 1], sizeof plan->ops[0] * (OPS_MAX - 1 - i));
        plan->op_count--;
        is_cut |= try_it(self, best, &candidate);
    }
    schedule calmer = *best;
    calmer.systems[index].partner_fails = calmer.systems[index].uses_scratch = false;
    calmer.systems[index].home_thread = 0;
    calmer.systems[index].is_on_main_thread = false;
    calmer.systems[index].cost_ns = 0;
    is_cut |= try_it(self, best, &calmer);
    for (uint32_t what = 0; what < 6; what++) {
        schedule candidate = *best;
        actor *plan = &candidate.systems[index];
        uint8_t *const members[] = {&plan->labels, &plan->sets,  &plan->after_label,
                                    &plan->slot,   &plan->stage, &plan->side};
        *members[what] = 0;
        is_cut |= try_it(self, best, &candidate);
    }
    return is_cut;
}

static bool cut_orders(prover *self, schedule *best)
{
    bool is_cut = false;
    for (uint32_t at = 0; at < 4 * SYSTEMS_MAX * SYSTEMS_MAX; at++) {
        schedule candidate = *best;
        bool *const tables[] = {candidate.before[0], candidate.weakly[0], candidate.needs[0],
                                candidate.independent[0]};
        tables[at % 4][at / 4] = false;
        is_cut |= try_it(self, best, &candidate);
    }
    for (uint32_t i = 0; i < STAGES_MAX; i++) {
        schedule candidate = *best;
        candidate.insertion_order[i] = false;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.set_count -= candidate.set_count > 0;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.stages[i] = (condition){0};
        candidate.is_nested = false;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.never_both = false;
        for (uint32_t j = 0; j < candidate.system_count; j++)
            candidate.systems[j].never_both = false;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.has_partners = false;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.has_modules = false;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.par_sides = 0;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.on_despawn = 0;
        candidate.despawns_empty = candidate.is_on_main_thread[i] = false;
        is_cut |= try_it(self, best, &candidate);
        candidate = *best;
        candidate.stage_count = 1;
        is_cut |= try_it(self, best, &candidate);
    }
    return is_cut;
}

schedule prove_shrink(prover *self, const schedule *failing)
{
    schedule best = *failing;
    for (bool is_cut = true; is_cut;) {
        is_cut = cut_systems(self, &best);
        is_cut |= cut_orders(self, &best);
        for (uint32_t i = 0; i < best.system_count; i++)
            is_cut |= cut_ops(self, &best, i);
    }
    return best;
}

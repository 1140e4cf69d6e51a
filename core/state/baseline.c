#include "core/state/baseline.h"

#include <string.h>

/* Relaxed: a system that has no order with the caller may spawn into a free slot of the page
 * meanwhile. The generations before and after that spawn both differ from the one in the baseline,
 * so either gives the same result. A slot that has the component now is not free. */
static uint32_t generation_at(const ls_page *lives, uint32_t slot)
{
    return __atomic_load_n(&ls_page_generations(lives)[slot], __ATOMIC_RELAXED);
}

/* The slots among `bits`, in one word of the page, that still have the entity of the baseline. */
static uint64_t same_entities(const ls_page *lives, const ls_page *baseline, uint32_t word,
                              uint64_t bits)
{
    uint64_t same = 0;
    for (; bits; bits &= bits - 1) {
        uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
        if (generation_at(lives, slot) == generation_at(baseline, slot))
            same |= bits & -bits;
    }
    return same;
}

void ls_baseline_filter(const ls_world *world, const ls_plan_term *term, uint32_t lane,
                        uint32_t page, uint64_t mask[LS_PAGE_WORDS])
{
    ls_page *now = ls_world_page(world, term->column, lane, page);
    ls_page *before = ls_world_page(world->base, term->baseline, lane, page);
    const ls_page *lives = ls_table_page(world->state.lives[lane], page);
    const ls_page *baseline = ls_world_page(world->base, term->baseline + 1, lane, page);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t has = now ? now->present[word] : 0, had = before ? before->present[word] : 0;
        uint64_t wanted = term->filter == LS_FILTER_REMOVED ? had & ~has : has;
        if (now == before || !(mask[word] & wanted)) {
            mask[word] = 0;
            continue;
        }
        uint64_t same =
            baseline ? same_entities(lives, baseline, word, mask[word] & wanted & had) : 0;
        if (term->filter == LS_FILTER_REMOVED)
            mask[word] &= same;
        else if (term->filter == LS_FILTER_ADDED)
            mask[word] &= has & ~same;
        else
            mask[word] &=
                has & (~same | ls_page_changes(&world->sources[term->column], before, now, word));
    }
}

bool ls_baseline_find(const ls_world *world, const ls_plan_term *term, uint32_t lane, uint32_t page,
                      ls_baseline_changes *changes)
{
    ls_page *now = ls_world_page(world, term->column, lane, page);
    ls_page *before = ls_world_page(world->base, term->baseline, lane, page);
    const ls_page *lives = ls_table_page(world->state.lives[lane], page);
    const ls_page *baseline = ls_world_page(world->base, term->baseline + 1, lane, page);
    uint64_t any = 0;
    if (now == before)
        return false;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t has = now ? now->present[word] : 0, had = before ? before->present[word] : 0;
        uint64_t same = had ? same_entities(lives, baseline, word, had) : 0;
        uint64_t differs = ls_page_changes(&world->sources[term->column], before, now, word);
        changes->earlier[word] = had & (~same | differs);
        changes->later[word] = has & ~same;
        any |= changes->earlier[word] | changes->later[word];
    }
    return any != 0;
}

const void *ls_baseline_cell(const ls_world *world, const ls_plan_term *term, uint32_t lane,
                             uint32_t slot, ls_entity *entity)
{
    uint32_t page = slot / LS_PAGE_SLOTS, at = slot % LS_PAGE_SLOTS;
    ls_page *before = ls_world_page(world->base, term->baseline, lane, page);
    if (!before || !ls_page_has(before, at))
        return NULL;
    const ls_page *baseline = ls_world_page(world->base, term->baseline + 1, lane, page);
    *entity = ls_entity_make(lane, slot, generation_at(baseline, at));
    return ls_page_cells(before) + world->sources[term->column].cell_bytes * at;
}

/* Whether `kept` already has the generations of the entities with cells in `now`, and no others. */
static bool has_generations(const ls_page *kept, const ls_page *now, const ls_page *lives)
{
    if (!kept)
        return ls_page_is_empty(now);
    if (memcmp(kept->present, now->present, sizeof now->present) != 0)
        return false;
    uint64_t differs = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        differs |= now->present[word] & ~same_entities(lives, kept, word, now->present[word]);
    return !differs;
}

static void keep_generations(ls_world *world, uint32_t baseline, uint32_t lane, uint32_t page,
                             const ls_page *now)
{
    static const ls_page empty;
    const ls_page_source *source = &world->sources[baseline];
    const ls_page *lives = ls_table_page(world->state.lives[lane], page);
    ls_table **table = ls_world_table(world->base, baseline, lane);
    now = now ? now : &empty;
    if (has_generations(ls_table_page(*table, page), now, lives))
        return;
    ls_table_own(table, page + 1, source);
    ls_page *kept = ls_table_write(*table, page, source);
    uint32_t *generations = ls_page_generations_write(kept);
    memcpy(kept->present, now->present, sizeof now->present);
    for (uint32_t slot = 0; slot < LS_PAGE_SLOTS; slot++)
        generations[slot] = ls_page_has(now, slot) ? generation_at(lives, slot) : 0;
    ls_table_settle(*table, page);
}

static void keep_lane(ls_world *world, uint32_t index, uint32_t lane)
{
    uint32_t column = world->program->baselines[index].column;
    uint32_t baseline = ls_program_baseline_column(world->program, index);
    const ls_page_source *source = &world->sources[column];
    ls_table *now = *ls_world_table(world, column, lane);
    ls_table **kept = ls_world_table(world->base, baseline, lane);
    ls_table **replaced = &world->base->replaced_baselines[index * world->state.lanes + lane];
    uint32_t count = ls_table_page_count(now), before = ls_table_page_count(*kept);
    count = count > before ? count : before;
    for (uint32_t page = 0; page < count; page++) {
        const ls_page *found = ls_table_page(now, page);
        if (found != ls_table_page(*kept, page))
            keep_generations(world, baseline + 1, lane, page, found);
    }
    ls_table_reclaim(*ls_world_table(world->base, baseline + 1, lane),
                     &world->sources[baseline + 1]);
    ls_table_release(*replaced, source); /* left by a tick that failed */
    *replaced = *kept;
    *kept = ls_table_copy(now, source);
}

void ls_baseline_keep(ls_world *world, uint32_t baseline)
{
    for (uint32_t lane = 0; lane < world->state.lanes; lane++)
        keep_lane(world, baseline, lane);
}

void ls_baseline_release(ls_world *world)
{
    for (uint32_t i = 0; i < world->program->baseline_count * world->state.lanes; i++) {
        uint32_t baseline = ls_program_baseline_column(world->program, i / world->state.lanes);
        ls_table_release(world->replaced_baselines[i], &world->sources[baseline]);
        world->replaced_baselines[i] = NULL;
    }
}

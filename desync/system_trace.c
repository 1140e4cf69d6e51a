#include "desync/system_trace.h"

#include "core/run/event_internal.h"
#include "core/run/fork.h"
#include "core/run/merge.h"
#include "core/state/table.h"
#include <lockstep/context.h>
#include <lockstep/hash.h>

#include <string.h>

void ls_system_trace_init(ls_system_trace *step, const ls_world *world)
{
    uint32_t parts = ls_system_trace_part_count(world);
    step->inputs = ls_alloc(sizeof *step->inputs * parts);
    step->outputs = ls_alloc(sizeof *step->outputs * parts);
    step->undeclared = ls_alloc(sizeof *step->undeclared * parts);
    step->changed = ls_alloc(sizeof *step->changed * parts);
}

void ls_system_trace_reset(ls_system_trace *step)
{
    ls_free(step->inputs);
    ls_free(step->outputs);
    ls_free(step->undeclared);
    ls_free(step->changed);
}

void ls_tick_probe_init(ls_tick_probe *tick_probe, ls_world *world)
{
    *tick_probe = (ls_tick_probe){.world = world};
    ls_image_init(&tick_probe->before, world);
    tick_probe->begun = ls_alloc(sizeof *tick_probe->begun * ls_plan_count(world->program));
}

void ls_tick_probe_reset(ls_tick_probe *tick_probe)
{
    ls_image_reset(&tick_probe->before);
    ls_access_rights_reset(&tick_probe->rights);
    ls_run_outcome_reset(&tick_probe->outcome);
    ls_free(tick_probe->begun);
    *tick_probe = (ls_tick_probe){0};
}

static void mix(uint64_t *hash, uint64_t value)
{
    const uint64_t both[2] = {*hash, value};
    *hash = ls_hash_bytes(both, sizeof both);
}

/* Mixes in the present cells of `mask`; a page without any adds nothing. */
static void mix_page(uint64_t *hash, const ls_page_source *source, const ls_page_place *place,
                     const uint64_t *mask)
{
    uint64_t present[LS_PAGE_WORDS], any = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        any |= present[word] = place->live->present[word] & mask[word];
    if (!any)
        return;
    mix(hash, place->lane << 16 | place->page);
    mix(hash, ls_hash_bytes(present, sizeof present));
    for (uint32_t first = ls_mask_next_set(present, 0); first < source->cells;) {
        uint32_t end = ls_mask_next_clear(present, first);
        mix(hash, ls_hash_bytes(ls_page_cell(source, place->live, first),
                                source->cell_bytes * (end - first)));
        first = ls_mask_next_set(present, end);
    }
}

static const uint64_t all_slots[LS_PAGE_WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Mixes in the generations of all slots of the page, also of free ones. A page whose slots were
 * never used counts as missing. */
static void mix_liveness(uint64_t *hash, const ls_page_source *source, const ls_page_place *place)
{
    if (is_zero(ls_page_cell(source, place->live, 0), source->cell_bytes * source->cells))
        return;
    mix(hash, place->lane << 16 | place->page);
    mix(hash, ls_hash_bytes(place->live->present, sizeof place->live->present));
    mix(hash,
        ls_hash_bytes(ls_page_cell(source, place->live, 0), source->cell_bytes * source->cells));
}

void ls_world_hash_raw(const ls_world *world, uint64_t *hashes)
{
    uint32_t liveness = ls_liveness(world);
    for (uint32_t column = 0; column <= liveness + 1; column++)
        hashes[column] = column;
    for (ls_page_place place = {0}; ls_page_place_next(world, &place);) {
        if (place.column < liveness)
            mix_page(&hashes[place.column], &world->sources[place.column], &place, all_slots);
        else
            mix_liveness(&hashes[liveness], &world->sources[liveness], &place);
    }
    mix(&hashes[liveness + 1], world->state.tick);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        mix(&hashes[liveness + 1], world->base->state.dropped[i]);
    for (uint32_t lane = 0; lane < world->state.lanes; lane++)
        mix(&hashes[liveness + 1], world->state.refused_spawns[lane]);
}

/* Whether the result of the system can depend on which slots of the lane are alive. */
static bool depends_on_liveness(const ls_tick_probe *tick_probe, uint32_t lane)
{
    const ls_plan_system *plan = tick_probe->plan;
    bool is_unsettled = plan->unsettled_lanes[lane / 64] >> (lane % 64) & 1;
    for (uint32_t i = 0; i < plan->lane_count; i++) {
        if (plan->lanes[i] == lane)
            return true;
    }
    return plan->all_matching && !is_unsettled;
}

static bool asks_presence(const ls_plan_system *plan, uint32_t column)
{
    uint32_t wanted = LS_TOUCH_PRESENCE | LS_TOUCH_OTHERS;
    return (plan->touches[column] & wanted) == wanted;
}

static void take_cells(const ls_tick_probe *tick_probe, ls_system_trace *step)
{
    const ls_world *world = tick_probe->world;
    const ls_access_rights *rights = &tick_probe->rights;
    for (ls_page_place place = {0}; ls_page_place_next(world, &place);) {
        const ls_page_source *source = &world->sources[place.column];
        uint64_t mask[LS_PAGE_WORDS];
        if (place.column == ls_liveness(world)) {
            if (depends_on_liveness(tick_probe, place.lane))
                mix_liveness(&step->inputs[place.column], source, &place);
            continue;
        }
        ls_right right = (ls_right)rights->reads[place.column];
        if (right > LS_RIGHT_SPAWNED) { /* a right to only its own spawns covers no cell yet */
            ls_access_rights_mask(rights, right, &place, &tick_probe->before, mask);
            mix_page(&step->inputs[place.column], source, &place, mask);
        }
        if (asks_presence(tick_probe->plan, place.column) && !ls_page_is_empty(place.live)) {
            mix(&step->inputs[place.column], place.lane << 16 | place.page);
            mix(&step->inputs[place.column],
                ls_hash_bytes(place.live->present, sizeof place.live->present));
        }
    }
}

static uint64_t hash_matches(const ls_tick_probe *tick_probe, const ls_run *run)
{
    const ls_plan_system *plan = tick_probe->plan;
    uint64_t hash = 1;
    for (uint32_t query = 0; query < plan->query_end; query++) {
        const ls_page_list *list = &run->queries[query];
        bool is_own = query == 0 && plan->system->mode == LS_CONCURRENT;
        for (uint32_t i = 0; i < list->count; i++) {
            const uint64_t *mask = is_own ? tick_probe->rights.own[i] : list->masks[i];
            bool is_empty = !(mask[0] | mask[1] | mask[2] | mask[3]);
            if (is_empty)
                continue;
            mix(&hash, list->keys[i]);
            mix(&hash, ls_hash_bytes(mask, sizeof *mask * LS_PAGE_WORDS));
        }
        mix(&hash, query);
    }
    return hash;
}

static uint64_t hash_events(const ls_tick_probe *tick_probe, uint32_t position)
{
    const ls_program *program = tick_probe->world->program;
    uint64_t hash = 1;
    for (uint32_t event = 0; event < program->event_count; event++) {
        if (!(tick_probe->plan->receives >> event & 1))
            continue;
        ls_event_walk walk;
        ls_events_walk(tick_probe->world, event, position, &walk);
        for (const void *value; (value = ls_event_next(&walk));)
            mix(&hash, ls_hash_bytes(value, program->events[event]->bytes));
        mix(&hash, event);
    }
    return hash;
}

/* Sets a declared column to a hash other than 0, even if it has no entities: 0 means undeclared. */
static void begin_parts(const ls_tick_probe *tick_probe, ls_system_trace *step)
{
    uint32_t liveness = ls_liveness(tick_probe->world);
    const ls_access_rights *rights = &tick_probe->rights;
    for (uint32_t column = 0; column < liveness; column++) {
        step->inputs[column] =
            rights->reads[column] > LS_RIGHT_SPAWNED || asks_presence(tick_probe->plan, column);
        step->outputs[column] = (rights->writes[column] | rights->structure[column]) != 0;
        step->undeclared[column] = 0;
    }
    step->inputs[liveness] = 1;
    step->outputs[liveness] = 1;
    memset(step->changed, 0, sizeof *step->changed * (liveness + 1));
}

void ls_tick_probe_begun(ls_tick_probe *tick_probe, ls_world *world, uint32_t position,
                         ls_system_trace *step)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_world *view = world->views->worlds[plan->view];
    tick_probe->plan = plan;
    tick_probe->world = tick_probe->before.world = view;
    tick_probe->mark_count = world->base->scratch->marks[0].count;
    ls_image_take(&tick_probe->before);
    ls_access_rights_find(&tick_probe->rights, view, plan, &view->scratch->runs[position]);
    uint32_t nth = tick_probe->begun[position]++;
    if (!step)
        return;
    uint32_t parts = ls_liveness(view) + 1;
    step->position = position;
    step->nth = nth;
    begin_parts(tick_probe, step);
    take_cells(tick_probe, step);
    step->inputs[parts + LS_SYSTEM_TRACE_MATCHES] =
        hash_matches(tick_probe, &view->scratch->runs[position]);
    step->inputs[parts + LS_SYSTEM_TRACE_EVENTS] = hash_events(tick_probe, position);
    step->inputs[parts + LS_SYSTEM_TRACE_LOOP] = 1 + (uint64_t)view->iteration;
}

static void allowed_mask(const ls_tick_probe *tick_probe, const ls_page_place *place,
                         uint64_t *mask)
{
    const ls_access_rights *rights = &tick_probe->rights;
    uint64_t shapes[LS_PAGE_WORDS];
    ls_access_rights_mask(rights, (ls_right)rights->writes[place->column], place,
                          &tick_probe->before, mask);
    ls_access_rights_mask(rights, (ls_right)rights->structure[place->column], place,
                          &tick_probe->before, shapes);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        mask[word] |= shapes[word];
}

/* Mixes a page's changes into the outputs and the undeclared changes. The mask of undeclared
 * changes is hashed too, because a detached component has no cell left to hash. */
static void take_page(const ls_tick_probe *tick_probe, const ls_page_place *place,
                      ls_system_trace *step)
{
    const ls_page_source *source = &tick_probe->world->sources[place->column];
    ls_page *old = (ls_page *)(uintptr_t)ls_image_page(&tick_probe->before, place);
    uint64_t allowed[LS_PAGE_WORDS], undeclared[LS_PAGE_WORDS], any = 0, all = 0;
    allowed_mask(tick_probe, place, allowed);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = ls_page_changes(source, old, place->live, word);
        any |= bits;
        all |= undeclared[word] = bits & ~allowed[word];
    }
    step->changed[place->column] |= any != 0;
    if (step->outputs[place->column])
        mix_page(&step->outputs[place->column], source, place, allowed);
    if (all) {
        mix(&step->undeclared[place->column], ls_hash_bytes(undeclared, sizeof undeclared));
        mix_page(&step->undeclared[place->column], source, place, undeclared);
    }
}

static uint64_t hash_outcome(const ls_run_outcome *outcome)
{
    uint64_t hash = 1 + (uint64_t)outcome->decision;
    for (uint32_t i = 0; i < outcome->count; i++) {
        const ls_run_outcome_record *record = &outcome->records[i];
        const uint32_t head[] = {record->stream, record->kind, record->at, record->bytes};
        mix(&hash, ls_hash_bytes(head, sizeof head));
        mix(&hash, record->entity);
        if (record->bytes)
            mix(&hash, ls_hash_bytes(outcome->values.data + record->offset, record->bytes));
    }
    for (uint32_t i = 0; i < outcome->mark_count; i++)
        mix(&hash, outcome->marks[i].key);
    return hash;
}

void ls_tick_probe_ran(ls_tick_probe *tick_probe, uint32_t position, ls_system_trace *step)
{
    ls_world *world = tick_probe->world;
    uint32_t liveness = ls_liveness(world);
    ls_run_outcome_take(&tick_probe->outcome, world, position, tick_probe->mark_count);
    if (!step)
        return;
    for (ls_page_place place = {0}; ls_page_place_next(world, &place);) {
        if (place.column < liveness) {
            take_page(tick_probe, &place, step);
            continue;
        }
        const ls_page *old = ls_image_page(&tick_probe->before, &place);
        step->changed[liveness] |=
            memcmp(old->present, place.live->present, sizeof old->present) != 0;
        if (depends_on_liveness(tick_probe, place.lane))
            mix_liveness(&step->outputs[liveness], &world->sources[liveness], &place);
    }
    step->outputs[liveness + 1 + LS_SYSTEM_TRACE_OUTCOME] = hash_outcome(&tick_probe->outcome);
}

bool ls_tick_probe_may(const ls_tick_probe *tick_probe, ls_system_trace_claim claim,
                       uint32_t column, ls_entity entity)
{
    const ls_access_rights *rights = &tick_probe->rights;
    uint32_t slot = ls_entity_slot(entity);
    const ls_page_place place = {
        .column = column, .lane = ls_entity_lane(entity), .page = slot / LS_PAGE_SLOTS};
    uint64_t mask[LS_PAGE_WORDS];
    if (claim == LS_SYSTEM_TRACE_WRITES)
        allowed_mask(tick_probe, &place, mask);
    else
        ls_access_rights_mask(rights, (ls_right)rights->reads[column], &place, &tick_probe->before,
                              mask);
    return mask[slot % LS_PAGE_SLOTS / 64] >> (slot % 64) & 1;
}

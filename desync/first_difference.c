#include "desync/first_difference.h"

#include "core/base/platform.h"
#include "core/schedule/value_text.h"
#include "desync/cell_search.h"
#include "desync/tick_trace.h"
#include "desync/write_log.h"

#include <inttypes.h>
#include <string.h>

#define WATCHES 4u /* tries, because two runs may store the same by chance */

/* A search for the last store into a cell, in the whole tick or before one of its systems runs. */
struct probe {
    const ls_run_variant *variant;
    const ls_frame *frame;
    ls_suspect cell; /* names the cell; owns nothing */
    uint32_t end_position, end_nth;
    ls_first_difference *difference;
    uint32_t side;
    const char *system; /* the only system to watch; NULL: all */
    bool takes_silent;  /* a store of an equal value counts too */
    bool asks_idle;     /* watch the systems that changed nothing in the column */
    bool is_blind;      /* a store may have been missed */
};

static ls_sources *sources_of(ls_first_difference *difference)
{
    if (!difference->sources)
        difference->sources = ls_sources_open();
    return difference->sources;
}

static void take_store(ls_first_difference *difference, uint32_t side, const ls_stores *stores,
                       const ls_write_log *store)
{
    ls_first_difference_store *to = &difference->stores[side];
    to->left_out = stores->left_out;
    if (!store)
        return;
    difference->has_store = true;
    to->is_there = true;
    to->text = ls_write_log_print(store, difference->program);
    to->old = ls_text_duplicate(store->old_text);
    to->now = ls_text_duplicate(store->now_text);
    to->byte = store->at;
    to->instruction = store->frames[0];
    to->place = ls_write_log_line(stores, store, sources_of(difference));
    to->trace = ls_write_log_trace(stores, store, sources_of(difference));
}

/* Fills in what the suspect's column and entity tell: the component, the lane and the page. */
static void name_page(ls_first_difference *difference)
{
    ls_suspect *suspect = &difference->suspect;
    bool is_cell = suspect->site == LS_SITE_CELL || suspect->site == LS_SITE_UNDECLARED ||
                   suspect->site == LS_SITE_LIVENESS;
    difference->has_page = is_cell && suspect->has_values;
    if (is_cell && !suspect->component && suspect->site != LS_SITE_LIVENESS)
        suspect->component = ls_program_component(difference->program, suspect->column);
    difference->lane = ls_entity_lane(suspect->entity);
    difference->page = ls_entity_slot(suspect->entity) / LS_PAGE_SLOTS;
}

/* Watches the system once in each variant. LS_ERROR_NOT_FOUND when both runs stored the same. */
static ls_status compare_stores(const ls_run_variant *const variants[2], const ls_frame *frame,
                                ls_first_difference *difference)
{
    ls_stores stores[2] = {{0}, {0}};
    const ls_write_log *first[2] = {NULL, NULL};
    ls_status status = LS_OK;
    for (uint32_t i = 0; status == LS_OK && i < 2; i++)
        status = ls_desync_watch(variants[i], i, frame, &difference->suspect, &stores[i],
                                 &difference->why);
    if (status == LS_OK &&
        ls_stores_compare(&stores[0], &stores[1], &difference->suspect, &first[0], &first[1])) {
        for (uint32_t i = 0; i < 2; i++)
            take_store(difference, i, &stores[i], first[i]);
    } else if (status == LS_OK) {
        status = ls_error_set(&difference->why, LS_ERROR_NOT_FOUND,
                              "its stores were the same when it ran %u times more%s", WATCHES,
                              stores[0].left_out ? ", of those that were kept" : "");
    }
    for (uint32_t i = 0; i < 2; i++)
        ls_stores_reset(&stores[i]);
    return status;
}

/* Finds the first store that only one run of the system made, although both runs had equal inputs.
 * Tries several times: a value that is new in every run, such as the time, is sometimes equal by
 * chance. */
static void find_first_stores(const ls_run_variant *const variants[2], const ls_frame *frame,
                              ls_first_difference *difference)
{
    ls_status status = LS_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < WATCHES && status == LS_ERROR_NOT_FOUND; i++)
        status = compare_stores(variants, frame, difference);
}

/* Returns the last store that changed the cell, or else the last store of an equal value; NULL if
 * there is none. */
static const ls_write_log *last_store(const ls_stores *stores, const ls_suspect *cell)
{
    const ls_write_log *silent = NULL;
    for (uint32_t i = stores->count; i-- > 0;) {
        const ls_write_log *store = &stores->list[i];
        if (!ls_write_log_is_of(store, stores, cell))
            continue;
        if (!store->is_silent)
            return store;
        silent = silent ? silent : store;
    }
    return silent;
}

/* Watches the step's system, and takes its last store into the cell. False when there is none. */
static bool probe_step(struct probe *probe, const ls_system_trace *step)
{
    const ls_program *program = probe->variant->world->program;
    ls_stores stores;
    probe->cell.positions[probe->side] = step->position;
    probe->cell.nth = step->nth;
    probe->cell.system = ls_plan_at(program, step->position)->system->name;
    probe->cell.stage = ls_cell_search_stage(program, step->position);
    ls_status status = ls_desync_watch(probe->variant, probe->side, probe->frame, &probe->cell,
                                       &stores, &probe->difference->why);
    probe->is_blind |= status != LS_OK || stores.left_out > 0;
    const ls_write_log *store = status == LS_OK ? last_store(&stores, &probe->cell) : NULL;
    if (store && store->is_silent && !probe->takes_silent)
        store = NULL;
    if (store)
        take_store(probe->difference, probe->side, &stores, store);
    ls_stores_reset(&stores);
    return store != NULL;
}

static ls_status take_trace(const struct probe *probe, ls_tick_trace *trace, ls_error *error)
{
    ls_variant_runner runner;
    ls_status status = ls_run_variant_begin(probe->variant, &runner, error);
    if (status != LS_OK)
        return status;
    status = ls_tick_trace_take(&runner, probe->frame, trace, error);
    ls_run_variant_end(&runner);
    return status;
}

static bool is_asked(struct probe *probe, const ls_system_trace *step)
{
    const ls_plan_system *plan = ls_plan_at(probe->variant->world->program, step->position);
    uint32_t touches = plan->touches[probe->cell.column];
    bool has_changed = step->changed[probe->cell.column];
    /* The engine stores merged changes on behalf of the system, where the watch does not see
     * them. */
    probe->is_blind |= (touches & (LS_TOUCH_VALUES | LS_TOUCH_COMMAND)) != 0;
    bool may_store = (touches & (LS_TOUCH_WRITE | LS_TOUCH_STRUCTURE)) != 0;
    return (has_changed || may_store) && has_changed != probe->asks_idle &&
           (!probe->system || strcmp(plan->system->name, probe->system) == 0);
}

/* Watches the systems from the last to the first, because the last store decides the value. There
 * are three passes: stores that changed the cell; then stores of an equal value by systems that
 * changed something in the column; then stores of an equal value by systems that changed nothing
 * there. */
static ls_status probe_all(struct probe *probe, bool *is_found, ls_error *error)
{
    ls_tick_trace trace = {0};
    ls_status status = take_trace(probe, &trace, error);
    const ls_system_trace *end =
        status == LS_OK ? ls_tick_trace_find(&trace, probe->end_position, probe->end_nth) : NULL;
    uint32_t count = end ? (uint32_t)(end - trace.steps) : trace.count;
    *is_found = false;
    for (uint32_t pass = 0; status == LS_OK && !*is_found && pass < 3; pass++) {
        probe->takes_silent = pass > 0;
        probe->asks_idle = pass == 2;
        for (uint32_t i = count; !*is_found && i-- > 0;) {
            if (is_asked(probe, &trace.steps[i]))
                *is_found = probe_step(probe, &trace.steps[i]);
        }
    }
    ls_tick_trace_reset(&trace);
    return status;
}

/* Finds the stores of other systems because of which the suspect's system found different values in
 * the cell. */
static ls_status find_last_stores(const ls_run_variant *const variants[2], const ls_frame *frame,
                                  ls_first_difference *difference, ls_error *error)
{
    const ls_suspect *suspect = &difference->suspect;
    ls_status status = LS_OK;
    for (uint32_t i = 0; status == LS_OK && i < 2; i++) {
        struct probe probe = {.variant = variants[i],
                              .frame = frame,
                              .cell = *suspect,
                              .end_position = suspect->positions[i],
                              .end_nth = suspect->nth,
                              .difference = difference,
                              .side = i};
        bool is_found;
        probe.cell.blame = LS_BLAME_SYSTEM;
        status = probe_all(&probe, &is_found, error);
    }
    if (status == LS_OK && !difference->has_store)
        ls_error_set(&difference->why, LS_ERROR_NOT_FOUND, "no system stored into the cell");
    return status;
}

static ls_status find_stores(const ls_run_variant *const variants[2], const ls_frame *frame,
                             ls_first_difference *difference, ls_error *error)
{
    const ls_suspect *suspect = &difference->suspect;
    if (suspect->blame == LS_BLAME_SYSTEM && suspect->has_values)
        find_first_stores(variants, frame, difference);
    else if (suspect->blame == LS_BLAME_ORDER && difference->has_page)
        return find_last_stores(variants, frame, difference, error);
    else if (suspect->blame != LS_BLAME_NONE)
        ls_error_set(&difference->why, LS_ERROR_NOT_FOUND,
                     "there is no cell whose stores could be "
                     "watched");
    return LS_OK;
}

ls_status ls_first_difference_find(const ls_run_variant *a, const ls_run_variant *b,
                                   const ls_frame *frame, ls_first_difference *difference,
                                   ls_error *error)
{
    const ls_run_variant *const variants[2] = {a, b};
    uint64_t begin_ns = ls_monotonic_ns();
    *difference = (ls_first_difference){.program = a->world->program};
    ls_status status = ls_desync_find_system(a, b, frame, &difference->suspect, error);
    if (status != LS_OK)
        return status;
    name_page(difference);
    uint64_t system_ns = ls_monotonic_ns();
    status = find_stores(variants, frame, difference, error);
    difference->system_ns = system_ns - begin_ns;
    difference->store_ns = ls_monotonic_ns() - system_ns;
    if (status != LS_OK)
        ls_first_difference_reset(difference);
    return status;
}

static const uint8_t *find_cell(const ls_world *world, const ls_component *component,
                                ls_entity entity)
{
    return component->is_singleton ? ls_world_singleton(world, component)
                                   : ls_world_cell(world, component, entity);
}

/* Runs the tick, and says how the cell after it differs from the claim. */
static ls_status compare_claim(const ls_run_variant *variant, const ls_frame *frame,
                               const ls_cell_claim *claim, ls_suspect *suspect, ls_error *error)
{
    const ls_program *program = variant->world->program;
    ls_variant_runner runner;
    ls_status status = ls_run_variant_begin(variant, &runner, error);
    if (status != LS_OK)
        return status;
    status = ls_run_variant_run(&runner, frame, NULL, error);
    const uint8_t *cell = find_cell(variant->world, suspect->component, claim->entity);
    if (status == LS_OK && ls_suspect_compare(suspect, program, cell, claim->expected)) {
        suspect->blame = LS_BLAME_OUTSIDE;
        suspect->site = LS_SITE_CELL;
        suspect->has_values = true;
        suspect->place = ls_suspect_place(suspect, program);
    }
    ls_run_variant_end(&runner);
    return status;
}

static void adopt_system(ls_suspect *suspect, const ls_suspect *from)
{
    suspect->blame = LS_BLAME_SYSTEM;
    suspect->system = from->system;
    suspect->stage = from->stage;
    suspect->positions[0] = from->positions[0];
    suspect->nth = from->nth;
}

static void print_claim(ls_first_difference *difference)
{
    ls_suspect *suspect = &difference->suspect;
    ls_builder text = {0};
    if (!suspect->has_values)
        ls_builder_add(&text, "the cell is as expected after the tick");
    else
        ls_builder_add(&text, "%s%s%s leaves %s as %s instead of %s",
                       suspect->system           ? "system \""
                       : difference->same_system ? "no system changed it, but the tick"
                                                 : "no system stored there, and the tick",
                       suspect->system ? suspect->system : "", suspect->system ? "\"" : "",
                       suspect->place, suspect->a ? suspect->a : "nothing",
                       suspect->b ? suspect->b : "nothing");
    suspect->text = text.data;
}

/* Checks frame and claim, and names the claimed cell as the suspect. */
static ls_status begin_claim(const ls_run_variant *variant, const ls_frame *frame,
                             const ls_cell_claim *claim, ls_first_difference *difference,
                             ls_error *error)
{
    const ls_program *program = variant->world->program;
    *difference = (ls_first_difference){.program = program, .is_alone = true};
    if (frame->tick != variant->world->state.tick)
        return ls_error_set(error, LS_ERROR_USAGE, "the frame is for another tick");
    if (claim->column >= ls_liveness(variant->world))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "there is no column %" PRIu32 " that holds a component", claim->column);
    difference->suspect = (ls_suspect){.positions = {UINT32_MAX, UINT32_MAX},
                                       .column = claim->column,
                                       .component = ls_program_component(program, claim->column),
                                       .entity = claim->entity};
    return LS_OK;
}

ls_status ls_first_difference_find_cell(const ls_run_variant *variant, const ls_frame *frame,
                                        const ls_cell_claim *claim, ls_first_difference *difference,
                                        ls_error *error)
{
    uint64_t begin_ns = ls_monotonic_ns();
    ls_status status = begin_claim(variant, frame, claim, difference, error);
    if (status != LS_OK)
        return status;
    ls_suspect *suspect = &difference->suspect;
    status = compare_claim(variant, frame, claim, suspect, error);
    name_page(difference);
    if (status == LS_OK && suspect->has_values) {
        struct probe probe = {.variant = variant,
                              .frame = frame,
                              .cell = *suspect,
                              .end_position = UINT32_MAX,
                              .difference = difference};
        bool is_found;
        probe.cell.blame = LS_BLAME_SYSTEM;
        status = probe_all(&probe, &is_found, error);
        if (status == LS_OK && is_found && !probe.asks_idle)
            adopt_system(suspect, &probe.cell);
        else if (status == LS_OK && is_found)
            difference->same_system = probe.cell.system;
        else if (status == LS_OK && !probe.is_blind)
            ls_error_set(&difference->why, LS_ERROR_NOT_FOUND,
                         "no system stored into the cell in this tick");
        else if (status == LS_OK && !difference->why.text[0])
            ls_error_set(&difference->why, LS_ERROR_NOT_FOUND,
                         "no system was seen to store into the cell, and not every store was seen");
        difference->is_unstored = status == LS_OK && !is_found && !probe.is_blind;
    }
    print_claim(difference);
    difference->store_ns = ls_monotonic_ns() - begin_ns;
    if (status != LS_OK)
        ls_first_difference_reset(difference);
    return status;
}

/* Watches the system without tracing the tick first, which is possible only if it runs exactly
 * once. A run for a trace would change what the simulation has allocated, and with it the watched
 * run. */
static bool probe_only(struct probe *probe)
{
    const ls_program *program = probe->variant->world->program;
    ls_system_trace step = {.position = UINT32_MAX};
    if (program->gate_count)
        return false;
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_system *system = ls_plan_at(program, i)->system;
        if (strcmp(system->name, probe->system) != 0)
            continue;
        if (step.position != UINT32_MAX)
            return false;
        step.position = i;
    }
    return step.position != UINT32_MAX && probe_step(probe, &step);
}

static void print_found_store(ls_suspect *suspect)
{
    ls_builder text = {0};
    ls_builder_add(&text, "system \"%s\" stores into %s", suspect->system, suspect->place);
    suspect->text = text.data;
}

ls_status ls_first_difference_find_store(const ls_run_variant *variant, const ls_frame *frame,
                                         const char *system, const ls_cell_claim *claim,
                                         const ls_field *field, ls_first_difference *difference,
                                         ls_error *error)
{
    uint64_t begin_ns = ls_monotonic_ns();
    ls_status status = begin_claim(variant, frame, claim, difference, error);
    if (status != LS_OK)
        return status;
    ls_suspect *suspect = &difference->suspect;
    suspect->site = LS_SITE_UNDECLARED;
    suspect->has_values = true;
    suspect->field = field;
    suspect->place = ls_suspect_place(suspect, difference->program);
    name_page(difference);
    struct probe probe = {.variant = variant,
                          .frame = frame,
                          .cell = *suspect,
                          .end_position = UINT32_MAX,
                          .difference = difference,
                          .system = system};
    probe.cell.blame = LS_BLAME_SYSTEM;
    bool is_found = probe_only(&probe);
    if (!is_found)
        status = probe_all(&probe, &is_found, error);
    if (status == LS_OK && is_found) {
        adopt_system(suspect, &probe.cell);
        print_found_store(suspect);
    } else if (status == LS_OK) {
        status = ls_error_set(error, LS_ERROR_USAGE, "no system \"%s\" stores into %s", system,
                              suspect->place);
    }
    difference->store_ns = ls_monotonic_ns() - begin_ns;
    if (status != LS_OK)
        ls_first_difference_reset(difference);
    return status;
}

void ls_first_difference_reset(ls_first_difference *difference)
{
    for (uint32_t i = 0; i < 2; i++) {
        ls_free(difference->stores[i].text);
        ls_free(difference->stores[i].old);
        ls_free(difference->stores[i].now);
        ls_free(difference->stores[i].trace);
    }
    ls_sources_close(difference->sources);
    ls_suspect_reset(&difference->suspect);
    *difference = (ls_first_difference){0};
}

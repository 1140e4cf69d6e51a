#include "cli/explain_where.h"

#include "core/program_internal.h"
#include "core/value.h"
#include "desync/culprit.h"
#include "desync/landing.h"
#include "desync/rerun.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 8
#define ATTEMPTS  6

/* A serial rerun up to a tick, and the frame of that tick. */
struct place {
    ls_explain_case the;
    ls_rerun *rerun;
    ls_tick_source ticks;
    uint8_t *start;
    const ls_frame *frame;
    ls_source_tick next;
    /* What the simulation keeps to itself before the first tick, and before this one; NULL when it
     * is built in. */
    ls_statics *fresh, *reached;
};

static void leave(struct place *place)
{
    ls_rerun_destroy(place->rerun);
    ls_free(place->start);
    ls_statics_destroy(place->fresh);
    ls_statics_destroy(place->reached);
    ls_explain_case_close(&place->the);
}

/* `from`: where the reruns began, so that what is kept beside the world is what it was there. */
static ls_status reach(struct place *place, uint64_t from, uint64_t tick, ls_error *error)
{
    size_t bytes;
    ls_status status =
        ls_explain_case_start(&place->the, from, &place->ticks, &place->start, &bytes, error);
    if (status)
        return status;
    const ls_rerun_config config = {.program = place->the.loaded.program,
                                    .match = &ls_recording_get_header(place->the.recording)->match,
                                    .ticks = place->ticks,
                                    .snapshot = place->start,
                                    .snapshot_bytes = bytes,
                                    .is_blind = true};
    status = ls_rerun_create(&config, &place->rerun, error);
    place->fresh = ls_statics_take(place->the.loaded.sim);
    bool is_over = false;
    while (!status && !is_over && ls_world_tick(ls_rerun_world(place->rerun)) < tick) {
        status = ls_rerun_step(place->rerun, &is_over, error);
        ls_explain_tell_progress(&place->the.config);
    }
    if (!status)
        status = place->ticks.next(place->ticks.argument, ls_rerun_world(place->rerun),
                                   &place->next, error);
    if (!status && (is_over || place->next.is_over))
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "the file has no tick %" PRIu64, tick);
    place->frame = &place->next.frame;
    place->reached = ls_statics_take(place->the.loaded.sim);
    return status;
}

/* Opens the case again: a place of its own in the file. */
static ls_status go(const ls_explain_config *config, uint64_t from, uint64_t tick,
                    struct place *place, ls_error *error)
{
    *place = (struct place){0};
    ls_status status = ls_explain_case_open(config, &place->the, error);
    return status ? status : reach(place, from, tick, error);
}

/* Which variables of the simulation ticks have changed. */
static void tell_statics(const struct place *place, ls_builder *text)
{
    ls_builder names = {0};
    ls_sources *sources = ls_sources_open();
    if (place->fresh && place->reached)
        ls_statics_print(place->fresh, place->reached, sources, NAMES_MAX, &names);
    if (names.count)
        ls_builder_add(text, "keeps      %s (variables that no snapshot holds)\n", names.data);
    ls_free(names.data);
    ls_sources_close(sources);
}

static void tell(const ls_culprit *culprit, const struct place *place, const ls_explain_row *row,
                 ls_builder *text)
{
    char other[64];
    ls_explain_row_name(row, other, sizeof other);
    if (row->kind == LS_EXPLAIN_PLAIN && row->number == 1)
        snprintf(other, sizeof other, "client");
    const char *names[2] = {"serially", other};
    ls_builder json = {0};
    ls_builder_add(text, "tick       %" PRIu64 "\n", place->frame->tick);
    ls_culprit_print(culprit, names, text);
    tell_statics(place, text);
    ls_builder_put(text, "", 1);
    ls_culprit_json(culprit, names, &json);
    ls_builder_put(text, json.data, json.count);
    ls_builder_put(text, "", 1);
    ls_free(json.data);
}

/* -- ways of one process */

/* Who starts from a state elsewhere has what is in it, and no more. */
static bool is_elsewhere(const ls_explain_row *row)
{
    return row->kind == LS_EXPLAIN_LATE || row->kind == LS_EXPLAIN_ROUND_TRIP ||
           row->kind == LS_EXPLAIN_START;
}

static void set_ways(const struct place *place, const ls_explain_row *row, ls_way *a, ls_way *b)
{
    a->statics = place->reached;
    if (row->kind != LS_EXPLAIN_OTHER)
        b->statics = is_elsewhere(row) ? place->fresh : place->reached;
    if (row->kind == LS_EXPLAIN_SHUFFLE)
        b->shuffle_seed = row->number;
    if (row->kind == LS_EXPLAIN_STACK) {
        a->stack_fill = (uint8_t)~row->number;
        b->stack_fill = (uint8_t)row->number;
    }
}

/* Whatever else the row has changed: the second way's memory lies elsewhere, and it runs later, so
 * that addresses and clocks are others, too. */
static ls_status compare_ways(const struct place *place, ls_world *other, const ls_explain_row *row,
                              ls_culprit *culprit, ls_error *error)
{
    ls_way a = {.world = ls_rerun_world(place->rerun)}, b = {.world = other};
    set_ways(place, row, &a, &b);
    ls_status status = ls_culprit_find(&a, &b, place->frame, culprit, error);
    if (status || culprit->suspect.blame != LS_BLAME_NOBODY)
        return status;
    ls_culprit_reset(culprit);
    return ls_error_set(error, LS_ERROR_NOT_FOUND, "within one process the tick is the same");
}

static ls_status compare_copies(const struct place *place, const ls_program *program,
                                const ls_explain_row *row, ls_builder *text, ls_error *error)
{
    ls_world *copy;
    ls_culprit culprit;
    ls_status status = ls_landing_copy(ls_rerun_world(place->rerun), program, &copy, error);
    if (status)
        return status;
    status = compare_ways(place, copy, row, &culprit, error);
    if (!status) {
        tell(&culprit, place, row, text);
        ls_culprit_reset(&culprit);
    }
    ls_world_destroy(copy);
    return status;
}

static ls_status find_by_ways(ls_explain_case *the, const ls_explain_row *row, uint64_t tick,
                              ls_builder *text, ls_error *error)
{
    struct place place;
    ls_loaded_sim other = {0};
    ls_status status = go(&the->config, the->from, tick, &place, error);
    if (!status && row->kind == LS_EXPLAIN_OTHER)
        status = ls_sim_load_other(the->config.other, &other, error);
    const ls_program *program = other.program ? other.program : place.the.loaded.program;
    if (!status)
        status = compare_copies(&place, program, row, text, error);
    leave(&place);
    ls_sim_unload(&other);
    return status;
}

/* -- against the state of another process */

struct claims {
    const ls_world *world, *other;
    ls_cell_claim list[LS_COMPONENTS_MAX];
    uint32_t count;
    char *text; /* of the first difference of any kind */
};

/* The first cell of each component in which the two differ. */
static bool add_claim(void *argument, const ls_difference *difference)
{
    struct claims *claims = argument;
    const ls_component *component = difference->component;
    if (!claims->text) {
        ls_builder text = {0};
        ls_builder_add(&text, "%s: %s here, %s there", difference->place,
                       difference->a ? difference->a : "nothing",
                       difference->b ? difference->b : "nothing");
        claims->text = text.data;
    }
    if (!component)
        return true;
    uint32_t column = ls_program_find_column(claims->world->program, component);
    for (uint32_t i = 0; i < claims->count; i++)
        if (claims->list[i].column == column)
            return true;
    const void *cell = component->is_singleton
                           ? ls_world_singleton(claims->other, component)
                           : ls_world_cell(claims->other, component, difference->entity);
    claims->list[claims->count++] = (ls_cell_claim){column, difference->entity, cell};
    return claims->count < LS_COUNT_OF(claims->list);
}

/* Of all that differs, what was stored by the system that ran first: the rest may follow from it.
 */
static ls_status find_earliest(const ls_way *way, const ls_frame *frame,
                               const struct claims *claims, ls_culprit *earliest, ls_error *error)
{
    ls_status status = LS_OK;
    bool has_one = false;
    for (uint32_t i = 0; i < claims->count && !status; i++) {
        ls_culprit culprit;
        status = ls_culprit_find_cell(way, frame, &claims->list[i], &culprit, error);
        if (status)
            break;
        bool is_earlier = !has_one || culprit.suspect.positions[0] < earliest->suspect.positions[0];
        if (has_one)
            ls_culprit_reset(is_earlier ? earliest : &culprit);
        if (is_earlier)
            *earliest = culprit;
        has_one = true;
    }
    if (status && has_one)
        ls_culprit_reset(earliest);
    return status;
}

static ls_status find_among(const ls_way *way, const ls_frame *frame, ls_world *other,
                            ls_culprit *culprit, ls_error *error)
{
    ls_world *world = way->world;
    ls_snapshot *before = ls_world_snapshot(world);
    struct claims claims = {.world = world, .other = other};
    ls_status status = ls_world_advance(world, frame, NULL, error);
    if (!status)
        ls_world_diff(world, other, add_claim, &claims);
    ls_world_restore(world, before);
    ls_snapshot_destroy(before);
    if (way->statics)
        ls_statics_put(way->statics);
    if (!status && !claims.text)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "run once more, the tick is the same");
    else if (!status && !claims.count)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "%s", claims.text);
    if (!status)
        status = find_earliest(way, frame, &claims, culprit, error);
    ls_free(claims.text);
    return status;
}

static ls_status compare_state(struct place *place, const uint8_t *bytes, size_t count,
                               ls_culprit *culprit, ls_error *error)
{
    ls_world *other;
    const ls_way way = {.world = ls_rerun_world(place->rerun), .statics = place->reached};
    ls_status status =
        ls_world_create(place->the.loaded.program,
                        &ls_recording_get_header(place->the.recording)->match, &other, error);
    if (status)
        return status;
    status = ls_world_decode(other, bytes, count, error);
    if (!status)
        status = find_among(&way, place->frame, other, culprit, error);
    ls_world_destroy(other);
    return status;
}

static ls_status find_by_state(ls_explain_case *the, const ls_explain_row *row, uint64_t tick,
                               ls_builder *text, ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    ls_status status =
        ls_explain_row_take(the, row, LS_EXPLAIN_STATE, tick + 1, &bytes, &count, error);
    if (status)
        return status;
    struct place place;
    ls_culprit culprit;
    status = go(&the->config, the->from, tick, &place, error);
    if (!status)
        status = compare_state(&place, bytes, count, &culprit, error);
    if (!status) {
        tell(&culprit, &place, row, text);
        ls_culprit_reset(&culprit);
    }
    leave(&place);
    ls_free(bytes);
    return status;
}

/* -- against what the other machine had */

static ls_status place_client(const ls_evidence *evidence, ls_world *world, ls_error *error)
{
    ls_cells_claim claims[LS_EVIDENCE_PAGES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < evidence->page_count; i++) {
        const ls_evidence_page *page = &evidence->pages[i];
        if (!page->client.is_missing)
            claims[count++] =
                (ls_cells_claim){page->column, page->key, page->client.data, page->client.count};
    }
    return ls_cells_place(world, claims, count, error);
}

/* The client's state behind the tick: the server's with the pages that the client has shown. */
static ls_status make_client(struct place *place, ls_world **client, ls_error *error)
{
    ls_status status =
        ls_landing_copy(ls_rerun_world(place->rerun), place->the.loaded.program, client, error);
    if (status)
        return status;
    status = ls_world_advance(*client, place->frame, NULL, error);
    if (place->reached)
        ls_statics_put(place->reached);
    if (!status)
        status = place_client(place->the.evidence, *client, error);
    if (status)
        ls_world_destroy(*client);
    return status;
}

static ls_status find_by_evidence(ls_explain_case *the, const ls_explain_row *row, ls_builder *text,
                                  ls_error *error)
{
    struct place place;
    ls_world *client;
    ls_status status = go(&the->config, the->from, the->evidence->tick - 1, &place, error);
    if (!status)
        status = make_client(&place, &client, error);
    if (!status) {
        ls_culprit culprit;
        const ls_way way = {.world = ls_rerun_world(place.rerun), .statics = place.reached};
        status = find_among(&way, place.frame, client, &culprit, error);
        ls_world_destroy(client);
        if (!status) {
            tell(&culprit, &place, row, text);
            ls_culprit_reset(&culprit);
        }
    }
    leave(&place);
    return status;
}

/* -- by what the check executor says */

/* `tick 5: system "steer" writes what it may not write: Position.x of army2/0:1 is ...` */
struct finding {
    uint64_t tick;
    char system[128], component[128], field[128], entity[128];
};

static bool parse_finding(const char *text, struct finding *finding)
{
    *finding = (struct finding){0};
    int end = 0;
    if (sscanf(text, "tick %" SCNu64 ": system \"%127[^\"]\" writes what it may not write: %n",
               &finding->tick, finding->system, &end) != 2 ||
        !end)
        return false;
    text += end;
    if (sscanf(text, "%127[^. ]%n", finding->component, &end) != 1)
        return false;
    text += end;
    if (*text == '.' && sscanf(text, ".%127[^[ ]%n", finding->field, &end) == 1)
        text += end;
    const char *of = strstr(text, " of ");
    if (of)
        sscanf(of, " of %127[^ ,\n]", finding->entity);
    return true;
}

static ls_status find_claim(const ls_program *program, const struct finding *finding,
                            ls_cell_claim *claim, const ls_field **field, ls_error *error)
{
    *claim = (ls_cell_claim){.column = program->column_count, .entity = LS_ENTITY_NULL};
    *field = NULL;
    for (uint32_t i = 0; i < program->column_count; i++)
        if (strcmp(program->components[i]->name, finding->component) == 0)
            claim->column = i;
    if (claim->column == program->column_count ||
        (finding->entity[0] && !ls_entity_parse(program, finding->entity, &claim->entity)))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "no cell is named");
    const ls_component *component = program->components[claim->column];
    for (uint32_t i = 0; i < component->field_count; i++)
        if (strcmp(component->fields[i].name, finding->field) == 0)
            *field = &component->fields[i];
    return LS_OK;
}

static ls_status find_by_finding(ls_explain_case *the, const ls_explain_row *row, ls_builder *text,
                                 ls_error *error)
{
    struct finding finding;
    struct place place;
    if (!the->config.finding || !parse_finding(the->config.finding, &finding))
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "what is read leaves no store");
    ls_status status = go(&the->config, the->from, finding.tick, &place, error);
    ls_cell_claim claim;
    const ls_field *field;
    if (!status)
        status = find_claim(place.the.loaded.program, &finding, &claim, &field, error);
    ls_culprit culprit;
    if (!status) {
        const ls_way way = {.world = ls_rerun_world(place.rerun), .statics = place.reached};
        status = ls_culprit_find_store(&way, place.frame, finding.system, &claim, field, &culprit,
                                       error);
    }
    if (!status) {
        tell(&culprit, &place, row, text);
        ls_culprit_reset(&culprit);
    }
    leave(&place);
    return status;
}

ls_status ls_explain_where_find(ls_explain_case *the, const ls_explain_row *row, uint64_t tick,
                                ls_builder *text, ls_error *error)
{
    if (row->kind == LS_EXPLAIN_CHECK)
        return find_by_finding(the, row, text, error);
    if (tick <= the->first_tick)
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "the sides differ in the state that the file begins with, before any "
                            "of its ticks");
    if (row->kind == LS_EXPLAIN_PLAIN && row->number == 1 && the->evidence)
        return find_by_evidence(the, row, text, error);
    ls_status status = find_by_ways(the, row, tick - 1, text, error);
    /* Where addresses or the clock decide, one more run may come to what this one did. */
    for (int i = 0; i < ATTEMPTS && status == LS_ERROR_NOT_FOUND; i++)
        status = find_by_state(the, row, tick - 1, text, error);
    return status;
}

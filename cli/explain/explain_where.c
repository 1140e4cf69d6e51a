#include "cli/explain/explain_where.h"

#include "cli/explain/explain_evidence.h"
#include "cli/explain/explain_place.h"
#include "desync/start_state.h"

#include <stdio.h>
#include <string.h>

#define ATTEMPTS 6

/* Whether the row shows the effect of hidden state. Then its second variant begins without any,
 * like a process that has only decoded a state. */
static bool is_elsewhere(const ls_explain_row *row)
{
    return row->kind == LS_EXPLAIN_LATE || row->kind == LS_EXPLAIN_ROUND_TRIP ||
           row->kind == LS_EXPLAIN_START;
}

static void set_variants(const ls_explain_place *place, const ls_explain_row *row,
                         ls_run_variant *a, ls_run_variant *b)
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

/* Compares the tick in the two variants. The second run also happens later and has its memory at
 * other addresses, so clocks and addresses differ as well. */
static ls_status compare_variants(const ls_explain_place *place, ls_world *other,
                                  const ls_explain_row *row, ls_first_difference *difference,
                                  ls_error *error)
{
    ls_run_variant a = {.world = ls_rerun_world(place->rerun)}, b = {.world = other};
    set_variants(place, row, &a, &b);
    ls_status status = ls_first_difference_find(&a, &b, place->frame, difference, error);
    if (status || difference->suspect.blame != LS_BLAME_NONE)
        return status;
    ls_first_difference_reset(difference);
    return ls_error_set(error, LS_ERROR_NOT_FOUND, "within one process the tick is the same");
}

/* The names that are known when no cell is known. */
struct outline {
    ls_loaded_sim other; /* of a row that runs another build */
    char system[128], component[128];
};

static void take_outline(const ls_suspect *suspect, struct outline *outline)
{
    if (suspect->blame != LS_BLAME_SYSTEM || suspect->has_values || !suspect->system)
        return;
    snprintf(outline->system, sizeof outline->system, "%s", suspect->system);
    if (suspect->component)
        snprintf(outline->component, sizeof outline->component, "%s", suspect->component->name);
}

static ls_status compare_copies(ls_explain_place *place, void *argument,
                                ls_first_difference *difference, ls_error *error)
{
    struct outline *outline = argument;
    ls_world *copy;
    const ls_program *program = outline->other.program;
    ls_status status =
        ls_start_state_copy(ls_rerun_world(place->rerun),
                            program ? program : place->subject.loaded.program, &copy, error);
    if (status)
        return status;
    status = compare_variants(place, copy, place->row, difference, error);
    if (!status)
        take_outline(&difference->suspect, outline);
    ls_world_destroy(copy);
    return status;
}

static ls_status find_by_variants(const ls_explain_case *subject, const ls_explain_row *row,
                                  uint64_t tick, struct outline *outline, ls_builder *text,
                                  ls_error *error)
{
    const ls_explain_search search = {compare_copies, outline};
    ls_status status = LS_OK;
    if (row->kind == LS_EXPLAIN_OTHER)
        status = ls_sim_load_other(subject->config.other, &outline->other, error);
    if (!status)
        status = ls_explain_place_search(subject, row, tick, &search, text, error);
    ls_sim_unload(&outline->other);
    return status;
}

struct state {
    ls_explain_row of; /* the run that left it */
    char name[64];     /* of that run */
    uint8_t *bytes;
    size_t count;
};

/* Returns the run whose state a run of this process is compared with. The process of a search fills
 * its memory like its row, so the other run has another fill. */
static ls_explain_row counterpart(const ls_explain_row *row)
{
    enum { FILL = 0x55 };
    ls_explain_row other = *row;
    if (row->kind == LS_EXPLAIN_HEAP)
        other.number = row->number ? 0 : FILL;
    return other;
}

static ls_status compare_state(ls_explain_place *place, void *argument,
                               ls_first_difference *difference, ls_error *error)
{
    const struct state *state = argument;
    ls_world *other;
    const ls_run_variant variant = ls_explain_place_variant(place);
    place->side = state->name;
    ls_status status =
        ls_world_create(place->subject.loaded.program,
                        &ls_recording_get_header(place->subject.recording)->match, &other, error);
    if (status)
        return status;
    status = ls_world_decode(other, state->bytes, state->count, error);
    if (!status)
        status = ls_first_difference_find_state(&variant, place->frame, other, difference, error);
    ls_world_destroy(other);
    return status;
}

static ls_status find_by_state(const ls_explain_case *subject, const ls_explain_row *row,
                               uint64_t tick, ls_builder *text, ls_error *error)
{
    struct state state = {.of = counterpart(row)};
    const ls_explain_search search = {compare_state, &state};
    ls_explain_row_name(&state.of, state.name, sizeof state.name);
    ls_status status = ls_explain_row_take(subject, &state.of, LS_EXPLAIN_STATE, tick + 1,
                                           &state.bytes, &state.count, error);
    if (status)
        return status;
    status = ls_explain_place_search(subject, row, tick, &search, text, error);
    ls_free(state.bytes);
    return status;
}

/* If the store into a cell of the evidence is found, replaces `text` by it. The search that gave
 * `text` found no cell: in its second run the cell may be equal, because memory that the simulation
 * allocated is not restored. */
static void add_cell(ls_explain_case *subject, const ls_explain_row *row,
                     const struct outline *outline, ls_builder *text)
{
    ls_error why;
    ls_builder found = {0};
    if (ls_explain_by_cell(subject, row, outline->system, outline->component, &found, &why) !=
        LS_OK)
        return;
    ls_free(text->data);
    *text = found;
}

ls_status ls_explain_where_find(ls_explain_case *subject, const ls_explain_row *row, uint64_t tick,
                                ls_builder *text, ls_error *error)
{
    bool is_plain = row->kind == LS_EXPLAIN_PLAIN && row->number == 1;
    if (row->kind == LS_EXPLAIN_CHECK)
        return ls_explain_by_finding(subject, row, text, error);
    if (is_plain && !subject->evidence)
        return ls_explain_by_file(subject, tick, text, error);
    if (tick <= subject->first_tick)
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "the sides differ in the state that the file begins with, before any "
                            "of its ticks");
    if (is_plain)
        return ls_explain_by_evidence(subject, row, text, error);
    struct outline outline = {0};
    ls_status status = LS_ERROR_NOT_FOUND; /* two runs in one process have one fill */
    if (row->kind != LS_EXPLAIN_HEAP)
        status = find_by_variants(subject, row, tick - 1, &outline, text, error);
    if (!status && outline.system[0] && subject->evidence && subject->evidence->tick == tick)
        add_cell(subject, row, &outline, text);
    /* A run from the start of the match reaches the server's state again, so compare it with the
     * client's state in the evidence. */
    if (row->kind == LS_EXPLAIN_START && status == LS_ERROR_NOT_FOUND && subject->evidence)
        status = ls_explain_by_evidence(subject, row, text, error);
    if (row->kind == LS_EXPLAIN_START)
        return status;
    /* If addresses or the clock decide, one more run of the row may happen to equal this one, so
     * try again. */
    for (int i = 0; i < ATTEMPTS && status == LS_ERROR_NOT_FOUND; i++)
        status = find_by_state(subject, row, tick - 1, text, error);
    return status;
}

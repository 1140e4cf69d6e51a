#include "desync/recorded_diff.h"

#include "core/schedule/value_text.h"
#include "desync/start_state.h"
#include <lockstep/diff.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Records that are looked at, of each kind: a replay between two of them takes its time. */
enum { TRIES = 4 };

struct search {
    ls_recording *const *recordings;
    const ls_program *const *programs;
    ls_divergence *divergence;
    uint64_t after;
    uint32_t column; /* the first whose hashes differ */
};

/* -- texts */

static void append(char *to, size_t bytes, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, bytes - used, "%s", text);
}

void ls_recorded_diff_add_name(char *to, size_t bytes, const char *name)
{
    if (to[0])
        append(to, bytes, ", ");
    append(to, bytes, name);
}

void ls_recorded_diff_set(char to[LS_DIVERGENCE_NAME_BYTES], const char *text)
{
    snprintf(to, LS_DIVERGENCE_NAME_BYTES, "%s", text ? text : "");
}

void ls_recorded_diff_set_entity(const ls_program *program, ls_entity entity,
                                 ls_divergence *divergence)
{
    ls_builder text = {0};
    if (entity != LS_ENTITY_NULL)
        ls_entity_print(&text, program, entity);
    ls_recorded_diff_set(divergence->entity, text.data);
    ls_free(text.data);
}

void ls_recorded_diff_set_field(const ls_field *field, uint32_t item, ls_divergence *divergence)
{
    char *to = divergence->field;
    ls_recorded_diff_set(to, field ? field->name : NULL);
    if (field && field->bytes > ls_type_bytes(field->type))
        snprintf(to + strlen(to), LS_DIVERGENCE_NAME_BYTES - strlen(to), "[%" PRIu32 "]", item);
}

/* -- who may have done it */

static bool writes(const ls_system *system, const char *component)
{
    for (uint32_t i = 0; i < LS_TERMS_MAX && system->terms[i].component; i++) {
        const ls_term *term = &system->terms[i];
        if (term->access >= LS_WRITE && term->kind != LS_EVENTS &&
            strcmp(term->component->name, component) == 0)
            return true;
    }
    return false;
}

void ls_recorded_diff_name_writers(const ls_program *program, ls_divergence *divergence)
{
    for (uint32_t i = 0; i < ls_program_system_count(program); i++) {
        const ls_system *system = ls_program_system(program, i);
        if (writes(system, divergence->component))
            ls_recorded_diff_add_name(divergence->writers, sizeof divergence->writers,
                                      system->name);
    }
}

/* -- two states */

struct comparison {
    const ls_program *program;
    const ls_component *wanted;
    ls_recorded_diff_choice *choice;
    ls_divergence *divergence;
};

static bool choose(void *argument, const ls_difference *difference)
{
    struct comparison *comparison = argument;
    ls_divergence *divergence = comparison->divergence;
    bool is_cell =
        difference->kind == LS_DIFFERENCE_PRESENCE || difference->kind == LS_DIFFERENCE_FIELD;
    if (comparison->wanted &&
        (!is_cell || strcmp(difference->component->name, comparison->wanted->name) != 0))
        return true;
    *comparison->choice =
        (ls_recorded_diff_choice){.is_made = true,
                                  .component = is_cell ? difference->component : NULL,
                                  .entity = difference->entity};
    ls_recorded_diff_set(divergence->component,
                         difference->component ? difference->component->name : NULL);
    ls_recorded_diff_set_entity(comparison->program, difference->entity, divergence);
    ls_recorded_diff_set_field(difference->field, difference->item, divergence);
    if (!is_cell)
        ls_recorded_diff_set(divergence->field, difference->place);
    ls_recorded_diff_set(divergence->expected, difference->a ? difference->a : "nothing");
    ls_recorded_diff_set(divergence->found, difference->b ? difference->b : "nothing");
    return false;
}

void ls_recorded_diff_compare(ls_world *expected, ls_world *found, const ls_component *wanted,
                              ls_recorded_diff_choice *choice, ls_divergence *divergence)
{
    struct comparison comparison = {ls_world_program(expected), wanted, choice, divergence};
    *choice = (ls_recorded_diff_choice){0};
    ls_world_diff(expected, found, choose, &comparison);
}

/* -- two recordings */

/* The state of a side before the tick, replayed from the last keyframe if needed. NULL when its
 * root is not the recorded one. */
static ls_world *state_of(const struct search *search, uint32_t side, uint64_t tick)
{
    ls_recording *recording = search->recordings[side];
    const ls_recording_tick *next;
    ls_world *world;
    uint64_t root;
    if (ls_start_state_make(recording, search->programs[side], tick, &world, NULL) != LS_OK)
        return NULL;
    bool goes_on = true;
    while (goes_on && ls_world_tick(world) < tick)
        goes_on = ls_recording_next(recording, &next, NULL) == LS_OK && next &&
                  ls_world_advance(world, &next->frame, NULL, NULL) == LS_OK;
    if (goes_on && ls_recording_find_root(recording, tick, &root) && root == ls_world_root(world))
        return world;
    ls_world_destroy(world);
    return NULL;
}

static bool hashes_of(const struct search *search, uint32_t side, uint64_t tick, uint64_t *hashes)
{
    const ls_recording_columns *list;
    uint32_t count = ls_recording_columns_list(search->recordings[side], &list);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].tick != tick || list[i].count != ls_program_column_count(search->programs[0]))
            continue;
        for (uint32_t column = 0; column < list[i].count; column++)
            hashes[column] = ls_recording_column(&list[i], column);
        return true;
    }
    ls_world *world = state_of(search, side, tick);
    if (!world)
        return false;
    ls_world_column_hashes(world, hashes);
    ls_world_destroy(world);
    return true;
}

/* The first tick at or after `from` of which a side holds hashes, or a state; false without. */
static bool next_tick(const struct search *search, bool of_states, uint64_t from, uint64_t *tick)
{
    *tick = UINT64_MAX;
    for (uint32_t side = 0; side < 2; side++) {
        const ls_recording_columns *columns;
        const ls_recording_keyframe *keyframes;
        uint32_t count = of_states ? ls_recording_keyframes(search->recordings[side], &keyframes)
                                   : ls_recording_columns_list(search->recordings[side], &columns);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t at = of_states ? keyframes[i].tick : columns[i].tick;
            if (at >= from && at < *tick)
                *tick = at;
        }
    }
    return *tick != UINT64_MAX;
}

static bool compare_hashes(struct search *search, uint64_t tick, uint64_t *const hashes[2])
{
    ls_divergence *divergence = search->divergence;
    const ls_program *program = search->programs[0];
    divergence->columns[0] = 0;
    if (!hashes_of(search, 0, tick, hashes[0]) || !hashes_of(search, 1, tick, hashes[1]))
        return false;
    for (uint32_t i = ls_program_column_count(program); i-- > 0;) {
        if (hashes[0][i] != hashes[1][i])
            search->column = i;
    }
    for (uint32_t i = 0; i < ls_program_column_count(program); i++) {
        if (hashes[0][i] != hashes[1][i])
            ls_recorded_diff_add_name(divergence->columns, sizeof divergence->columns,
                                      ls_program_component(program, i)->name);
    }
    return divergence->columns[0] != 0;
}

static bool find_column(struct search *search, uint64_t *tick)
{
    size_t bytes = (ls_program_column_count(search->programs[0]) + 1) * sizeof(uint64_t);
    uint64_t *const hashes[2] = {ls_alloc(bytes), ls_alloc(bytes)};
    bool is_found = false;
    uint64_t from = search->after;
    for (uint32_t i = 0; i < TRIES && !is_found && next_tick(search, false, from, tick); i++) {
        is_found = compare_hashes(search, *tick, hashes);
        from = *tick + 1;
    }
    ls_free(hashes[0]);
    ls_free(hashes[1]);
    return is_found;
}

/* Only states of one program can be compared; the other build's cells are laid out alike. */
static void translate(const struct search *search, ls_world **world)
{
    ls_world *copy;
    const ls_program *program = search->programs[0];
    if (!*world || ls_world_program(*world) == program)
        return;
    ls_status status = ls_start_state_copy(*world, program, &copy, NULL);
    ls_world_destroy(*world);
    *world = status == LS_OK ? copy : NULL;
}

static bool compare_states(const struct search *search, uint64_t tick, const ls_component *wanted)
{
    ls_recorded_diff_choice choice = {0};
    ls_world *worlds[2] = {state_of(search, 0, tick), state_of(search, 1, tick)};
    translate(search, &worlds[1]);
    if (worlds[0] && worlds[1])
        ls_recorded_diff_compare(worlds[0], worlds[1], wanted, &choice, search->divergence);
    for (uint32_t i = 0; i < 2; i++) {
        if (worlds[i])
            ls_world_destroy(worlds[i]);
    }
    return choice.is_made;
}

static bool find_state(const struct search *search, const ls_component *wanted, uint64_t *tick)
{
    bool is_found = false;
    uint64_t from = search->after;
    for (uint32_t i = 0; i < TRIES && !is_found && next_tick(search, true, from, tick); i++) {
        is_found = compare_states(search, *tick, wanted);
        from = *tick + 1;
    }
    return is_found;
}

static void tell(const struct search *search, const char *what)
{
    ls_divergence *divergence = search->divergence;
    uint64_t later = divergence->seen_tick - search->after;
    char spread[96] = "";
    if (later)
        snprintf(spread, sizeof spread,
                 ", %" PRIu64 " tick%s later: what differs there may have spread", later,
                 later == 1 ? "" : "s");
    snprintf(divergence->how, sizeof divergence->how,
             "from %s before tick %" PRIu64 " of both files%s", what, divergence->seen_tick,
             spread);
}

/* Nothing is simulated for it: both files name their roots. */
static void find_agreement(const struct search *search)
{
    uint64_t roots[2];
    for (uint64_t at = search->after + 1;
         ls_recording_find_root(search->recordings[0], at, &roots[0]) &&
         ls_recording_find_root(search->recordings[1], at, &roots[1]);
         at++) {
        if (roots[0] != roots[1])
            search->divergence->agrees_tick = 0;
        else if (!search->divergence->agrees_tick)
            search->divergence->agrees_tick = at;
    }
}

static void tell_nothing(const struct search *search)
{
    uint64_t tick;
    bool has_more = next_tick(search, false, search->after, &tick) ||
                    next_tick(search, true, search->after, &tick);
    ls_divergence *divergence = search->divergence;
    snprintf(divergence->how, sizeof divergence->how, "%s",
             has_more ? "what the files hold after it does not differ, or only one of them has it"
                      : "the files hold neither hashes nor states after it that would tell more");
}

void ls_recorded_diff_find(ls_recording *const recordings[2], const ls_program *const programs[2],
                           uint64_t after, ls_divergence *divergence)
{
    struct search search = {recordings, programs, divergence, after, 0};
    uint64_t column_tick, state_tick;
    bool has_column = find_column(&search, &column_tick);
    /* A difference that the hashes name comes before later ones. */
    const ls_component *wanted =
        has_column ? ls_program_component(programs[0], search.column) : NULL;
    bool has_state = find_state(&search, wanted, &state_tick);
    if (has_column && !has_state)
        ls_recorded_diff_set(divergence->component, wanted->name);
    divergence->seen_tick = has_state ? state_tick : has_column ? column_tick : 0;
    if (has_state)
        tell(&search, "the states");
    else if (has_column)
        tell(&search, "the column hashes");
    else
        tell_nothing(&search);
    find_agreement(&search);
    if (divergence->component[0])
        ls_recorded_diff_name_writers(programs[0], divergence);
}

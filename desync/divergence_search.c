#include "desync/divergence_search.h"

#include "desync/bisect.h"
#include "desync/recorded_diff.h"
#include "desync/start_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct search {
    ls_recording *recording;
    const ls_program *program;
    uint64_t after; /* the first state that differs is that before this tick */
    ls_divergence *divergence;
    bool has_column; /* what the column hashes say, once they did */
    uint32_t column; /* the first of them */
};

/* Behind what is there; text that does not fit is left out. */
static void append(char *to, size_t bytes, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, bytes - used, "%s", text);
}

static void set_line(const struct search *search, const ls_first_difference *difference)
{
    for (uint32_t i = 2; i-- > 0;) {
        const ls_first_difference_store *store = &difference->stores[i];
        if (!store->is_there || !store->place.function)
            continue;
        char *to = search->divergence->line;
        snprintf(to, LS_DIVERGENCE_TEXT_BYTES, "%s", store->place.function);
        size_t used = strlen(to);
        if (store->place.line)
            snprintf(to + used, LS_DIVERGENCE_TEXT_BYTES - used, " at %s:%" PRIu32,
                     store->place.file, store->place.line);
        return;
    }
}

static void take_place(const struct search *search, const ls_suspect *suspect)
{
    ls_divergence *divergence = search->divergence;
    ls_recorded_diff_set(divergence->system, suspect->system);
    ls_recorded_diff_set(divergence->component,
                         suspect->component ? suspect->component->name : NULL);
    ls_recorded_diff_set_entity(search->program, suspect->entity, divergence);
    ls_recorded_diff_set_field(suspect->field, suspect->item, divergence);
    snprintf(divergence->why, sizeof divergence->why, "%s", suspect->text);
}

/* -- other ways to run the tick */

static void describe_variants(ls_divergence *divergence, const ls_bisect *bisect)
{
    if (bisect->is_guess)
        snprintf(divergence->how, sizeof divergence->how,
                 "two runs of the tick differ so here; neither need be what was recorded");
    else if (strcmp(bisect->variants[0], bisect->variants[1]) == 0)
        snprintf(divergence->how, sizeof divergence->how,
                 "the tick does not end the same each time");
    else
        snprintf(divergence->how, sizeof divergence->how,
                 "run %s, the tick ends as recorded; found: %s", bisect->variants[0],
                 bisect->variants[1]);
}

static bool take_variants(const struct search *search, const ls_bisect *bisect)
{
    ls_divergence *divergence = search->divergence;
    if (!bisect->has_difference) {
        if (bisect->variants[0][0])
            snprintf(divergence->how, sizeof divergence->how,
                     "run once more %s, the tick ends as recorded", bisect->variants[0]);
        return false;
    }
    const ls_suspect *suspect = &bisect->difference.suspect;
    take_place(search, suspect);
    ls_recorded_diff_set(divergence->expected, suspect->a);
    ls_recorded_diff_set(divergence->found, suspect->b);
    set_line(search, &bisect->difference);
    divergence->seen_tick = search->after;
    describe_variants(divergence, bisect);
    return divergence->component[0] || divergence->system[0];
}

static bool search_variants(const struct search *search, const ls_root_difference *difference)
{
    ls_bisect bisect;
    ls_error why;
    ls_status status =
        ls_bisect_replay(search->recording, search->program, difference, &bisect, &why);
    if (status != LS_OK) {
        bool is_unlike = status == LS_ERROR_INCOMPATIBLE;
        append(search->divergence->how, sizeof search->divergence->how,
               is_unlike ? "replayed once more, the match takes another way even before: something "
                           "that is no part of the state decides; `lockstep explain` looks for it"
                         : why.text);
        return false;
    }
    bool is_found = take_variants(search, &bisect);
    ls_bisect_reset(&bisect);
    return is_found;
}

/* -- what the file holds after the tick */

static const ls_recording_columns *find_columns(const struct search *search)
{
    const ls_recording_columns *list;
    uint32_t count = ls_recording_columns_list(search->recording, &list);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].tick >= search->after &&
            list[i].count == ls_program_column_count(search->program))
            return &list[i];
    }
    return NULL;
}

static const ls_recording_keyframe *find_keyframe(const struct search *search)
{
    const ls_recording_keyframe *list;
    uint32_t count = ls_recording_keyframes(search->recording, &list);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].tick >= search->after)
            return &list[i];
    }
    return NULL;
}

/* A world that goes this program's way: it begins before the difference. NULL when it cannot. */
static ls_world *start_world(const struct search *search)
{
    ls_world *world = NULL;
    const ls_recording_header *header = ls_recording_get_header(search->recording);
    if (!search->divergence->is_start) {
        uint64_t tick = search->after - 1;
        return ls_start_state_make(search->recording, search->program, tick, &world, NULL) == LS_OK
                   ? world
                   : NULL;
    }
    if (header->first_tick ||
        ls_world_create(search->program, &header->match, &world, NULL) != LS_OK)
        return NULL;
    ls_recording_rewind(search->recording);
    return world;
}

static bool run_to(const struct search *search, ls_world *world, uint64_t end,
                   const ls_recording_tick **tick)
{
    while (ls_world_tick(world) < end) {
        if (ls_recording_next(search->recording, tick, NULL) != LS_OK || !*tick ||
            ls_world_advance(world, &(*tick)->frame, NULL, NULL) != LS_OK)
            return false;
    }
    return true;
}

static void compare_columns(struct search *search, const ls_recording_columns *columns,
                            ls_world *world)
{
    ls_divergence *divergence = search->divergence;
    uint64_t *hashes = ls_alloc((columns->count + 1) * sizeof *hashes);
    ls_world_column_hashes(world, hashes);
    for (uint32_t i = 0; i < columns->count; i++) {
        if (hashes[i] == ls_recording_column(columns, i))
            continue;
        const char *name = ls_program_component(search->program, i)->name;
        ls_recorded_diff_add_name(divergence->columns, sizeof divergence->columns, name);
        if (!search->has_column) {
            ls_recorded_diff_set(divergence->component, name);
            search->column = i;
        }
        search->has_column = true;
    }
    ls_free(hashes);
    if (search->has_column)
        divergence->seen_tick = columns->tick;
}

/* Only the state right after the tick says which store is to blame. */
static void blame_cell(const struct search *search, const ls_recorded_diff_choice *choice,
                       ls_world *recorded)
{
    const ls_recording_tick *tick = NULL;
    ls_first_difference difference;
    ls_cell_claim claim = {.entity = choice->entity};
    while (ls_program_component(search->program, claim.column) != choice->component)
        claim.column++;
    claim.expected = choice->component->is_singleton
                         ? ls_world_singleton(recorded, choice->component)
                         : ls_world_cell(recorded, choice->component, choice->entity);
    ls_world *world = start_world(search);
    if (world && run_to(search, world, search->after - 1, &tick) &&
        ls_recording_next(search->recording, &tick, NULL) == LS_OK && tick) {
        const ls_run_variant variant = {.world = world};
        if (ls_first_difference_find_cell(&variant, &tick->frame, &claim, &difference, NULL) ==
            LS_OK) {
            ls_recorded_diff_set(search->divergence->system, difference.suspect.system);
            set_line(search, &difference);
            if (!difference.suspect.system && difference.why.text[0])
                snprintf(search->divergence->why, sizeof search->divergence->why,
                         "the store is unknown: %.280s", difference.why.text);
            ls_first_difference_reset(&difference);
        }
    }
    if (world)
        ls_world_destroy(world);
}

static void compare_states(const struct search *search, uint64_t tick, ls_world *world)
{
    ls_world *recorded;
    if (ls_start_state_make(search->recording, search->program, tick, &recorded, NULL) != LS_OK)
        return;
    ls_recorded_diff_choice choice;
    const ls_component *wanted =
        search->has_column ? ls_program_component(search->program, search->column) : NULL;
    if (ls_world_tick(recorded) == tick) {
        ls_recorded_diff_compare(recorded, world, wanted, &choice, search->divergence);
        if (choice.is_made)
            search->divergence->seen_tick = tick;
        if (choice.component && tick == search->after && !search->divergence->is_start)
            blame_cell(search, &choice, recorded);
    }
    ls_world_destroy(recorded);
}

static void tell_states(const struct search *search)
{
    ls_divergence *divergence = search->divergence;
    const char *what = divergence->found[0] ? "the state" : "the column hashes";
    uint64_t later = divergence->seen_tick - search->after;
    char text[LS_DIVERGENCE_TEXT_BYTES];
    if (!divergence->component[0] && !divergence->found[0])
        return;
    if (later)
        snprintf(text, sizeof text,
                 "from %s before tick %" PRIu64 " that the file holds, %" PRIu64
                 " tick%s later: what differs there may have spread",
                 what, divergence->seen_tick, later, later == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "from %s right after it that the file holds", what);
    if (divergence->how[0])
        append(divergence->how, sizeof divergence->how, "; ");
    append(divergence->how, sizeof divergence->how, text);
}

static void search_after(struct search *search)
{
    const ls_recording_tick *tick;
    const ls_recording_columns *columns = find_columns(search);
    const ls_recording_keyframe *keyframe = find_keyframe(search);
    ls_world *world = columns || keyframe ? start_world(search) : NULL;
    /* A state is worth more than hashes that are as old. */
    if (world && columns && !(keyframe && keyframe->tick <= columns->tick) &&
        run_to(search, world, columns->tick, &tick))
        compare_columns(search, columns, world);
    if (world && keyframe && run_to(search, world, keyframe->tick, &tick))
        compare_states(search, keyframe->tick, world);
    if (world)
        ls_world_destroy(world);
    tell_states(search);
}

/* -- whether the recording goes the same way again */

/* A single wrong root is followed by right ones. A longer difference is followed for this many
 * ticks: in most matches it stays. */
enum { AGREE_TICKS = 64 };

static void find_agreement(const struct search *search)
{
    const ls_recording_tick *tick;
    ls_divergence *divergence = search->divergence;
    ls_world *world = start_world(search);
    uint64_t root;
    for (uint64_t at = search->after + 1;
         world && (divergence->agrees_tick || at <= search->after + AGREE_TICKS) &&
         run_to(search, world, at, &tick) && ls_recording_find_root(search->recording, at, &root);
         at++) {
        if (root != ls_world_root(world))
            divergence->agrees_tick = 0;
        else if (!divergence->agrees_tick)
            divergence->agrees_tick = at;
    }
    if (world)
        ls_world_destroy(world);
}

static void tell_nothing(const struct search *search)
{
    ls_divergence *divergence = search->divergence;
    bool has_more = find_columns(search) || find_keyframe(search);
    snprintf(divergence->how, sizeof divergence->how, "%s",
             !has_more ? "the file holds neither hashes nor a state after the tick that would tell "
                         "more"
             : divergence->agrees_tick
                 ? "the hashes and states that the file holds after the tick are those of the "
                   "replay"
                 : "the hashes and states that the file holds after the tick could not be "
                   "compared, or do not differ");
}

void ls_divergence_find(ls_recording *recording, const ls_program *program,
                        const ls_root_difference *difference, ls_divergence *divergence)
{
    struct search search = {.recording = recording,
                            .program = program,
                            .after = difference->tick,
                            .divergence = divergence};
    bool is_start = difference->tick == ls_recording_get_header(recording)->first_tick;
    *divergence = (ls_divergence){.is_start = is_start,
                                  .tick = difference->tick - !is_start,
                                  .expected_root = difference->expected,
                                  .found_root = difference->found};
    bool has_variant = !is_start && search_variants(&search, difference);
    if (!has_variant)
        search_after(&search);
    /* A recorded root that some variant of the tick reproduces was not made up. Neither was one
     * whose state shows in the file after the tick. */
    if (!has_variant && !divergence->component[0] && !divergence->found[0])
        find_agreement(&search);
    if (divergence->component[0] && !divergence->system[0] && !is_start)
        ls_recorded_diff_name_writers(program, divergence);
    if (!divergence->how[0])
        tell_nothing(&search);
}

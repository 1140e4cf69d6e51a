#include "desync/departure.h"

#include "core/diff.h"
#include "core/value.h"
#include "desync/bisect.h"
#include "desync/landing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct search {
    ls_recording *recording;
    const ls_program *program;
    uint64_t behind; /* the first state that differs is that before this tick */
    ls_departure *departure;
    bool has_column; /* what the column hashes say, once they did */
    uint32_t column; /* the first of them */
};

/* Behind what stands there; what does not fit is left out. */
static void append(char *to, size_t bytes, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, bytes - used, "%s", text);
}

static void add_name(char *to, size_t bytes, const char *name)
{
    if (to[0])
        append(to, bytes, ", ");
    append(to, bytes, name);
}

static void set(char to[LS_DEPARTURE_NAME_BYTES], const char *text)
{
    snprintf(to, LS_DEPARTURE_NAME_BYTES, "%s", text ? text : "");
}

static void set_entity(const struct search *search, ls_entity entity)
{
    ls_builder text = {0};
    if (entity != LS_ENTITY_NULL)
        ls_entity_print(&text, search->program, entity);
    set(search->departure->entity, text.data);
    ls_free(text.data);
}

static void set_field(const struct search *search, const ls_field *field, uint32_t item)
{
    char *to = search->departure->field;
    set(to, field ? field->name : NULL);
    if (field && field->bytes > ls_type_bytes(field->type))
        snprintf(to + strlen(to), LS_DEPARTURE_NAME_BYTES - strlen(to), "[%" PRIu32 "]", item);
}

static void set_line(const struct search *search, const ls_culprit *culprit)
{
    for (uint32_t i = 2; i-- > 0;) {
        const ls_culprit_store *store = &culprit->stores[i];
        if (!store->is_there || !store->place.function)
            continue;
        char *to = search->departure->line;
        snprintf(to, LS_DEPARTURE_TEXT_BYTES, "%s", store->place.function);
        size_t used = strlen(to);
        if (store->place.line)
            snprintf(to + used, LS_DEPARTURE_TEXT_BYTES - used, " at %s:%" PRIu32,
                     store->place.file, store->place.line);
        return;
    }
}

static void take_place(const struct search *search, const ls_suspect *suspect)
{
    ls_departure *departure = search->departure;
    set(departure->system, suspect->system);
    set(departure->component, suspect->component ? suspect->component->name : NULL);
    set_entity(search, suspect->entity);
    set_field(search, suspect->field, suspect->item);
    snprintf(departure->why, sizeof departure->why, "%s", suspect->text);
}

/* -- other ways to run the tick */

static void tell_ways(ls_departure *departure, const ls_bisect *bisect)
{
    if (bisect->is_guess)
        snprintf(departure->how, sizeof departure->how,
                 "two runs of the tick differ so here; neither need be what was recorded");
    else if (strcmp(bisect->ways[0], bisect->ways[1]) == 0)
        snprintf(departure->how, sizeof departure->how, "the tick does not end the same each time");
    else
        snprintf(departure->how, sizeof departure->how,
                 "run %s, the tick ends as recorded; found: %s", bisect->ways[0], bisect->ways[1]);
}

static bool take_ways(const struct search *search, const ls_bisect *bisect)
{
    ls_departure *departure = search->departure;
    if (!bisect->has_culprit) {
        if (bisect->ways[0][0])
            snprintf(departure->how, sizeof departure->how,
                     "run once more %s, the tick ends as recorded", bisect->ways[0]);
        return false;
    }
    const ls_suspect *suspect = &bisect->culprit.suspect;
    take_place(search, suspect);
    set(departure->expected, suspect->a);
    set(departure->found, suspect->b);
    set_line(search, &bisect->culprit);
    departure->seen_tick = search->behind;
    tell_ways(departure, bisect);
    return departure->component[0] || departure->system[0];
}

static bool look_at_ways(const struct search *search, const ls_root_difference *difference)
{
    ls_bisect bisect;
    ls_error why;
    ls_status status =
        ls_bisect_replay(search->recording, search->program, difference, &bisect, &why);
    if (status != LS_OK) {
        bool is_unlike = status == LS_ERROR_INCOMPATIBLE;
        append(search->departure->how, sizeof search->departure->how,
               is_unlike ? "replayed once more, the match takes another way even before: something "
                           "that is no part of the state decides; `lockstep explain` looks for it"
                         : why.text);
        return false;
    }
    bool is_found = take_ways(search, &bisect);
    ls_bisect_reset(&bisect);
    return is_found;
}

/* -- what the file holds behind the tick */

static const ls_recording_columns *find_columns(const struct search *search)
{
    const ls_recording_columns *list;
    uint32_t count = ls_recording_columns_list(search->recording, &list);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].tick >= search->behind &&
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
        if (list[i].tick >= search->behind)
            return &list[i];
    }
    return NULL;
}

/* A world that goes this program's way: it begins before the difference. NULL when it cannot. */
static ls_world *land(const struct search *search)
{
    ls_world *world = NULL;
    const ls_recording_header *header = ls_recording_get_header(search->recording);
    if (!search->departure->is_start) {
        uint64_t tick = search->behind - 1;
        return ls_landing_make(search->recording, search->program, tick, &world, NULL) == LS_OK
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
    ls_departure *departure = search->departure;
    uint64_t *hashes = ls_alloc((columns->count + 1) * sizeof *hashes);
    ls_world_column_hashes(world, hashes);
    for (uint32_t i = 0; i < columns->count; i++) {
        if (hashes[i] == ls_recording_column(columns, i))
            continue;
        const char *name = ls_program_component(search->program, i)->name;
        add_name(departure->columns, sizeof departure->columns, name);
        if (!search->has_column) {
            set(departure->component, name);
            search->column = i;
        }
        search->has_column = true;
    }
    ls_free(hashes);
    if (search->has_column)
        departure->seen_tick = columns->tick;
}

/* What the column hashes name comes before what differs only later. */
struct choice {
    const struct search *search;
    const ls_component *wanted; /* NULL: any */
    ls_cell_claim claim;
    const ls_component *component; /* of what was chosen; NULL: nothing yet, or no cell */
    bool is_made;
};

static bool choose(void *argument, const ls_difference *difference)
{
    struct choice *choice = argument;
    ls_departure *departure = choice->search->departure;
    bool is_cell =
        difference->kind == LS_DIFFERENCE_PRESENCE || difference->kind == LS_DIFFERENCE_FIELD;
    if (choice->wanted && (!is_cell || difference->component != choice->wanted))
        return true;
    choice->is_made = true;
    choice->component = is_cell ? difference->component : NULL;
    choice->claim.entity = difference->entity;
    set(departure->component, difference->component ? difference->component->name : NULL);
    set_entity(choice->search, difference->entity);
    set_field(choice->search, difference->field, difference->item);
    if (!is_cell)
        set(departure->field, difference->place);
    set(departure->expected, difference->a ? difference->a : "nothing");
    set(departure->found, difference->b ? difference->b : "nothing");
    return false;
}

/* Only the state right behind the tick says which store is to blame. */
static void blame_cell(const struct search *search, struct choice *choice, ls_world *recorded)
{
    const ls_recording_tick *tick = NULL;
    ls_culprit culprit;
    uint32_t column = 0;
    while (ls_program_component(search->program, column) != choice->component)
        column++;
    choice->claim.column = column;
    choice->claim.expected = choice->component->is_singleton
                                 ? ls_world_singleton(recorded, choice->component)
                                 : ls_world_cell(recorded, choice->component, choice->claim.entity);
    ls_world *world = land(search);
    if (world && run_to(search, world, search->behind - 1, &tick) &&
        ls_recording_next(search->recording, &tick, NULL) == LS_OK && tick) {
        const ls_way way = {.world = world};
        if (ls_culprit_find_cell(&way, &tick->frame, &choice->claim, &culprit, NULL) == LS_OK) {
            set(search->departure->system, culprit.suspect.system);
            set_line(search, &culprit);
            if (!culprit.suspect.system && culprit.why.text[0])
                snprintf(search->departure->why, sizeof search->departure->why,
                         "the store is unknown: %.280s", culprit.why.text);
            ls_culprit_reset(&culprit);
        }
    }
    if (world)
        ls_world_destroy(world);
}

static void compare_states(const struct search *search, uint64_t tick, ls_world *world)
{
    ls_world *recorded;
    if (ls_landing_make(search->recording, search->program, tick, &recorded, NULL) != LS_OK)
        return;
    struct choice choice = {.search = search};
    if (search->has_column)
        choice.wanted = ls_program_component(search->program, search->column);
    if (ls_world_tick(recorded) == tick) {
        ls_world_diff(recorded, world, choose, &choice);
        if (choice.is_made)
            search->departure->seen_tick = tick;
        if (choice.component && tick == search->behind && !search->departure->is_start)
            blame_cell(search, &choice, recorded);
    }
    ls_world_destroy(recorded);
}

static void tell_states(const struct search *search)
{
    ls_departure *departure = search->departure;
    const char *what = departure->found[0] ? "the state" : "the column hashes";
    uint64_t later = departure->seen_tick - search->behind;
    char text[LS_DEPARTURE_TEXT_BYTES];
    if (!departure->component[0] && !departure->found[0])
        return;
    if (later)
        snprintf(text, sizeof text,
                 "from %s before tick %" PRIu64 " that the file holds, %" PRIu64
                 " tick%s later: what differs there may have spread",
                 what, departure->seen_tick, later, later == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "from %s right behind it that the file holds", what);
    if (departure->how[0])
        append(departure->how, sizeof departure->how, "; ");
    append(departure->how, sizeof departure->how, text);
}

static void look_behind(struct search *search)
{
    const ls_recording_tick *tick;
    const ls_recording_columns *columns = find_columns(search);
    const ls_recording_keyframe *keyframe = find_keyframe(search);
    ls_world *world = columns || keyframe ? land(search) : NULL;
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

static void name_writers(const struct search *search)
{
    ls_departure *departure = search->departure;
    for (uint32_t i = 0; i < ls_program_system_count(search->program); i++) {
        const ls_system *system = ls_program_system(search->program, i);
        if (writes(system, departure->component))
            add_name(departure->writers, sizeof departure->writers, system->name);
    }
}

void ls_departure_find(ls_recording *recording, const ls_program *program,
                       const ls_root_difference *difference, ls_departure *departure)
{
    struct search search = {.recording = recording,
                            .program = program,
                            .behind = difference->tick,
                            .departure = departure};
    bool is_start = difference->tick == ls_recording_get_header(recording)->first_tick;
    *departure = (ls_departure){.is_start = is_start,
                                .tick = difference->tick - !is_start,
                                .expected_root = difference->expected,
                                .found_root = difference->found};
    if (is_start || !look_at_ways(&search, difference))
        look_behind(&search);
    if (departure->component[0] && !departure->system[0] && !is_start)
        name_writers(&search);
    if (!departure->how[0])
        snprintf(departure->how, sizeof departure->how,
                 "the file holds neither hashes nor a state behind the tick that would tell more");
}

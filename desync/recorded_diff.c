#include "desync/recorded_diff.h"

#include "core/schedule/lists.h"
#include "desync/start_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How many hashes and how many states after the difference are compared at most, because a replay
 * from one to the next takes time. */
enum { TRIES = 4 };

struct search {
    ls_match_run *runs;
    ls_divergence *divergence;
    uint64_t after;
    const ls_component *wanted; /* the first component whose hashes differ; NULL: take any
                                   difference, also one outside of cells */
};

static bool writes(const ls_system *system, const char *component)
{
    const ls_term *term;
    for (uint32_t i = 0; (term = ls_term_of(system, i)); i++) {
        if (term->access >= LS_ACCESS_WRITE && term->kind != LS_EVENTS &&
            strcmp(term->component->name, component) == 0)
            return true;
    }
    return false;
}

static void name_writers(const ls_program *program, ls_divergence *divergence)
{
    for (uint32_t i = 0; divergence->component[0] && i < ls_program_system_count(program); i++) {
        const ls_system *system = ls_program_system(program, i);
        if (writes(system, divergence->component))
            ls_divergence_add_name(divergence->writers, sizeof divergence->writers, system->name);
    }
}

static bool choose(void *argument, const ls_difference *difference)
{
    const struct search *search = argument;
    bool is_cell =
        difference->kind == LS_DIFFERENCE_PRESENCE || difference->kind == LS_DIFFERENCE_FIELD;
    if (search->wanted &&
        (!is_cell || strcmp(difference->component->name, search->wanted->name) != 0))
        return true;
    ls_divergence_set_place(search->divergence, search->runs[0].program, difference);
    if (!is_cell)
        ls_divergence_set(search->divergence->field, difference->place);
    return false;
}

static bool hashes_of(const struct search *search, uint64_t tick, uint64_t *const hashes[2])
{
    return ls_match_run_columns(&search->runs[0], tick, hashes[0]) &&
           ls_match_run_columns(&search->runs[1], tick, hashes[1]);
}

/* Finds the first tick at or after `from` for which either file holds column hashes or, with
 * `of_states`, a state. False if there is none. */
static bool next_tick(const struct search *search, bool of_states, uint64_t from, uint64_t *tick)
{
    uint64_t other;
    bool has_first = ls_match_run_next(&search->runs[0], of_states, from, tick);
    bool has_other = ls_match_run_next(&search->runs[1], of_states, from, &other);
    if (has_other && (!has_first || other < *tick))
        *tick = other;
    return has_first || has_other;
}

static bool compare_hashes(struct search *search, uint64_t tick, uint64_t *const hashes[2])
{
    ls_divergence *divergence = search->divergence;
    const ls_program *program = search->runs[0].program;
    divergence->columns[0] = 0;
    if (!hashes_of(search, tick, hashes))
        return false;
    for (uint32_t i = ls_program_column_count(program); i-- > 0;) {
        if (hashes[0][i] != hashes[1][i])
            search->wanted = ls_program_component(program, i);
    }
    for (uint32_t i = 0; i < ls_program_column_count(program); i++) {
        if (hashes[0][i] != hashes[1][i])
            ls_divergence_add_name(divergence->columns, sizeof divergence->columns,
                                   ls_program_component(program, i)->name);
    }
    return divergence->columns[0] != 0;
}

/* Compares the states of both runs before the tick. Only states of one program can be compared, so
 * a state of another build is copied; both builds lay out cells alike. */
static void compare_states(const struct search *search, uint64_t tick)
{
    ls_world *worlds[2], *copy = NULL;
    const ls_program *program = search->runs[0].program;
    for (uint32_t i = 0; i < 2; i++)
        worlds[i] = ls_match_run_state(&search->runs[i], tick);
    if (worlds[1] && search->runs[1].program != program)
        worlds[1] = ls_start_state_copy(worlds[1], program, &copy, NULL) == LS_OK ? copy : NULL;
    if (worlds[0] && worlds[1])
        ls_world_diff(worlds[0], worlds[1], choose, (void *)(uintptr_t)search);
    ls_world_destroy(copy);
}

static bool find_column(struct search *search, uint64_t *tick)
{
    size_t bytes = (ls_program_column_count(search->runs[0].program) + 1) * sizeof(uint64_t);
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

static bool find_state(const struct search *search, uint64_t *tick)
{
    uint64_t from = search->after;
    for (uint32_t i = 0; i < TRIES && next_tick(search, true, from, tick); i++) {
        compare_states(search, *tick);
        if (search->divergence->found[0])
            return true;
        from = *tick + 1;
    }
    return false;
}

static void describe(const struct search *search, const char *what)
{
    ls_divergence *divergence = search->divergence;
    uint64_t later = divergence->seen_tick - search->after;
    char when[128] = "right after it";
    if (later)
        snprintf(when, sizeof when,
                 "before tick %" PRIu64 ", %" PRIu64 " tick%s later: what differs there may have "
                 "spread",
                 divergence->seen_tick, later, later == 1 ? "" : "s");
    snprintf(divergence->how, sizeof divergence->how, "from the %s %s %s", what,
             search->runs[1].is_replay ? "that the file holds" : "of both files", when);
}

static void describe_nothing_found(const struct search *search)
{
    uint64_t tick;
    bool has_more = next_tick(search, false, search->after, &tick) ||
                    next_tick(search, true, search->after, &tick);
    ls_divergence *divergence = search->divergence;
    const char *files = search->runs[1].is_replay ? "the file holds" : "the files hold";
    const char *words = !has_more                 ? "%s neither hashes nor states after it that "
                                                    "would tell more"
                        : divergence->agrees_tick ? "the hashes and states that %s after it do "
                                                    "not differ"
                                                  : "the hashes and states that %s after it do "
                                                    "not differ, or cannot be compared";
    snprintf(divergence->how, sizeof divergence->how, words, files);
}

/* How many ticks a replay is run to find roots that agree again. After a single wrong root the
 * roots agree again; most other differences stay, so running more ticks rarely helps. */
enum { AGREE_TICKS = 64 };

static void find_agreement(const struct search *search)
{
    uint64_t roots[2], *agrees = &search->divergence->agrees_tick;
    uint64_t end = search->runs[1].is_replay ? search->after + AGREE_TICKS : UINT64_MAX;
    for (uint64_t at = search->after + 1;
         (*agrees || at <= end) && ls_match_run_root(&search->runs[0], at, &roots[0]) &&
         ls_match_run_root(&search->runs[1], at, &roots[1]);
         at++) {
        if (roots[0] != roots[1])
            *agrees = 0;
        else if (!*agrees)
            *agrees = at;
    }
}

void ls_recorded_diff_find(ls_match_run runs[2], uint64_t after, ls_divergence *divergence)
{
    struct search search = {runs, divergence, after, NULL};
    uint64_t column_tick, state_tick;
    bool has_column = find_column(&search, &column_tick);
    /* find_column() runs first, because it sets `wanted`: the states are then searched only for the
     * component whose hashes differ first. Differences in other components may follow from that
     * one. */
    bool has_state = find_state(&search, &state_tick);
    if (has_column && !has_state)
        ls_divergence_set(divergence->component, search.wanted->name);
    divergence->seen_tick = has_state ? state_tick : has_column ? column_tick : 0;
    if (after > ls_recording_get_header(runs[0].recording)->first_tick)
        name_writers(runs[0].program, divergence);
    if (!runs[1].is_replay || (!has_state && !has_column))
        find_agreement(&search);
    if (has_state)
        describe(&search, runs[1].is_replay ? "state" : "states");
    else if (has_column)
        describe(&search, "column hashes");
    else
        describe_nothing_found(&search);
}

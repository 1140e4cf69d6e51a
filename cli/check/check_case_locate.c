#include "cli/check/check_case_locate.h"

#include "cli/check/check_case_runs.h"
#include "cli/check/check_case_state.h"
#include "cli/common/clock.h"
#include "core/base/platform.h"
#include "core/schedule/independences.h"
#include "core/schedule/lists.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LATER_NS            (LS_SECOND_NS + 100 * LS_NS_PER_MS)
#define DIFFERENCES_PRINTED 3
#define DIFFERENCES_MAX     1000 /* the search counts no further */

/* The search for the cell. It runs the simulation again, so it has a child process of its own. */
struct search {
    const ls_check_case_match *match;
    const ls_child *failed;
    char *text; /* the result, in the child's report */
    size_t room;
    uint32_t count;
    bool is_order; /* the case ran the systems in another order */
};

static void add(struct search *search, const char *format, ...) LS_PRINTF(2, 3);
static void add(struct search *search, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    size_t used = strlen(search->text);
    vsnprintf(search->text + used, search->room - used, format, values);
    va_end(values);
}

static bool writes(const ls_system *system, const ls_component *component)
{
    const ls_term *term;
    for (uint32_t i = 0; (term = ls_term_of(system, i)); i++) {
        if (term->component == component && term->access >= LS_ACCESS_WRITE)
            return true;
        if (term->component == component && term->kind == LS_COMMANDS)
            return true;
    }
    return false;
}

static void add_writer(struct search *search, const ls_system *system,
                       const ls_component *component, const char **opening)
{
    if (!writes(system, component))
        return;
    add(search, "%s%s", *opening, system->name);
    *opening = ", ";
}

/* Adds the systems that write the component. A state before the first tick was written by the
 * setups, because only they have run then. */
static void add_writers(struct search *search, const ls_component *component)
{
    const ls_program *program = search->match->program;
    const ls_sim *sim = ls_program_sim(program);
    bool is_before = search->failed->report->state_tick == 0;
    const char *opening = is_before ? " (written by the setup, " : " (written by ";
    for (uint32_t i = 0; is_before && i < ls_sim_setup_count(sim); i++)
        add_writer(search, &sim->setup[i], component, &opening);
    for (uint32_t i = 0; !is_before && i < ls_program_system_count(program); i++) {
        if (!ls_program_is_fork(program, i) && !ls_program_is_merge(program, i))
            add_writer(search, ls_program_system(program, i), component, &opening);
    }
    if (opening[0] == ',')
        add(search, ")");
}

/* Adds the independences that leave the order of the component's writers free. Another legal order
 * can give another result only if an independence is declared wrongly. */
static void add_independences(struct search *search, const ls_component *component)
{
    ls_builder text = {0};
    ls_independences_name(search->match->program, component, &text);
    if (text.count)
        add(search, "; the order is free because of the independence of %s", text.data);
    ls_free(text.data);
}

static bool add_difference(void *argument, const ls_difference *difference)
{
    struct search *search = argument;
    if (search->count++ >= DIFFERENCES_PRINTED)
        return search->count < DIFFERENCES_MAX;
    add(search, "%s%s: expected %s, found %s", search->count > 1 ? "; " : "", difference->place,
        difference->a ? difference->a : "nothing", difference->b ? difference->b : "nothing");
    bool is_table = difference->kind == LS_DIFFERENCE_ROW || difference->kind == LS_DIFFERENCE_ROWS;
    if (is_table && search->count == 1)
        add(search, " (its count() and fill() are to depend on the match alone)");
    else if (difference->component && search->count == 1)
        add_writers(search, difference->component);
    if (search->is_order && search->count == 1)
        add_independences(search, difference->component);
    return true;
}

static ls_status compare(struct search *search, ls_world *world, ls_error *error)
{
    ls_status status =
        ls_check_case_state_compare(search->failed, world, add_difference, search, error);
    if (search->count > DIFFERENCES_PRINTED)
        add(search, "; %s%u differences in all",
            search->count >= DIFFERENCES_MAX ? "at least " : "", search->count);
    return status;
}

/* Runs the match serially once more up to the state that differed, and compares the states. The
 * rerun does not stop at another root, so that a match that does not repeat itself is compared too.
 * `*is_repeated`: the rerun reached the root of the first case. */
static ls_status look(struct search *search, ls_child *child, bool *is_repeated, ls_error *error)
{
    uint64_t end = search->failed->report->state_tick;
    ls_tick_cursor cursor;
    const ls_rerun_config config = {.program = search->match->program,
                                    .match = &search->match->match,
                                    .ticks = ls_ticks_of_list(&cursor, search->match->list, 0),
                                    .end_tick = end,
                                    .is_blind = true};
    ls_rerun *rerun;
    ls_status status = ls_rerun_create(&config, &rerun, error);
    if (status)
        return status;
    if (end)
        status = ls_check_case_finish(child, rerun, error);
    if (!status) {
        ls_world *world = ls_rerun_world(rerun);
        *is_repeated = ls_world_root(world) == ls_tick_list_root(search->match->list, end);
        status = compare(search, world, error);
    }
    ls_rerun_destroy(rerun);
    return status;
}

/* Compares the failed case with a rerun of the first case. If the rerun equals the failed case but
 * not the first case, the result may depend on a clock in seconds. Therefore the comparison is
 * repeated in the next second. */
static ls_status locate(ls_child *child, void *argument, ls_error *error)
{
    struct search *search = argument;
    search->text = error->text;
    search->room = sizeof error->text;
    bool is_repeated = true;
    ls_status status = look(search, child, &is_repeated, error);
    if (!status && !search->count && !is_repeated) {
        ls_clock_sleep_until(ls_monotonic_ns() + LATER_NS);
        status = look(search, child, &is_repeated, error);
    }
    if (status)
        return status;
    if (!search->count)
        add(search, "another run of the base is equal to this one%s",
            is_repeated ? "" : ", and differs from the first");
    else if (!is_repeated)
        add(search, "\nthe first run is not reproducible; this is a second one");
    return LS_OK;
}

ls_status ls_check_case_locate(const ls_check_case *self, const ls_child *failed, ls_error *text,
                               ls_error *error)
{
    const ls_check_case_match *match = self->match;
    const char *name = self->kind->name;
    bool is_order = strcmp(name, "shuffle") == 0 || strcmp(name, "threads") == 0 ||
                    strcmp(name, "interleave") == 0;
    struct search search = {.match = match, .failed = failed, .is_order = is_order};
    ls_child child;
    ls_status status = ls_child_start(&child, match->timeout_ns, locate, &search, error);
    if (status)
        return status;
    ls_child_wait(&child);
    ls_error found;
    bool is_known = ls_child_status(&child, &found) == LS_OK && found.text[0];
    size_t used = strlen(text->text);
    snprintf(text->text + used, sizeof text->text - used, "\n%s%s",
             is_known ? "" : "place unknown: ", found.text);
    ls_child_reset(&child);
    return LS_OK;
}

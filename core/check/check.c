#include "core/check/check.h"

#include "core/check/check_cells.h"
#include "core/check/check_laws.h"
#include "core/check/check_state.h"
#include "core/check/findings.h"
#include "core/check/perturb.h"
#include "core/run/fork.h"
#include "core/run/run.h"
#include <lockstep/executor.h>

#include <string.h>

enum { CONFIRMATIONS = 3 };

static void destroy(ls_check *check)
{
    ls_image_reset(&check->start);
    ls_image_reset(&check->before);
    ls_image_reset(&check->after);
    ls_access_rights_reset(&check->rights);
    ls_run_outcome_reset(&check->first);
    ls_run_outcome_reset(&check->again);
    ls_write_set_reset(&check->asked);
    ls_free(check->moved.list);
    ls_free(check->findings.data);
    ls_free(check->text.data);
    ls_free(check);
}

ls_status ls_check_end(ls_check *check, ls_status status, ls_error *error)
{
    if (status != LS_OK || check->finding_count) {
        if (check->start.world->program->baseline_count)
            ls_pages_own(check->start.world);
        ls_image_restore(&check->start);
    }
    if (check->left_out)
        status = ls_error_set(error, LS_ERROR_DIVERGED, "%s\nand %u more", check->findings.data,
                              check->left_out);
    else if (check->finding_count)
        status = ls_error_set(error, LS_ERROR_DIVERGED, "%s", check->findings.data);
    destroy(check);
    return status;
}

/* False for steps that the engine adds to a schedule: they are not systems of the simulation. */
static bool is_checked(const ls_plan_system *plan)
{
    return plan->step == LS_STEP_NONE;
}

static ls_gate *gate_of(const ls_check *check)
{
    uint32_t first = ls_plan_first_gate(check->world->program);
    return check->position >= first ? &check->world->scratch->gates[check->position - first] : NULL;
}

static void begin_run(ls_check *check, const ls_tick_job *job)
{
    ls_gate *gate = gate_of(check);
    if (gate)
        gate->decision = LS_NO; /* the default when the criterion does not decide */
    check->world->base->scratch->marks[0].count = check->mark_count;
    ls_run_begin(job, check->position);
    check->keeps_start = check->plan->has_start;
}

static void run_chunks(const ls_check *check, const ls_tick_job *job, uint64_t page_seed)
{
    uint32_t chunks = check->world->scratch->runs[check->position].chunks;
    if (chunks)
        ls_run_chunk(job, check->position, 0, chunks, &(ls_run_by){.page_seed = page_seed});
}

static void release_start(ls_check *check)
{
    if (check->keeps_start)
        ls_run_release_start(check->world, check->position);
    check->keeps_start = false;
}

static void restore_start(ls_check *check)
{
    release_start(check);
    ls_image_restore(&check->before);
}

/* Whether the run that just ended differs from the first one; `check->text` describes the
 * difference. */
static bool differs(ls_check *check, bool is_perturbed)
{
    ls_run_outcome_take(&check->again, check->world, check->position, check->mark_count);
    if (ls_check_cells_differ(check, is_perturbed))
        return true;
    check->text.count = 0;
    return ls_run_outcome_differs(check->world, check->plan, &check->first, &check->again,
                                  &check->text);
}

static uint64_t seed_of(const ls_check *check, uint64_t purpose)
{
    ls_random_stream stream = ls_random_child(ls_random_root(purpose), check->world->state.tick);
    return ls_random_draw(stream, check->position) | 1;
}

/* Whether a run differs that begins with the same state, has all pages at other addresses, and
 * visits them in another order. */
static bool differs_at_moved_pages(ls_check *check, const ls_tick_job *job)
{
    restore_start(check);
    ls_pages_move(check->world, &check->moved);
    begin_run(check, job);
    run_chunks(check, job, seed_of(check, 1));
    bool is_found = differs(check, false);
    release_start(check);
    ls_pages_return(&check->moved);
    return is_found;
}

static bool differs_perturbed(ls_check *check, const ls_tick_job *job,
                              ls_perturbation *perturbation)
{
    restore_start(check);
    ls_world_perturb(check->world, perturbation);
    begin_run(check, job);
    run_chunks(check, job, 0);
    return differs(check, true);
}

/* Whether another run from the same state has the same result as the first one. */
static bool is_repeatable(ls_check *check, const ls_tick_job *job)
{
    restore_start(check);
    begin_run(check, job);
    run_chunks(check, job, 0);
    return !differs(check, false);
}

static void report_unrepeatable(ls_check *check, const char *text)
{
    check->is_unrepeatable = true;
    ls_check_add(check, LS_CHECK_HIDDEN " (a static variable, a clock): run again, %s", text);
}

/* Whether the result differs in every run with scrambled cells, and in no other run. If it differs
 * in some scrambled runs only, or in another run, a clock or a counter changed between runs: the
 * system is reported as unrepeatable, and not examined further. */
static bool shows(ls_check *check, const ls_tick_job *job, ls_perturbation *perturbation)
{
    for (uint32_t i = 0; i < CONFIRMATIONS; i++) {
        if (!differs_perturbed(check, job, perturbation)) {
            if (i > 0)
                report_unrepeatable(check, "it does the same with other values in what it may not "
                                           "read, which it did not before");
            return false;
        }
        if (i + 1 < CONFIRMATIONS && !is_repeatable(check, job)) {
            report_unrepeatable(check, check->text.data);
            return false;
        }
    }
    return true;
}

/* Finds by bisection the cell whose value affects the system, and the field, if a single field
 * does. False when it takes several cells. */
static bool find_cell(ls_check *check, const ls_tick_job *job, ls_perturbation *perturbation,
                      const ls_field **field)
{
    const ls_component *component = check->world->program->components[perturbation->column];
    uint32_t first = 0, end = perturbation->count;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        perturbation->first = first;
        perturbation->end = middle;
        if (differs_perturbed(check, job, perturbation))
            end = middle;
        else
            first = middle;
    }
    *field = NULL;
    perturbation->first = first;
    perturbation->end = first + 1;
    if (!shows(check, job, perturbation))
        return false;
    for (uint32_t i = 0; i < component->field_count && !*field; i++) {
        perturbation->field = i;
        if (differs_perturbed(check, job, perturbation))
            *field = &component->fields[i];
    }
    return true;
}

static void report_read(ls_check *check, const ls_tick_job *job, ls_perturbation *perturbation)
{
    const ls_component *component = check->world->program->components[perturbation->column];
    ls_builder cell = {0}, other = {0};
    const ls_field *field;
    ls_builder_add(&other, "%s", check->text.data);
    if (find_cell(check, job, perturbation, &field))
        ls_check_print_cell(check, &cell, &perturbation->place, perturbation->slot, field);
    else
        ls_builder_add(&cell, "several cells of %s", component->name);
    if (!check->is_unrepeatable)
        ls_check_add(check, "reads what it may not read: %s; with another value there, %s",
                     cell.data, other.data);
    ls_free(cell.data);
    ls_free(other.data);
}

static void check_reads(ls_check *check, const ls_tick_job *job)
{
    const ls_perturbation all =
        LS_PERTURBATION_ALL(&check->rights, &check->before, seed_of(check, 2));
    ls_perturbation perturbation = all;
    uint32_t before = check->finding_count;
    if (!shows(check, job, &perturbation))
        return;
    uint32_t columns = check->world->program->column_count;
    for (uint32_t column = 0; column < columns && !check->is_unrepeatable; column++) {
        perturbation = all;
        perturbation.column = column;
        if (check->rights.reads[column] != LS_RIGHT_ANY && shows(check, job, &perturbation))
            report_read(check, job, &perturbation);
    }
    if (check->finding_count == before)
        ls_check_add(check, "reads cells of several components that it may not read");
}

/* A run with pages at other addresses differed. More runs show whether the addresses are the
 * reason. */
static void report_moved_pages(ls_check *check, const ls_tick_job *job)
{
    ls_builder difference = {0};
    ls_builder_add(&difference, "%s", check->text.data);
    if (!is_repeatable(check, job))
        report_unrepeatable(check, check->text.data);
    else if (!differs_at_moved_pages(check, job))
        report_unrepeatable(check, difference.data);
    else
        ls_check_add(check,
                     LS_CHECK_HIDDEN " (an address, a pointer that it kept) or on the order of "
                                     "pages: run again, %s",
                     difference.data);
    ls_free(difference.data);
}

/* The first run; later runs are compared with it. */
static void run_first(ls_check *check, const ls_tick_job *given)
{
    ls_tick_job recording_job = *given, *job = &recording_job;
    ls_write_set_clear(&check->asked);
    recording_job.asked = &check->asked;
    ls_image_take(&check->before);
    check->mark_count = check->world->base->scratch->marks[0].count;
    begin_run(check, job);
    ls_access_rights_find(&check->rights, check->world, check->plan,
                          &check->world->scratch->runs[check->position]);
    run_chunks(check, job, 0);
    ls_run_outcome_take(&check->first, check->world, check->position, check->mark_count);
    ls_image_take(&check->after);
    ls_write_set_sort(&check->asked);
}

/* Sides of a par share pages, and baselines share the pages of their columns. The view gets its own
 * copies, so that scrambling and restoring do not affect the others. */
static void use_view(ls_check *check, ls_world *view)
{
    check->world = check->before.world = check->after.world = view;
    if (view->program->view_count > 1 || view->program->baseline_count)
        ls_pages_own(view);
}

/* Checks one system. The result of the last run remains in the world. */
static void check_system(ls_tick_check *self, const ls_tick_job *job, uint32_t position)
{
    ls_check *check = (ls_check *)(void *)self; /* `of_tick`, its first member */
    check->plan = ls_plan_at(job->world->program, position);
    check->position = position;
    use_view(check, job->world->views->worlds[check->plan->view]);
    check->keeps_start = check->is_unrepeatable = false;
    if (!is_checked(check->plan)) { /* steps of the engine have no chunks */
        ls_run_begin(job, position);
        ls_run_end(job, position);
        return;
    }
    uint32_t before = check->finding_count;
    run_first(check, job);
    ls_check_writes(check);
    ls_check_laws(check, seed_of(check, 3));
    bool is_clean = check->finding_count == before;
    if (is_clean && differs_at_moved_pages(check, job))
        report_moved_pages(check, job);
    is_clean = check->finding_count == before;
    if (is_clean)
        check_reads(check, job);
    bool is_same = is_repeatable(check, job);
    is_clean = check->finding_count == before;
    if (is_clean && !is_same)
        report_unrepeatable(check, check->text.data);
    ls_run_end(job, position);
}

static void check_systems(ls_tick_check *self, const ls_tick_job *job, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        if (!job->world->scratch->runs[i].is_off)
            check_system(self, job, i);
    }
}

ls_check *ls_check_begin(ls_world *world)
{
    ls_check *check = ls_alloc(sizeof *check);
    check->of_tick = (ls_tick_check){check_system, check_systems};
    check->world = world;
    ls_pages_own(world);
    ls_image_init(&check->start, world);
    ls_image_init(&check->before, world);
    ls_image_init(&check->after, world);
    ls_image_take(&check->start);
    return check;
}

ls_tick_check *ls_check_of_tick(ls_check *check)
{
    return &check->of_tick;
}

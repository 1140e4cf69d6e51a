#include "core/run/fork.h"

#include "core/run/join_index.h"

#include <string.h>

static ls_world *make_view(ls_world *world)
{
    const ls_program *program = world->program;
    ls_world *view = ls_alloc(sizeof *view);
    *view = *world;
    view->state.tables = ls_alloc(sizeof(ls_table *) * ls_program_table_total(world->program));
    view->state.lives = &view->state.tables[(size_t)ls_liveness(world) * world->state.lanes];
    view->versions = ls_alloc(sizeof *view->versions * (program->column_count + 1));
    view->presences = ls_alloc(sizeof *view->presences * (program->column_count + 1));
    view->indexes = ls_indexes_create(program);
    return view;
}

void ls_views_create(ls_world *world)
{
    const ls_program *program = world->program;
    world->base = world;
    world->views = ls_alloc(sizeof *world->views);
    world->views->worlds = ls_alloc(sizeof(ls_world *) * program->view_count);
    world->views->fork_tables = ls_alloc(sizeof(ls_table **) * (program->par_count + 1));
    world->views->worlds[0] = world;
    for (uint32_t i = 1; i < program->view_count; i++)
        world->views->worlds[i] = make_view(world);
    for (uint32_t i = 0; i < program->par_count; i++) {
        if (program->pars[i].has_steps)
            world->views->fork_tables[i] =
                ls_alloc(sizeof(ls_table *) * ls_program_table_total(world->program));
    }
}

void ls_views_destroy(ls_world *world)
{
    const ls_program *program = world->program;
    for (uint32_t i = 1; i < program->view_count; i++) {
        ls_world *view = world->views->worlds[i];
        ls_indexes_destroy(view->indexes, program);
        ls_free(view->state.tables);
        ls_free(view->versions);
        ls_free(view->presences);
        ls_free(view);
    }
    for (uint32_t i = 0; i < program->par_count; i++)
        ls_free(world->views->fork_tables[i]);
    ls_free(world->views->fork_tables);
    ls_free(world->views->worlds);
    ls_free(world->views);
}

static bool is_copied(const ls_plan_par *par, const ls_world *world, size_t table)
{
    uint32_t column = (uint32_t)(table / world->state.lanes);
    return column < ls_liveness(world) && ls_bit_has(par->apart, column);
}

/* Sets the view's state to that of `parent`, the world or view in which the par runs. */
static void begin_view(const ls_plan_par *par, ls_world *parent, ls_world *view)
{
    view->state.tick = parent->state.tick;
    view->state.refused_spawns = parent->state.refused_spawns;
    view->spawn_epoch = parent->spawn_epoch;
    view->iteration = parent->iteration;
    view->run_number = parent->run_number;
    for (size_t i = 0; i < ls_program_table_total(parent->program); i++) {
        uint32_t column = (uint32_t)(i / parent->state.lanes);
        ls_table **own = &view->state.tables[i], **shared = &parent->state.tables[i];
        if (is_copied(par, parent, i)) {
            *own = ls_table_copy(*shared, &parent->sources[column]);
            if (!*own)
                ls_table_own(own, 0, &parent->sources[column]);
        } else {
            /* A view has no baselines. Systems use those of the world itself, whose tables
             * another thread may replace. */
            bool is_used = column == ls_liveness(parent) ||
                           (column < ls_liveness(parent) && ls_bit_has(par->touched, column));
            *own = is_used ? *shared : NULL;
        }
    }
    for (uint32_t column = 0; column < parent->program->column_count; column++) {
        view->versions[column]++;
        view->presences[column]++;
    }
}

static void fork_par(ls_world *world, const ls_plan_par *par, uint32_t index)
{
    ls_world *parent = world->views->worlds[par->view];
    for (uint32_t side = 1; side < par->side_count; side++)
        begin_view(par, parent, world->views->worlds[par->first_view + side - 1]);
    for (size_t i = 0; i < ls_program_table_total(parent->program); i++) {
        if (is_copied(par, parent, i))
            world->views->fork_tables[index][i] =
                ls_table_copy(parent->state.tables[i], &parent->sources[i / parent->state.lanes]);
    }
}

/* A presence word: its page, lane and column, during a merge. */
typedef struct place {
    uint32_t column, lane, page, word;
} place;

static ls_page *page_of(ls_table *const *tables, const ls_world *world, const place *at)
{
    return ls_table_page(tables[(size_t)at->column * world->state.lanes + at->lane], at->page);
}

static void set_cells(ls_world *parent, const place *at, uint64_t bits, ls_page *from)
{
    const ls_page_source *source = &parent->sources[at->column];
    size_t bytes = source->cell_bytes;
    uint64_t present = bits & from->present[at->word], removed = bits & ~from->present[at->word];
    if (removed)
        ls_store_detach_word(parent, at->column, at->lane, at->page, at->word, removed);
    if (!present)
        return;
    /* Presence is not written where only values differ: a system that asks for presence may be
     * running at the same time. */
    ls_table *table = parent->state.tables[(size_t)at->column * parent->state.lanes + at->lane];
    ls_page *to = ls_table_page(table, at->page);
    to = to && (to->present[at->word] & present) == present
             ? ls_table_write(table, at->page, source)
             : ls_store_attach_word(parent, at->column, at->lane, at->page, at->word, present);
    for (; present; present &= present - 1) {
        uint32_t slot = at->word * 64 + (uint32_t)__builtin_ctzll(present);
        memcpy(ls_page_cells(to) + bytes * slot, ls_page_cells(from) + bytes * slot, bytes);
    }
}

/* Keeps the conflict that is first in canonical order; other pars may find one at the same time. */
static void note_conflict(ls_world *world, uint32_t index, uint32_t side, const place *at,
                          uint64_t both)
{
    const ls_plan_par *par = &world->program->pars[index];
    const ls_world *parent = world->views->worlds[par->view];
    ls_cell_conflict conflict = {.is_set = true,
                                 .par = index,
                                 .column = at->column,
                                 .lane = at->lane,
                                 .slot = at->page * LS_PAGE_SLOTS + at->word * 64 +
                                         (uint32_t)__builtin_ctzll(both),
                                 .sides = {0, side}};
    ls_page *before = page_of(world->views->fork_tables[index], parent, at);
    for (uint32_t i = 1; i < side; i++) {
        ls_page *after =
            page_of(world->views->worlds[par->first_view + i - 1]->state.tables, parent, at);
        if (ls_page_changes(&parent->sources[at->column], before, after, at->word) & both & -both)
            conflict.sides[0] = i;
    }
    ls_mutex_lock(&world->scratch->merge_lock);
    if (!world->views->conflict.is_set || index < world->views->conflict.par)
        world->views->conflict = conflict;
    ls_mutex_unlock(&world->scratch->merge_lock);
}

/* The sum of all pars does not depend on the order in which they count. */
static void count_dropped(ls_world *world, uint64_t cells)
{
    ls_mutex_lock(&world->scratch->merge_lock);
    world->state.dropped[LS_DROPPED_VALUES] += (uint64_t)__builtin_popcountll(cells);
    ls_mutex_unlock(&world->scratch->merge_lock);
}

static void merge_page(ls_world *world, uint32_t index, uint32_t side, place at)
{
    const ls_plan_par *par = &world->program->pars[index];
    ls_world *parent = world->views->worlds[par->view];
    const ls_page_source *source = &parent->sources[at.column];
    ls_page *before = page_of(world->views->fork_tables[index], parent, &at);
    ls_page *after =
        page_of(world->views->worlds[par->first_view + side - 1]->state.tables, parent, &at);
    for (at.word = 0; after && after != before && at.word < LS_PAGE_WORDS; at.word++) {
        uint64_t changed = ls_page_changes(source, before, after, at.word);
        uint64_t both =
            changed &
            ls_page_changes(source, before, page_of(parent->state.tables, parent, &at), at.word);
        if (both && par->clash == LS_PAR_FIRST_WINS)
            count_dropped(world, both);
        else if (both)
            note_conflict(world, index, side, &at, both);
        if (changed & ~both)
            set_cells(parent, &at, changed & ~both, after);
    }
}

static void merge_table(ls_world *world, uint32_t index, uint32_t side, size_t table)
{
    const ls_plan_par *par = &world->program->pars[index];
    const ls_world *view = world->views->worlds[par->first_view + side - 1];
    const ls_table *changed = view->state.tables[table];
    for (uint32_t page = ls_table_next(changed, 0); page != LS_PAGE_NONE;
         page = ls_table_next(changed, page + 1))
        merge_page(world, index, side,
                   (place){.column = (uint32_t)(table / view->state.lanes),
                           .lane = (uint32_t)(table % view->state.lanes),
                           .page = page});
}

static void merge_par(ls_world *world, const ls_plan_par *par, uint32_t index)
{
    ls_world *parent = world->views->worlds[par->view];
    for (uint32_t side = 1; side < par->side_count; side++) {
        for (size_t i = 0; i < ls_program_table_total(parent->program); i++) {
            if (is_copied(par, parent, i))
                merge_table(world, index, side, i);
        }
    }
    /* Raises the counters of the par's columns only, because those of other columns may be changing
     * at this moment. Other systems that accumulate may raise the same counters, hence the lock. A
     * system that asks for presence alone may run beside a par that writes values: it reads the
     * counter of presence, which therefore rises only if a member may attach or detach. */
    uint32_t words = LS_COUNT_OF(par->written);
    ls_mutex_lock(&world->scratch->merge_lock);
    for (uint32_t column = ls_bits_next(par->written, words, 0);
         column < parent->program->column_count;
         column = ls_bits_next(par->written, words, column + 1)) {
        parent->versions[column]++;
        if (ls_bit_has(par->reshaped, column))
            parent->presences[column]++;
    }
    ls_mutex_unlock(&world->scratch->merge_lock);
}

/* Not part of the merge: a system that asks for presence alone and has no order with the par may
 * still be reading the pages that the merge has replaced. */
static void release_par(ls_world *world, const ls_plan_par *par, uint32_t index)
{
    const ls_world *parent = world->views->worlds[par->view];
    for (size_t i = 0; i < ls_program_table_total(parent->program); i++) {
        if (!is_copied(par, parent, i))
            continue;
        const ls_page_source *source = &parent->sources[i / parent->state.lanes];
        ls_table_release(world->views->fork_tables[index][i], source);
        for (uint32_t side = 1; side < par->side_count; side++)
            ls_table_release(world->views->worlds[par->first_view + side - 1]->state.tables[i],
                             source);
    }
}

void ls_fork_release(ls_world *world, uint32_t first, uint32_t end)
{
    const ls_program *program = world->program;
    for (uint32_t i = 0; i < program->par_count; i++) {
        const ls_plan_par *par = &program->pars[i];
        if (par->has_steps && par->merge >= first && par->merge < end)
            release_par(world, par, i);
    }
}

void ls_fork_step(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = &world->program->systems[position];
    const ls_plan_par *par = &world->program->pars[plan->par];
    if (plan->step == LS_STEP_FORK)
        fork_par(world, par, plan->par);
    else
        merge_par(world, par, plan->par);
}

/* Compares the watched cell in the system's own view with its value at the start of the par. A
 * system that does not access the cell's column is skipped. In a loop the last run of the par
 * decides. */
void ls_fork_watch(const ls_tick_job *job, uint32_t position)
{
    ls_cell_conflict *conflict = job->watch;
    ls_world *world = job->world;
    if (position >= world->program->system_count)
        return;
    const ls_plan_system *plan = &world->program->systems[position];
    const ls_plan_par *par = &world->program->pars[conflict->par];
    const place at = {conflict->column, conflict->lane, conflict->slot / LS_PAGE_SLOTS,
                      conflict->slot % LS_PAGE_SLOTS / 64};
    if (position == par->fork)
        conflict->systems[0] = conflict->systems[1] = NULL;
    if (plan->step || !plan->touches[conflict->column])
        return;
    for (uint32_t i = 0; i < LS_COUNT_OF(conflict->sides); i++) {
        if (conflict->systems[i] || !ls_bit_has(par->members[conflict->sides[i]], position))
            continue;
        ls_page *before = page_of(world->views->fork_tables[conflict->par], world, &at);
        ls_page *after = page_of(world->views->worlds[plan->view]->state.tables, world, &at);
        if (ls_page_changes(&world->sources[at.column], before, after, at.word) >>
                (conflict->slot % 64) &
            1)
            conflict->systems[i] = plan;
    }
}

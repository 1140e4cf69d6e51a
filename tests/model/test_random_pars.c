/* Two random systems as the sides of a par, or two in one side: in an order, or as a par within.
 * Merging what each does alone, cell by cell, must give the result of the par on every executor. If
 * both change one cell, a hint of the schedule must have said so, and the par must fail, or keep
 * the change of its first side and count the other.
 *   LOCKSTEP_SEED=n  runs only that program
 *   LOCKSTEP_LONG=n  runs n programs (20,000 if n is 1) */
#include "core/state/world_state.h"
#include "tests/model/par_sides.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test.h"
#include <lockstep/executor.h>
#include <lockstep/json.h>
#include <lockstep/states.h>

#include <inttypes.h>

enum { PROGRAMS = HAS_THREAD_SANITIZER ? 100 : HAS_SANITIZER ? 200 : 1200 };
enum { TICKS = 3 };

typedef struct counts {
    uint64_t three,
        nested;       /* pars with two systems in the first side, and those with a par there */
    uint64_t modular; /* pars of programs with modules */
    uint64_t within;  /* ticks in which the par within failed */
    uint64_t ticks, forks, hinted, clashes, broken, settled, changed, cells_of_first,
        cells_of_second;
} counts;

/* Copies the par world's state to the other worlds. JSON is used because a snapshot only loads into
 * a world of the same program. JSON has no baselines, so the par's own world is read from it as
 * well: in each tick, filters by change see all as new in every form. */
static void share_state(sides *self)
{
    char *text = ls_world_json(self->worlds[BOTH]);
    ls_world *others[] = {self->worlds[FIRST], self->worlds[SECOND], self->worlds[BOTH],
                          self->start};
    for (uint32_t i = 0; i < LS_COUNT_OF(others); i++) {
        ls_error error = {""};
        if (ls_world_from_json(others[i], text, strlen(text), &error) != LS_OK)
            fail_msg("%s", error.text);
    }
    ls_free(text);
}

/* The program's component `index`, or after the last one the state of the game. */
static const ls_component *component_of(const sides *self, uint32_t form, uint32_t index)
{
    return index == self->programs[form].component_count ? program_game()
                                                         : &self->engines[form].components[index];
}

/* The cell of the program's component `index` in one of the worlds. */
static const void *cell_of(const sides *self, uint32_t form, const ls_world *world, uint32_t index,
                           ls_entity entity)
{
    const ls_component *component = component_of(self, form, index);
    return component->is_singleton ? ls_world_singleton(world, component)
                                   : ls_world_cell(world, component, entity);
}

static bool differ(const void *one, const void *other, size_t bytes)
{
    return !one != !other || (one && bytes && memcmp(one, other, bytes) != 0);
}

typedef struct entities {
    ls_entity list[65536];
    uint32_t count;
} entities;

static void collect(const sides *self, uint32_t form, const ls_world *world, uint32_t index,
                    entities *all)
{
    const ls_term terms[] = {LS_WITH(self->engines[form].components[index]), {0}};
    ls_world_walk walk;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        for (uint32_t i = 0; i < walk.span.count; i++) {
            assert_true(all->count < LS_COUNT_OF(all->list));
            all->list[all->count++] = ls_span_entity(&walk.span, i);
        }
    }
}

/* Whether the hint names the component. */
static bool is_hinted(const sides *self, const ls_component *component)
{
    char quoted[LS_NAME_BYTES_MAX + 2];
    snprintf(quoted, sizeof quoted, "\"%s\"", component->name);
    const char *list = strstr(self->hint, "both change ");
    for (; list; list = strstr(list + 1, "both change ")) {
        const char *found = strstr(list, quoted), *end = strchr(list, ':');
        if (found && found < end)
            return true;
    }
    return false;
}

static int compare_entities(const void *one, const void *other)
{
    ls_entity a = *(const ls_entity *)one, b = *(const ls_entity *)other;
    return (a > b) - (a < b);
}

/* Removes duplicates, because the forms have most entities in common. */
static void keep_once(entities *all)
{
    uint32_t kept = 0;
    qsort(all->list, all->count, sizeof *all->list, compare_entities);
    for (uint32_t i = 0; i < all->count; i++) {
        if (i == 0 || all->list[i] != all->list[i - 1])
            all->list[kept++] = all->list[i];
    }
    all->count = kept;
}

/* Compares a cell with what the par should leave, and counts it if both sides changed it.
 * `is_done`: the par has run; otherwise it only counts. False, with a text, if the cell differs. */
static bool check_cell(sides *self, uint32_t index, ls_entity entity, bool is_done, counts *counted,
                       uint64_t *both)
{
    const ls_component *component = component_of(self, BOTH, index);
    const void *before = cell_of(self, BOTH, self->start, index, entity);
    const void *first = cell_of(self, FIRST, self->worlds[FIRST], index, entity);
    const void *second = cell_of(self, SECOND, self->worlds[SECOND], index, entity);
    bool by_first = differ(before, first, component->bytes);
    bool by_second = differ(before, second, component->bytes);
    *both += by_first && by_second;
    counted->cells_of_first += by_first;
    counted->cells_of_second += by_second;
    if (by_first && by_second && !is_hinted(self, component)) {
        snprintf(self->text, sizeof self->text,
                 "both sides change component %s of entity %" PRIx64 ", and the hint is \"%.600s\"",
                 component->name, entity, self->hint);
        return false;
    }
    bool is_of_second = by_second && (self->is_turned || !by_first);
    if (!is_done ||
        !differ(is_of_second ? second : first,
                cell_of(self, BOTH, self->worlds[BOTH], index, entity), component->bytes))
        return true;
    snprintf(self->text, sizeof self->text, "component %s of entity %" PRIx64, component->name,
             entity);
    return false;
}

/* The cell that the par leaves, if it does not fail. */
static const void *merged_cell(const sides *self, uint32_t index, ls_entity entity)
{
    const ls_component *component = component_of(self, BOTH, index);
    const void *before = cell_of(self, BOTH, self->start, index, entity);
    const void *first = cell_of(self, FIRST, self->worlds[FIRST], index, entity);
    const void *second = cell_of(self, SECOND, self->worlds[SECOND], index, entity);
    bool by_first = differ(before, first, component->bytes);
    return differ(before, second, component->bytes) && (self->is_turned || !by_first) ? second
                                                                                      : first;
}

static bool has_both(const sides *self, uint32_t form, const program_pair *pair, ls_entity entity)
{
    if (form == BOTH)
        return merged_cell(self, pair->one, entity) && merged_cell(self, pair->other, entity);
    return cell_of(self, form, self->worlds[form], pair->one, entity) &&
           cell_of(self, form, self->worlds[form], pair->other, entity);
}

/* Whether a side, or both together, give an entity two incompatible components. */
static bool is_broken(const sides *self)
{
    static entities all;
    const struct program *program = &self->programs[BOTH];
    bool is_any = false;
    for (uint32_t i = 0; i < program->pair_count; i++) {
        all.count = 0;
        for (uint32_t form = 0; form < BOTH; form++)
            collect(self, form, self->worlds[form], program->pairs[i].one, &all);
        collect(self, BOTH, self->start, program->pairs[i].one, &all);
        for (uint32_t j = 0; j < all.count; j++) {
            for (uint32_t form = 0; form < SIMS; form++)
                is_any |= has_both(self, form, &program->pairs[i], all.list[j]);
        }
    }
    return is_any;
}

static bool check_cells(sides *self, bool is_done, counts *counted, uint64_t *both)
{
    static entities all;
    const struct program *program = &self->programs[BOTH];
    bool is_well = true;
    for (uint32_t i = 0; is_well && i <= program->component_count; i++) {
        const ls_component *component = component_of(self, BOTH, i);
        all.count = 0;
        if (component->event_ticks)
            continue;
        if (component->is_singleton) {
            all.list[all.count++] = LS_ENTITY_NULL;
        } else {
            for (uint32_t form = 0; form < SIMS; form++)
                collect(self, form, self->worlds[form], i, &all);
            collect(self, BOTH, self->start, i, &all);
            keep_once(&all);
        }
        for (uint32_t j = 0; is_well && j < all.count; j++)
            is_well = check_cell(self, i, all.list[j], is_done, counted, both);
    }
    return is_well;
}

/* Runs the par's tick on one executor. On failure the state must be unchanged. */
static ls_status advance_both(sides *self, const ls_frame *frame, ls_executor *executor)
{
    ls_error error = {""};
    uint64_t root = ls_world_root(self->worlds[BOTH]);
    ls_status status = ls_world_advance(self->worlds[BOTH], frame, executor, &error);
    uint32_t named = 0;
    for (uint32_t i = 0; i < self->programs[BOTH].system_count; i++)
        named += strstr(error.text, self->programs[BOTH].systems[i].name) != NULL;
    if (status != LS_OK &&
        (status != LS_ERROR_REFUSED || ls_world_root(self->worlds[BOTH]) != root ||
         (named < 2 && !strstr(error.text, "declares incompatible"))))
        fail_msg("status %d leaves another state, or says \"%s\"", status, error.text);
    return status;
}

/* The values that a form has dropped in its tick. */
static uint64_t dropped_by(const sides *self, uint32_t form)
{
    return self->worlds[form]->state.dropped[LS_DROPPED_VALUES] -
           self->start->state.dropped[LS_DROPPED_VALUES];
}

typedef struct executor_list {
    ls_executor *all[3];
} executor_list;

/* Whether a side has entered another state of the game. */
static bool has_entered(const sides *self)
{
    const void *before = ls_world_singleton(self->start, program_game());
    const void *now = ls_world_singleton(self->worlds[BOTH], program_game());
    return ls_states_now_(now, ls_world_tick(self->worlds[BOTH])) !=
           ls_states_now_(before, ls_world_tick(self->start));
}

static bool check_tick(sides *self, const executor_list *executors, counts *counted, bool *is_over)
{
    program_frame inputs;
    const ls_frame *frame =
        program_inputs(&self->programs[BOTH], ls_world_tick(self->worlds[BOTH]), &inputs);
    share_state(self);
    bool is_within = ls_world_advance(self->worlds[FIRST], frame, NULL, NULL) != LS_OK;
    assert_true(!is_within || (self->more == MORE_PAR && self->pars[1].clash == LS_PAR_FAILS));
    assert_ok(ls_world_advance(self->worlds[SECOND], frame, NULL, NULL));
    ls_snapshot *before = ls_world_snapshot(self->worlds[BOTH]);
    uint64_t root = 0;
    ls_status status = LS_OK;
    bool is_well = true;
    for (uint32_t i = 0; is_well && i <= LS_COUNT_OF(executors->all); i++) {
        ls_world_restore(self->worlds[BOTH], before);
        ls_status reached = advance_both(self, frame, i ? executors->all[i - 1] : NULL);
        uint64_t other = ls_world_root(self->worlds[BOTH]);
        is_well = i == 0 || (other == root && reached == status);
        status = reached;
        root = other;
    }
    ls_snapshot_destroy(before);
    if (!is_well) {
        snprintf(self->text, sizeof self->text, "two executors reach different states");
        return false;
    }
    if (is_within) {
        snprintf(self->text, sizeof self->text, "the par within failed only alone");
        counted->ticks++;
        counted->within++;
        *is_over = true;
        return status != LS_OK;
    }
    uint64_t both = 0;
    is_well = check_cells(self, status == LS_OK, counted, &both);
    bool has_pair = is_broken(self), must_fail = has_pair;
    must_fail |= both != 0 && self->pars[0].clash == LS_PAR_FAILS;
    if (is_well && must_fail != (status != LS_OK)) {
        snprintf(self->text, sizeof self->text,
                 "%" PRIu64 " cells are changed by both, and the status is %d", both, status);
        is_well = false;
    }
    uint64_t lost = dropped_by(self, FIRST) + dropped_by(self, SECOND) + both;
    if (is_well && status == LS_OK && dropped_by(self, BOTH) != lost) {
        snprintf(self->text, sizeof self->text, "%" PRIu64 " values are counted, %" PRIu64 " lost",
                 dropped_by(self, BOTH), lost);
        is_well = false;
    }
    counted->ticks++;
    counted->changed += status == LS_OK && has_entered(self);
    counted->clashes += status != LS_OK && !has_pair;
    counted->broken += has_pair;
    counted->settled += both != 0 && status == LS_OK;
    *is_over = status != LS_OK;
    return is_well;
}

static void check_program(uint64_t seed, const executor_list *executors, counts *counted)
{
    static sides self;
    if (!sides_make(&self, seed))
        return;
    if (!sides_begin(&self, seed % 2))
        return;
    counted->forks += ls_program_system_count(self.built[BOTH]) > self.programs[BOTH].system_count;
    counted->modular += self.programs[BOTH].has_modules;
    counted->three += self.more != MORE_NONE;
    counted->nested += self.more == MORE_PAR;
    counted->hinted += self.hint[0] != 0;
    bool is_well = true, is_over = false;
    for (uint32_t tick = 0; is_well && !is_over && tick < TICKS; tick++)
        is_well = check_tick(&self, executors, counted, &is_over);
    if (!is_well) {
        program_print(&self.programs[BOTH], stderr);
        fprintf(stderr, "repeat with: LOCKSTEP_SEED=%" PRIu64 " model_threads test_random_pars\n",
                seed);
        fail_msg("%s", self.text);
    }
    sides_end(&self);
}

TEST(test_random_pars_put_together_what_their_sides_do_alone)
{
    const char *seed = getenv("LOCKSTEP_SEED"), *many = getenv("LOCKSTEP_LONG");
    uint64_t first = seed ? strtoull(seed, NULL, 0) : 1, count = seed ? 1 : PROGRAMS;
    if (many && !seed)
        count = strtoull(many, NULL, 0) > 1 ? strtoull(many, NULL, 0) : 20000;
    const ls_executor_config configs[] = {{.threads = 2, .share_from = 1},
                                          {.threads = 4, .share_from = 1},
                                          {.threads = 1, .shuffle_seed = 7}};
    executor_list executors;
    for (uint32_t i = 0; i < LS_COUNT_OF(configs); i++)
        assert_ok(ls_executor_create(&configs[i], &executors.all[i], NULL));
    counts counted = {0};
    for (uint64_t i = first; i < first + count; i++)
        check_program(i, &executors, &counted);
    print_message(
        "seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " pars had to keep something apart, "
        "%" PRIu64 " with a hint; %" PRIu64 " ticks, %" PRIu64
        " of them failed because both changed one cell, %" PRIu64
        " because of incompatible components, and in %" PRIu64 " the first side won, "
        "in %" PRIu64 " the state changed; %" PRIu64 " and %" PRIu64 " cells put together; %" PRIu64
        " pars of three systems, %" PRIu64 " with a par within, which failed in %" PRIu64
        " ticks, %" PRIu64 " with modules\n",
        first, first + count - 1, counted.forks, counted.hinted, counted.ticks, counted.clashes,
        counted.broken, counted.settled, counted.changed, counted.cells_of_first,
        counted.cells_of_second, counted.three, counted.nested, counted.within, counted.modular);
    if (!seed) {
        assert_true(counted.forks > count / 10 && counted.clashes > count / 100);
        assert_true(counted.settled >= count / 200 && counted.changed >= count / 200);
        assert_true(counted.hinted < counted.forks && counted.hinted > counted.clashes);
        assert_true(counted.three >= count / 4 && counted.nested >= count / 10);
        assert_true(counted.within >= count / 400 && counted.modular >= count / 4);
        assert_true(counted.cells_of_first > count && counted.cells_of_second > count);
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(configs); i++)
        ls_executor_destroy(executors.all[i]);
}

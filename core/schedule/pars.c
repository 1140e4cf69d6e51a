#include "core/schedule/pars.h"

#include "core/base/builder.h"
#include "core/schedule/conflict.h"
#include "core/schedule/incompatibilities.h"
#include "core/schedule/lists.h"
#include "core/schedule/schedule_report_internal.h"
#include <lockstep/random.h>

#include <stdio.h>
#include <string.h>

ls_plan_par *ls_par_add(ls_build *build, const char *name, uint32_t side_count)
{
    ls_program *program = build->program;
    const ls_sim *sim = program->sim;
    if (program->par_count == LS_PARS_MAX || side_count > LS_PAR_SIDES_MAX) {
        ls_schedule_report_add(build->report, LS_FINDING_UNKNOWN, name, NULL,
                               "there is room for %d pars of %d sides each; nest some of them",
                               LS_PARS_MAX, LS_PAR_SIDES_MAX);
        return NULL;
    }
    ls_plan_par *par = &program->pars[program->par_count++];
    par->name = ls_text_duplicate(name);
    par->side_count = side_count;
    for (uint32_t i = 0; i < side_count; i++)
        par->systems[i] = ls_alloc(sizeof(uint64_t) * LS_BIT_WORDS(sim->system_count + 1));
    return par;
}

/* Sets the bits, by index in the simulation's list, of the systems that one side names. */
static void add_named(ls_build *build, const ls_par *given, const char *side, uint64_t *systems)
{
    const ls_program *program = build->program;
    const uint64_t *named = ls_name_table_find(&build->names, side);
    if (!named)
        ls_schedule_report_add(build->report, LS_FINDING_UNKNOWN, given->name, side,
                               "\"%s\" is to be a side of par \"%s\", but no system has that name "
                               "or label; a side that holds another par is named by a label",
                               side, given->name);
    for (uint32_t i = 0; named && i < program->system_count; i++) {
        if (ls_bit_has(named, i))
            ls_bit_set(systems, ls_plan_index(program, &program->systems[i]));
    }
}

static bool meets(const uint64_t *one, const uint64_t *other, uint32_t words)
{
    uint64_t common = 0;
    for (uint32_t i = 0; i < words; i++)
        common |= one[i] & other[i];
    return common;
}

static bool holds(const uint64_t *larger, const uint64_t *smaller, uint32_t words)
{
    uint64_t missing = 0;
    for (uint32_t i = 0; i < words; i++)
        missing |= smaller[i] & ~larger[i];
    return !missing;
}

static uint32_t list_words(const ls_program *program)
{
    return LS_BIT_WORDS(program->sim->system_count + 1);
}

/* The systems of all sides, by index in the simulation's list. The caller frees the set. */
static uint64_t *all_of(const ls_program *program, const ls_plan_par *par)
{
    uint64_t *all = ls_alloc(sizeof *all * list_words(program));
    for (uint32_t i = 0; i < par->side_count; i++)
        ls_bits_or(all, par->systems[i], list_words(program));
    return all;
}

/* The side of `outer` that contains all of `inner`; UINT32_MAX when there is none. */
static uint32_t side_around(const ls_program *program, const ls_plan_par *outer,
                            const ls_plan_par *inner)
{
    uint64_t *all = all_of(program, inner);
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < outer->side_count; i++) {
        if (holds(outer->systems[i], all, list_words(program)))
            found = i;
    }
    ls_free(all);
    return found;
}

static void check_sides(ls_build *build, const ls_plan_par *par)
{
    const ls_program *program = build->program;
    const ls_system *first = NULL;
    for (uint32_t i = 0; i < par->side_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (meets(par->systems[i], par->systems[j], list_words(program)))
                ls_schedule_report_add(build->report, LS_FINDING_CONTRADICTION, par->name, NULL,
                                       "par \"%s\" has a system in two of its sides; a system "
                                       "belongs to one",
                                       par->name);
        }
        for (uint32_t j = 0; j < program->system_count; j++) {
            const ls_plan_system *plan = &program->systems[j];
            if (!ls_bit_has(par->systems[i], ls_plan_index(program, plan)))
                continue;
            if (plan->system->slot != LS_PARALLEL ||
                (first && ls_stages_find(program, first->stage) !=
                              ls_stages_find(program, plan->system->stage)))
                ls_schedule_report_add(build->report, LS_FINDING_CONTRADICTION, par->name,
                                       plan->system->name,
                                       "system \"%s\" of par \"%s\" is exclusive or of another "
                                       "stage than the others; what runs beside each other is of "
                                       "one stage and LS_PARALLEL",
                                       plan->system->name, par->name);
            first = first ? first : plan->system;
        }
    }
}

static void check_overlap(ls_build *build, const ls_plan_par *one, const ls_plan_par *other)
{
    const ls_program *program = build->program;
    uint64_t *all = all_of(program, one), *others = all_of(program, other);
    if (meets(all, others, list_words(program)) && side_around(program, one, other) == UINT32_MAX &&
        side_around(program, other, one) == UINT32_MAX)
        ls_schedule_report_add(build->report, LS_FINDING_CONTRADICTION, one->name, other->name,
                               "pars \"%s\" and \"%s\" share systems, but neither is inside one "
                               "side of the other",
                               one->name, other->name);
    ls_free(all);
    ls_free(others);
}

/* A par's name names all its members, so nothing else may have that name. */
static void check_name(ls_build *build, const char *name)
{
    const ls_program *program = build->program;
    bool is_taken = ls_name_table_find(&build->names, name);
    for (uint32_t i = 0; i < program->par_count && !is_taken; i++)
        is_taken = strcmp(program->pars[i].name, name) == 0;
    if (is_taken)
        ls_schedule_report_add(build->report, LS_FINDING_DUPLICATE, name, NULL,
                               "par \"%s\" has the name of a system, label, set or other par; give "
                               "it one of its own",
                               name);
}

void ls_pars_read(ls_build *build)
{
    ls_program *program = build->program;
    for (uint32_t i = 0; i < program->sim->par_count; i++) {
        const ls_par *given = &program->sim->pars[i];
        uint32_t count = ls_name_list_count(given->sides);
        if (!given->name || !given->name[0]) {
            ls_schedule_report_add(build->report, LS_FINDING_UNKNOWN, NULL, NULL,
                                   "par %u of the list has no name", i);
            continue;
        }
        if (count < 2)
            ls_schedule_report_add(build->report, LS_FINDING_UNKNOWN, given->name, NULL,
                                   "par \"%s\" has %u sides; it takes at least two", given->name,
                                   count);
        if ((uint32_t)given->clash > LS_PAR_FIRST_WINS)
            ls_schedule_report_add(
                build->report, LS_FINDING_UNKNOWN, given->name, NULL,
                "par \"%s\" has clash %d, which does not exist; take LS_PAR_FAILS "
                "or LS_PAR_FIRST_WINS",
                given->name, (int)given->clash);
        check_name(build, given->name);
        /* ls_lists_check() has reported a par with more sides. */
        uint32_t room = count < LS_PAR_SIDES_MAX ? count : LS_PAR_SIDES_MAX;
        ls_plan_par *par = ls_par_add(build, given->name, room);
        if (par)
            par->clash = given->clash;
        ls_name_list sides = ls_name_list_of(given->sides);
        for (uint32_t side = 0; par && side < room && ls_name_list_next(&sides); side++)
            add_named(build, given, sides.name, par->systems[side]);
    }
    for (uint32_t i = 0; i < program->par_count; i++) {
        check_sides(build, &program->pars[i]);
        for (uint32_t j = 0; j < i; j++)
            check_overlap(build, &program->pars[j], &program->pars[i]);
    }
}

/* The combined access of a side's members to a column. */
static uint32_t side_touches(const ls_program *program, const ls_plan_par *par, uint32_t side,
                             uint32_t column)
{
    uint32_t touches = 0;
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        if (!plan->step && ls_bit_has(par->systems[side], ls_plan_index(program, plan)))
            touches |= plan->touches[column];
    }
    return touches;
}

/* Finds the columns that sides keep apart, and fills in the combined access of all sides by
 * column. */
static void find_columns(const ls_program *program, ls_plan_par *par, uint16_t *touches)
{
    for (uint32_t column = 0; column < program->column_count; column++) {
        uint32_t sides[LS_PAR_SIDES_MAX], all = 0;
        for (uint32_t i = 0; i < par->side_count; i++) {
            sides[i] = side_touches(program, par, i, column);
            all |= sides[i];
            for (uint32_t j = 0; j < i; j++) {
                if (!ls_touches_conflict(sides[i], sides[j]))
                    continue;
                ls_bit_set(par->apart, column);
                par->has_steps = true;
            }
        }
        touches[column] = (uint16_t)all;
        if (all)
            ls_bit_set(par->touched, column);
        if (all & LS_TOUCH_CHANGES)
            ls_bit_set(par->written, column);
        if (all & LS_TOUCH_STRUCTURE)
            ls_bit_set(par->reshaped, column);
    }
}

/* Adds the fork or merge as a system. To systems outside of the par, the two stand for all
 * members. */
static void add_step(ls_program *program, uint32_t par, ls_step step, const uint16_t *touches,
                     const ls_system *member)
{
    ls_system *system = &program->steps[2 * par + (step == LS_STEP_MERGE)];
    const char *name = program->pars[par].name;
    size_t bytes = strlen(name) + sizeof " (merge)";
    char *text = ls_alloc(bytes);
    snprintf(text, bytes, "%s%s", name, step == LS_STEP_MERGE ? " (merge)" : "");
    *system = (ls_system){.name = text, .mode = LS_SEQUENTIAL, .stage = member->stage};
    ls_plan_system *plan = &program->systems[program->system_count++];
    memset(plan, 0, sizeof *plan);
    plan->system = system;
    plan->key = ls_name_key(system->name);
    plan->step = step;
    plan->par = par;
    memcpy(plan->touches, touches, sizeof *touches * program->column_count);
    ls_incompatibilities_touch(program, plan);
    plan->checks_pairs &= step == LS_STEP_MERGE;
    plan->commands_pairs = false;
}

static const ls_system *first_member(const ls_program *program, const ls_plan_par *par)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < par->side_count && first >= program->sim->system_count; i++)
        first = ls_bits_next(par->systems[i], list_words(program), 0);
    return &program->sim->systems[first];
}

bool ls_pars_add_steps(ls_build *build)
{
    ls_program *program = build->program;
    uint16_t *touches = ls_alloc(sizeof *touches * LS_COMPONENTS_MAX);
    bool has_any = false;
    program->systems =
        ls_realloc(program->systems,
                   sizeof *program->systems * (program->system_count + 2 * program->par_count + 1));
    program->steps = ls_alloc(sizeof *program->steps * (2 * program->par_count + 1));
    for (uint32_t i = 0; i < program->par_count; i++) {
        ls_plan_par *par = &program->pars[i];
        find_columns(program, par, touches);
        if (!par->has_steps)
            continue;
        if (program->system_count + 2 > LS_SYSTEMS_MAX) {
            ls_schedule_report_add(build->report, LS_FINDING_UNKNOWN, par->name, NULL,
                                   "par \"%s\" takes two places in the order, and there is room "
                                   "for %d systems in all",
                                   par->name, LS_SYSTEMS_MAX);
            par->has_steps = false;
            break;
        }
        add_step(program, i, LS_STEP_FORK, touches, first_member(program, par));
        add_step(program, i, LS_STEP_MERGE, touches, first_member(program, par));
        has_any = true;
        program->can_fail |= par->clash == LS_PAR_FAILS;
    }
    ls_free(touches);
    return has_any;
}

/* Steps of an inner par are members of the side that contains it. */
static void place_side(ls_program *program, const ls_plan_par *par, uint32_t side,
                       uint64_t *members)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        if (plan->step ? &program->pars[plan->par] != par &&
                             side_around(program, par, &program->pars[plan->par]) == side
                       : ls_bit_has(par->systems[side], ls_plan_index(program, plan)))
            ls_bit_set(members, i);
    }
}

_Static_assert(LS_PARS_MAX <= 64, "a word has a bit for each par");

static void count_inside(ls_program *program)
{
    uint32_t count = program->system_count;
    for (uint32_t i = 0; i < count; i++)
        program->systems[i].pars = 0;
    for (uint32_t p = 0; p < program->par_count; p++) {
        ls_plan_par *par = &program->pars[p];
        par->size = 0;
        for (uint32_t i = ls_bits_next(par->inside, LS_BIT_WORDS(count + 1), 0); i < count;
             i = ls_bits_next(par->inside, LS_BIT_WORDS(count + 1), i + 1)) {
            par->size++;
            program->systems[i].pars |= (uint64_t)par->has_steps << p;
        }
    }
}

void ls_pars_place(ls_program *program)
{
    uint32_t words = LS_BIT_WORDS(program->system_count + 1);
    for (uint32_t i = 0; i < program->par_count; i++) {
        ls_plan_par *par = &program->pars[i];
        ls_free(par->inside);
        par->inside = ls_alloc(sizeof *par->inside * words);
        for (uint32_t side = 0; side < par->side_count; side++) {
            ls_free(par->members[side]);
            par->members[side] = ls_alloc(sizeof *par->members[side] * words);
            place_side(program, par, side, par->members[side]);
            ls_bits_or(par->inside, par->members[side], words);
        }
    }
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        if (!plan->step)
            continue;
        ls_plan_par *par = &program->pars[plan->par];
        *(plan->step == LS_STEP_FORK ? &par->fork : &par->merge) = i;
        ls_bit_set(par->inside, i);
    }
    count_inside(program);
}

void ls_pars_destroy(ls_program *program)
{
    for (uint32_t i = 0; i < program->par_count; i++) {
        ls_plan_par *par = &program->pars[i];
        for (uint32_t side = 0; side < LS_PAR_SIDES_MAX; side++) {
            ls_free(par->systems[side]);
            ls_free(par->members[side]);
        }
        ls_free(par->inside);
        ls_free(par->name);
        for (uint32_t step = 2 * i; program->steps && step < 2 * i + 2; step++)
            ls_free((void *)(uintptr_t)program->steps[step].name);
    }
    ls_free(program->pars);
    ls_free(program->steps);
}

/* Lists what the declared independences allow: pairs of systems that conflict and need no order. An
 * independence is stale if each of its pairs has an order or does not conflict. */
#include "core/schedule/independences.h"

#include "core/schedule/conflict.h"
#include "core/schedule/name_table.h"
#include "core/schedule/pars_order.h"
#include "core/schedule/phases.h"
#include "core/schedule/resolve_join.h"
#include "core/schedule/schedule_report_internal.h"
#include <lockstep/program_view.h>

#include <string.h>

enum { PAIRS_NAMED = 8 };

typedef struct lister {
    const ls_program *program;
    const ls_independence *given;
    ls_schedule_report *report;
    const uint64_t *one, *other; /* bit sets of systems */
    uint32_t words, conflict_count, pair_count;
    uint32_t column;  /* count only pairs that conflict here; UINT32_MAX: anywhere */
    ls_builder pairs; /* names of the first pairs without an order */
} lister;

static bool is_covered(const lister *self, uint32_t i, uint32_t j)
{
    return (ls_bit_has(self->one, i) && ls_bit_has(self->other, j)) ||
           (ls_bit_has(self->one, j) && ls_bit_has(self->other, i));
}

/* Whether nothing but an independence lets the two run in any order. */
static bool is_open(const ls_program *program, uint32_t i, uint32_t j)
{
    return !ls_pars_separate(program, i, j) &&
           ls_program_stage_of(program, i) == ls_program_stage_of(program, j) &&
           program->systems[i].system->slot == LS_PARALLEL &&
           program->systems[j].system->slot == LS_PARALLEL &&
           !ls_graph_has(&program->paths, i, j) && !ls_graph_has(&program->paths, j, i);
}

static bool do_conflict(const lister *self, const ls_plan_system *a, const ls_plan_system *b)
{
    ls_conflict conflict = {LS_CONFLICT_COLUMN, 0};
    uint32_t at = 0;
    while (ls_conflict_next(self->program, a, b, &at, &conflict)) {
        if (self->column == UINT32_MAX ||
            (conflict.kind == LS_CONFLICT_COLUMN && conflict.index == self->column))
            return true;
    }
    return false;
}

static void count_pair(lister *self, uint32_t i, uint32_t j)
{
    const ls_plan_system *a = &self->program->systems[i], *b = &self->program->systems[j];
    if (a->step || b->step || !is_covered(self, i, j) || ls_phases_exclude(self->program, i, j) ||
        !do_conflict(self, a, b))
        return;
    self->conflict_count++;
    if (!is_open(self->program, i, j))
        return;
    if (self->pair_count++ < PAIRS_NAMED)
        ls_builder_add(&self->pairs, "%s\"%s\" and \"%s\"", self->pair_count > 1 ? ", " : "",
                       a->system->name, b->system->name);
}

/* Whether the name is a system's own. A label, in contrast, may be given to more systems later. */
static bool is_system(const lister *self, const uint64_t *members, const char *name)
{
    uint32_t first = ls_bits_next(members, self->words, 0), count = self->program->system_count;
    return first < count && ls_bits_next(members, self->words, first + 1) >= count &&
           strcmp(self->program->systems[first].system->name, name) == 0;
}

static void hint_pairs(const lister *self)
{
    const ls_independence *given = self->given;
    bool is_fixed =
        is_system(self, self->one, given->one) && is_system(self, self->other, given->other);
    const char *pairs = self->pairs.data ? self->pairs.data : "";
    const char *more = self->pair_count > PAIRS_NAMED ? ", ..." : "";
    if (given->pairs == self->pair_count || (is_fixed && !given->pairs))
        return;
    if (given->pairs)
        ls_schedule_report_add(
            self->report, LS_FINDING_HINT, given->one, given->other,
            "the independence of \"%s\" and \"%s\" was declared for %u pairs of systems, but there "
            "are %u: %s%s; see whether its reason holds for all, and write .pairs = %u",
            given->one, given->other, given->pairs, self->pair_count, pairs, more,
            self->pair_count);
    else
        ls_schedule_report_add(
            self->report, LS_FINDING_HINT, given->one, given->other,
            "the independence of \"%s\" and \"%s\" is by label and holds for systems that join "
            "later, now for %s%s; write .pairs = %u to hear of others",
            given->one, given->other, pairs, more, self->pair_count);
}

static void hint_independence(const lister *self)
{
    const ls_independence *given = self->given;
    if (self->conflict_count == 0)
        ls_schedule_report_add(self->report, LS_FINDING_HINT, given->one, given->other,
                               "the independence of \"%s\" and \"%s\" is stale, because they "
                               "conflict in nothing; take it out",
                               given->one, given->other);
    else if (self->pair_count == 0)
        ls_schedule_report_add(self->report, LS_FINDING_HINT, given->one, given->other,
                               "the independence of \"%s\" and \"%s\" is stale, because every "
                               "pair that conflicts has an order; take it out",
                               given->one, given->other);
    else
        hint_pairs(self);
}

/* Counts the pairs of one independence. */
static lister count_pairs(const ls_program *program, const ls_name_table *names, uint32_t index,
                          uint32_t column)
{
    const ls_independence *given = &program->sim->independences[index];
    lister self = {.program = program,
                   .given = given,
                   .one = ls_name_table_find(names, given->one),
                   .other = ls_name_table_find(names, given->other),
                   .words = names->words,
                   .column = column};
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = i + 1; j < program->system_count; j++)
            count_pair(&self, i, j);
    }
    return self;
}

void ls_independences_list(const ls_program *program, ls_schedule_report *report)
{
    ls_name_table names;
    if (program->sim->independence_count == 0)
        return;
    ls_name_table_init(&names, program, NULL);
    for (uint32_t k = 0; k < program->sim->independence_count; k++) {
        lister self = count_pairs(program, &names, k, UINT32_MAX);
        self.report = report;
        ls_schedule_report_add_independence(report, self.given, self.pair_count);
        hint_independence(&self);
        ls_free(self.pairs.data);
    }
    ls_name_table_reset(&names);
}

static uint32_t add_names(const ls_program *program, const ls_name_table *names, uint32_t column,
                          ls_builder *text)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < program->sim->independence_count; k++) {
        lister self = count_pairs(program, names, k, column);
        if (self.pair_count)
            ls_builder_add(text, "%s\"%s\" and \"%s\" (%s)", count++ ? ", " : "", self.given->one,
                           self.given->other, self.given->reason);
        ls_free(self.pairs.data);
    }
    return count;
}

void ls_independences_name(const ls_program *program, const ls_component *component,
                           ls_builder *text)
{
    ls_name_table names;
    uint32_t column = ls_program_find_column(program, component);
    ls_name_table_init(&names, program, NULL);
    if (column == UINT32_MAX || add_names(program, &names, column, text) == 0)
        (void)add_names(program, &names, UINT32_MAX, text);
    ls_name_table_reset(&names);
}

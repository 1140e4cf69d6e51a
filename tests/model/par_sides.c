#include "tests/model/par_sides.h"

#include "tests/support/test.h"
#include <lockstep/schedule_report.h>

enum { INVOCATIONS_MAX = 20000 };
/* Removes spawns, despawns and commands: this merge of cells does not cover them. Also avoids
 * values that both sides accumulate, which a par adds up. */
static void keep_what_changes_cells(program_system *system, bool accumulates)
{
    system->lane_count = system->command_lane_count = 0;
    for (uint32_t i = 0; i < system->body_count; i++) {
        uint8_t op = system->body[i].op;
        if (op == OP_SPAWN || op == OP_DESPAWN || op == OP_COMMAND_ATTACH ||
            op == OP_COMMAND_DETACH || op == OP_COMMAND_SPAWN ||
            ((op == OP_WALK || op == OP_OBSERVE) &&
             system->body[i].imm % WALK_ACTIONS == WALK_DESPAWN) ||
            (op == OP_ACCUMULATE && !accumulates))
            system->body[i].op = OP_NOTHING;
    }
    for (uint32_t i = 0; !accumulates && i < system->term_count; i++) {
        if (system->terms[i].kind == LS_ACCUMULATED)
            system->terms[i].access = LS_ARG_MIN; /* which all components allow */
    }
}

/* False if a product of queries would take too long. */
static bool is_affordable(const struct program *program)
{
    uint64_t entities = 0;
    for (uint32_t i = 0; i < program->group_count; i++)
        entities += program->groups[i].count;
    for (uint32_t i = 0; i < program->system_count; i++) {
        uint64_t matches = 1;
        for (uint32_t j = 0; j < program_query_count(&program->systems[i]); j++)
            matches = matches > INVOCATIONS_MAX ? matches : matches * entities;
        if (matches > INVOCATIONS_MAX)
            return false;
    }
    return true;
}

/* Makes the first system twice, so that both change the same cells. */
static void repeat_first(struct program *program, uint32_t index)
{
    char name[sizeof program->systems[index].name];
    memcpy(name, program->systems[index].name, sizeof name);
    program->systems[index] = program->systems[0];
    memcpy(program->systems[index].name, name, sizeof name);
}

bool sides_make(sides *self, uint64_t seed)
{
    struct program *both = &self->programs[BOTH];
    *both = program_generate(seed);
    self->more = both->system_count > 2 ? (sides_more)(seed / 2 % 3) : MORE_NONE;
    while (both->system_count > (self->more ? 3u : 2u))
        program_remove_system(both, both->system_count - 1);
    if (both->system_count < 2 || !is_affordable(both))
        return false;
    memset(both->before, 0, sizeof both->before);
    if (seed % 4 == 0)
        repeat_first(both, 1);
    if (seed % 4 == 1 && self->more == MORE_PAR)
        repeat_first(both, 2);
    for (uint32_t i = 0; i < both->component_count; i++) {
        if (both->components[i].on_despawn == LS_PARENT)
            both->components[i].on_despawn = LS_CASCADE; /* a side alone could make a cycle */
        if (both->components[i].on_despawn != LS_KEEP)
            both->despawns_empty = false; /* a death changes further cells at the sync point */
    }
    for (uint32_t i = 0; i < both->system_count; i++) {
        both->systems[i].parents_first = 0;
        both->systems[i].partner.first_wins = true;
        keep_what_changes_cells(&both->systems[i], i == 0);
    }
    both->before[0][2] = self->more == MORE_AFTER;
    if (self->more)
        both->pair_count = 0; /* one system of a side could break what the other one mends */
    program_clean(both);
    for (uint32_t i = FIRST; i <= SECOND; i++) {
        self->programs[i] = *both;
        if (i == SECOND && self->more)
            program_remove_system(&self->programs[i], 2);
        program_remove_system(&self->programs[i], 1 - i);
        self->programs[i].pair_count = 0; /* no check: the test reads what a side alone leaves */
    }
    return true;
}

/* With modules it is a label of a module, because lists of a module have only names of modules. */
static const char *first_label(const sides *self)
{
    return self->programs[BOTH].has_modules ? "m.first" : "first";
}

/* Gives the two systems of the first side a label, which names the side. */
static void label_first(sides *self)
{
    for (uint32_t i = 0; self->more && i < 2; i++) {
        ls_system *system = &self->engines[BOTH].systems[2 * i];
        snprintf(self->labels[i], sizeof self->labels[i], "%s%s%s",
                 system->labels ? system->labels : "", system->labels ? ", " : "",
                 first_label(self));
        system->labels = self->labels[i];
    }
}

static void make_pars(sides *self, bool is_turned)
{
    const struct program *both = &self->programs[BOTH];
    const char *names[] = {self->more ? first_label(self) : both->systems[0].name,
                           both->systems[1].name};
    memset(&self->side_names, 0, sizeof self->side_names);
    memset(&self->inner_names, 0, sizeof self->inner_names);
    test_names_add(&self->side_names, names[is_turned]);
    self->is_turned = is_turned;
    self->pars[0] = (ls_par){.name = "both",
                             .sides = test_names_add(&self->side_names, names[!is_turned]),
                             .clash = both->seed % 3 ? LS_PAR_FAILS : LS_PAR_FIRST_WINS};
    self->engines[BOTH].sim.pars = self->pars;
    self->engines[BOTH].sim.par_count = self->more == MORE_PAR ? 2 : 1;
    if (self->more != MORE_PAR)
        return;
    test_names_add(&self->inner_names, both->systems[0].name);
    self->pars[1] = (ls_par){.name = "inner",
                             .sides = test_names_add(&self->inner_names, both->systems[2].name),
                             .clash = both->seed % 5 < 2 ? LS_PAR_FAILS : LS_PAR_FIRST_WINS};
    self->engines[FIRST].sim.pars = &self->pars[1];
    self->engines[FIRST].sim.par_count = 1;
}

/* Finds what the schedule says of the par if a clash fails the tick. */
static void find_hint(sides *self)
{
    ls_par pars[2] = {self->pars[0], self->pars[1]};
    ls_sim sim = self->engines[BOTH].sim;
    ls_schedule_report *report;
    pars[0].clash = LS_PAR_FAILS;
    sim.pars = pars;
    size_t used = 0;
    self->hint[0] = 0;
    assert_ok(ls_program_check(&sim, &report, NULL));
    for (uint32_t i = 0; i < report->count; i++) {
        if (strstr(report->findings[i].text, "of par \"both\""))
            used += (size_t)snprintf(self->hint + used, sizeof self->hint - used, "%s\n",
                                     report->findings[i].text);
        assert_true(used < sizeof self->hint);
    }
    ls_schedule_report_destroy(report);
}

/* Moves what has the prefix of a module into that module. */
static void split_both(sides *self)
{
    on_engine *both = &self->engines[BOTH];
    if (both->program->has_modules)
        both->sim = *split_sim_make(&both->split, &both->sim, both->program->seed);
}

bool sides_begin(sides *self, bool is_turned)
{
    for (uint32_t i = 0; i < SIMS; i++)
        on_engine_make(&self->engines[i], &self->programs[i], 0);
    label_first(self);
    make_pars(self, is_turned);
    split_both(self);
    for (uint32_t i = 0; i < SIMS; i++) {
        ls_error error = {""};
        if (ls_program_create(&self->engines[i].sim, &self->built[i], &error) == LS_OK)
            continue;
        if (i == BOTH)
            fail_msg("%s", error.text);
        ls_program_destroy(self->built[FIRST]);
        return false;
    }
    find_hint(self);
    for (uint32_t i = 0; i < SIMS; i++) {
        ls_match match = ls_program_match(self->built[i], self->programs[BOTH].seed);
        assert_ok(ls_world_create(self->built[i], &match, &self->worlds[i], NULL));
    }
    ls_match match = ls_program_match(self->built[BOTH], self->programs[BOTH].seed);
    assert_ok(ls_world_create(self->built[BOTH], &match, &self->start, NULL));
    return true;
}

void sides_end(sides *self)
{
    ls_world_destroy(self->start);
    for (uint32_t i = 0; i < SIMS; i++) {
        ls_world_destroy(self->worlds[i]);
        ls_program_destroy(self->built[i]);
    }
}

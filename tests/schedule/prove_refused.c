/* Refused schedules: for each refused pair, looks for a state that shows the order. */
#include "tests/schedule/prove_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t index_of(const schedule *given, const char *name)
{
    uint32_t i = 0;
    while (i < given->system_count && strcmp(given->systems[i].name, name) != 0)
        i++;
    return i;
}

/* A refused schedule made to build: its ambiguous pairs are declared independent. Pairs that see
 * half of a lane get an order instead, and so do sender and receiver, since an unordered receiver
 * hears nothing. The orders that are tried then violate it. */
struct refusal {
    schedule open;
    bool is_pair[SYSTEMS_MAX][SYSTEMS_MAX], is_half[SYSTEMS_MAX][SYSTEMS_MAX];
    bool is_given[SYSTEMS_MAX][SYSTEMS_MAX]; /* an order was added */
    bool is_beside_par[SYSTEMS_MAX];         /* the system and the par are such a pair */
    bool is_par_gone;                        /* from the next build on */
};

static bool sends(const actor *system)
{
    bool does = false;
    for (uint32_t i = 0; i < system->op_count; i++)
        does |= system->ops[i].kind == OP_SEND;
    return does;
}

/* A par cannot be declared independent, so the system gets an order with it: before one of its
 * members, and so before its fork. */
static bool note_par(prover *self, struct refusal *refusal, uint32_t system, bool *is_changed)
{
    bool is_new = !*is_changed;
    for (uint32_t i = 0; i < refusal->open.system_count; i++) {
        if (!refusal->open.systems[i].side || *is_changed)
            continue;
        refusal->open.before[system][i] = *is_changed = true;
        refusal->is_beside_par[system] = true;
    }
    return !is_new || *is_changed || prove_fail(self, "refused: a par without members");
}

/* Whether one of them spawns into the lane of a par's member. The report then names the par and the
 * spawner, and in the same round those that would see half of what both spawn. */
static bool spawns_beside_par(const schedule *given, uint32_t one, uint32_t other)
{
    bool does = false;
    for (uint32_t i = 0; i < given->system_count; i++)
        does |= given->systems[i].side && i != one && i != other &&
                (rules_of_pair(given, i, one).rules | rules_of_pair(given, i, other).rules) >>
                        RULE_LANE &
                    1;
    return does;
}

static bool note_finding(prover *self, struct refusal *refusal, const ls_finding *finding,
                         bool is_first, bool *is_changed)
{
    uint32_t count = refusal->open.system_count;
    uint32_t one = finding->one ? index_of(&refusal->open, finding->one) : count;
    uint32_t other = finding->other ? index_of(&refusal->open, finding->other) : count;
    if (finding->kind == LS_FINDING_HINT)
        return true;
    if (finding->kind == LS_FINDING_CONTRADICTION && !is_first && refusal->open.par_sides) {
        refusal->is_par_gone = true; /* the orders that were added lead from side to side */
        return true;
    }
    bool is_par = finding->one && finding->other &&
                  strcmp(one == count ? finding->one : finding->other, "par") == 0;
    if (finding->kind == LS_FINDING_AMBIGUITY && is_par && (one == count) != (other == count))
        return note_par(self, refusal, one == count ? other : one, is_changed);
    if (finding->kind != LS_FINDING_AMBIGUITY || one == count || other == count)
        return prove_fail(self, "refused: %s", finding->text);
    uint32_t less = one < other ? one : other, more = one < other ? other : one;
    bool is_sent = !refusal->is_pair[less][more] &&
                   rules_of_pair(&refusal->open, one, other).rules & 1u << RULE_EVENT;
    bool is_beside = rules_are_beside(&refusal->open, one, other);
    bool is_half = !rules_of_pair(&refusal->open, one, other).rules &&
                   (is_beside || spawns_beside_par(&refusal->open, one, other));
    if (is_first && !is_sent && !is_half) {
        refusal->is_pair[less][more] = true;
        refusal->open.independent[less][more] = true;
    } else if (!*is_changed) { /* adding two orders at once could form a cycle */
        if (is_beside)
            refusal->is_par_gone = true; /* its sides may have no order */
        bool is_sender = sends(&refusal->open.systems[one]);
        bool *kind = is_sent ? &refusal->is_pair[less][more] : &refusal->is_half[less][more];
        *kind = *is_changed = refusal->is_given[less][more] = true;
        if (is_sent && is_sender)
            refusal->open.before[one][other] = true;
        else
            refusal->open.before[other][one] = true;
    }
    return true;
}

/* Adds independences and orders until the schedule builds. */
static bool open_refusal(prover *self, struct refusal *refusal, built *made)
{
    for (uint32_t round = 0; round < 40; round++) {
        ls_schedule_report *report;
        ls_error error = {""};
        schedule_build(&refusal->open, made);
        ls_status status = ls_program_check(&made->sim, &report, &error);
        if (status == LS_OK) {
            ls_schedule_report_destroy(report);
            return true;
        }
        bool is_changed = false,
             is_well = report != NULL || prove_fail(self, "refused: %s", error.text);
        for (uint32_t i = 0; is_well && i < report->count; i++)
            is_well = note_finding(self, refusal, &report->findings[i], round == 0, &is_changed);
        ls_schedule_report_destroy(report);
        if (!is_well)
            return false;
        if (refusal->is_par_gone)
            refusal->open.par_sides = 0;
    }
    return prove_fail(self, "declared independent and ordered, it is refused nevertheless");
}

/* Runs the tick in both orders from the world's state and compares the roots. The world ends one
 * tick later. */
static bool differs(prover *self, ls_world *world, const order *one, const order *other)
{
    ls_snapshot *before = ls_world_snapshot(world);
    /* Run first so that a receiver before its sender sees the last tick's events in both orders. */
    (void)order_run(world, NULL, NULL);
    ls_world_restore(world, before);
    uint64_t first = order_run(world, one, NULL);
    ls_world_restore(world, before);
    (void)order_run(world, NULL, NULL);
    ls_world_restore(world, before);
    uint64_t second = order_run(world, other, NULL);
    self->counts.ticks += 4;
    ls_snapshot_destroy(before);
    return first != second;
}

static bool find_difference(prover *self, const ls_program *program, const order *one,
                            const order *other, uint64_t seed)
{
    bool is_found = false;
    for (uint32_t i = 0; !is_found && i < self->states_max; i++) {
        ls_world *world = prove_make_world(program, mix(seed, 100 + i) % PROVE_BIG_SEED);
        for (uint32_t tick = 0; !is_found && tick < PROVE_TICKS && prove_is_small(world); tick++)
            is_found = differs(self, world, one, other);
        ls_world_destroy(world);
    }
    return is_found;
}

static bool find_witness(prover *self, const ls_program *program, uint32_t first, uint32_t second,
                         uint64_t seed)
{
    const order one = order_beside(program, first, second);
    const order other = order_beside(program, second, first);
    return find_difference(self, program, &one, &other, seed);
}

/* True if the system asks which entities live. Only then can the order of half a lane's spawns
 * show. */
static bool asks(const schedule *given, uint32_t index)
{
    bool does = false;
    for (uint32_t i = 0; i < given->systems[index].op_count; i++)
        does |= given->systems[index].ops[i].kind == OP_GUESS;
    return does;
}

static void count_pair(prover *self, const schedule *given, uint32_t i, uint32_t j, reasons why,
                       bool is_witnessed)
{
    prove_counts *counts = &self->counts;
    bool has_one_rule = (why.rules & (why.rules - 1)) == 0;
    rule_counts *kinds[2] = {has_one_rule ? &counts->rules[__builtin_ctz(why.rules)] : NULL,
                             has_one_rule && why.one != OP_COUNT ? &counts->ops[why.one][why.other]
                                                                 : NULL};
    counts->pairs++;
    counts->witnessed += is_witnessed;
    counts->with_several_reasons += !has_one_rule;
    for (uint32_t k = 0; k < 2; k++) {
        if (!kinds[k])
            continue;
        kinds[k]->refused++;
        kinds[k]->witnessed += is_witnessed;
        if (!is_witnessed)
            kinds[k]->example = given->seed;
    }
    if (is_witnessed)
        return;
    if (body_calls[i] == 0 || body_calls[j] == 0)
        counts->met_nobody++;
    else if (rules_are_filtered(&given->systems[i], &given->systems[j]))
        counts->filtered++;
    else if (kinds[1] ? rules_explain(why.one, why.other) != NULL
                      : why.rules == 1u << RULE_HALF_LANE && !asks(given, i) && !asks(given, j))
        counts->explained++;
    else if (!has_one_rule)
        counts->several++;
    else {
        if (getenv("LOCKSTEP_DEEDS"))
            fprintf(stderr, "unseen: seed %" PRIu64 " \"%s\" and \"%s\"\n", given->seed,
                    given->systems[i].name, given->systems[j].name);
        counts->unseen++;
    }
}

/* Repeats the search with the two names exchanged. Unordered systems merge in the order of their
 * names, which may hide the difference in one direction. */
static bool find_witness_by_name(prover *self, const schedule *open, uint32_t i, uint32_t j)
{
    static built made;
    schedule exchanged = *open;
    ls_program *program;
    memcpy(exchanged.systems[i].name, open->systems[j].name, sizeof exchanged.systems[i].name);
    memcpy(exchanged.systems[j].name, open->systems[i].name, sizeof exchanged.systems[j].name);
    schedule_build(&exchanged, &made);
    if (ls_program_create(&made.sim, &program, NULL) != LS_OK)
        return false;
    bool is_found =
        find_witness(self, program, prove_position_of(program, exchanged.systems[i].name),
                     prove_position_of(program, exchanged.systems[j].name), open->seed);
    ls_program_destroy(program);
    return is_found;
}

static bool prove_pair(prover *self, const schedule *given, const struct refusal *refusal,
                       const ls_program *program, uint32_t i, uint32_t j)
{
    uint32_t first = prove_position_of(program, given->systems[i].name);
    uint32_t second = prove_position_of(program, given->systems[j].name);
    bool is_half = refusal->is_half[i][j];
    reasons why = rules_of_pair(given, i, j);
    /* An order that settles another pair may move systems of a stage with insertion order, so that
     * this pair has seen half of a lane only before. */
    bool is_moved = !why.rules && !is_half && given->insertion_order[given->systems[i].stage];
    if (!refusal->is_given[i][j] && (ls_program_is_ordered(program, first, second) ||
                                     ls_program_is_ordered(program, second, first) || is_moved)) {
        self->counts.settled_by_another++;
        return true;
    }
    if (rules_never_meet(given, i, j))
        return prove_fail(self, "\"%s\" and \"%s\" are refused, but no tick runs both",
                          given->systems[i].name, given->systems[j].name);
    if (!why.rules && !is_half)
        return prove_fail(self, "\"%s\" and \"%s\" are refused for no reason",
                          given->systems[i].name, given->systems[j].name);
    if (is_half) {
        why.one = why.other = OP_COUNT;
        why.rules |= 1u << RULE_HALF_LANE;
    }
    memset(body_calls, 0, sizeof body_calls);
    bool is_witnessed = find_witness(self, program, first, second, given->seed) ||
                        find_witness_by_name(self, &refusal->open, i, j);
    count_pair(self, given, i, j, why, is_witnessed);
    return true;
}

/* A system and the par, of which a member touches what the system accesses. */
static bool prove_par(prover *self, const schedule *given, const ls_program *program,
                      uint32_t index)
{
    uint32_t system = prove_position_of(program, given->systems[index].name);
    bool do_touch = false;
    for (uint32_t i = 0; i < given->system_count; i++)
        do_touch |= given->systems[i].side && i != index &&
                    rules_touch(&given->systems[i], &given->systems[index]);
    if (order_step(program, false) == POSITIONS_MAX) /* see note_finding() */
        return true;
    if (!do_touch || !rules_fork(given))
        return prove_fail(self, "\"%s\" and the par are refused for no reason",
                          given->systems[index].name);
    const order one = order_around(program, system, false);
    const order other = order_around(program, system, true);
    self->counts.pars++;
    self->counts.pars_witnessed += find_difference(self, program, &one, &other, given->seed);
    return true;
}

bool prove_refused(prover *self, const schedule *given)
{
    static built made;
    struct refusal refusal = {.open = *given};
    ls_program *program;
    self->counts.refused++;
    if (!open_refusal(self, &refusal, &made))
        return false;
    LS_ASSERT(ls_program_create(&made.sim, &program, NULL) == LS_OK);
    bool is_well = true;
    for (uint32_t i = 0; i < given->system_count; i++) {
        if (is_well && refusal.is_beside_par[i])
            is_well = prove_par(self, given, program, i);
        for (uint32_t j = i + 1; is_well && j < given->system_count; j++) {
            if (refusal.is_pair[i][j] || refusal.is_half[i][j])
                is_well = prove_pair(self, given, &refusal, program, i, j);
        }
    }
    ls_program_destroy(program);
    return is_well;
}

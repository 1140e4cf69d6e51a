#include "tests/schedule/prove.h"

#include "tests/schedule/build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 3, STATE_SEEDS = 2, BIG_SEED = 1000, ENTITIES_MAX = 60 };

static ls_executor *make_executor(const ls_executor_config *config)
{
    ls_executor *made;
    LS_ASSERT(ls_executor_create(config, &made, NULL) == LS_OK);
    return made;
}

void prover_begin(prover *self, bool is_long)
{
    memset(self, 0, sizeof *self);
    self->two = make_executor(&(ls_executor_config){.threads = 2, .share_from = 1});
    self->four = make_executor(&(ls_executor_config){.threads = 4, .share_from = 1});
    self->shuffled = make_executor(&(ls_executor_config){.threads = 1, .shuffle_seed = 4711});
    self->mixed =
        make_executor(&(ls_executor_config){.threads = 3, .shuffle_seed = 4712, .share_from = 1});
    self->all_max = is_long ? 720 : 24;
    self->random_count = is_long ? 50 : 6;
    self->states_max = is_long ? 40 : 12;
}

void prover_end(prover *self)
{
    ls_executor_destroy(self->two);
    ls_executor_destroy(self->four);
    ls_executor_destroy(self->shuffled);
    ls_executor_destroy(self->mixed);
}

static bool fail(prover *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(self->text, sizeof self->text, format, arguments);
    va_end(arguments);
    return false;
}

static ls_world *make_world(const ls_program *program, uint64_t seed)
{
    ls_world *world;
    ls_match match = ls_program_match(program, seed);
    LS_ASSERT(ls_world_create(program, &match, &world, NULL) == LS_OK);
    return world;
}

/* Spawns may double the entities, and a query vector visits a product of matches: limits the
 * work. */
static bool is_small(const ls_world *world)
{
    return ls_world_entity_count(world) <= ENTITIES_MAX;
}

static uint32_t index_of(const schedule *given, const char *name)
{
    uint32_t i = 0;
    while (i < given->system_count && strcmp(given->systems[i].name, name) != 0)
        i++;
    return i;
}

static uint32_t position_of(const ls_program *program, const char *name)
{
    uint32_t i = 0;
    while (strcmp(ls_program_system(program, i)->name, name) != 0)
        i++;
    return i;
}

static void print_order(const ls_program *program, const order *chosen, char *text, size_t bytes)
{
    size_t used = 0;
    for (uint32_t i = 0; i < ls_program_system_count(program); i++)
        used += (size_t)snprintf(text + used, bytes - used, " %s",
                                 ls_program_system(program, chosen->positions[i])->name);
}

/* Runs one tick from the world's state in every order, then with one executor. The world ends one
 * tick later. */
static bool compare_orders(prover *self, ls_world *world, const orders *found)
{
    static const char *const executor_names[] = {"on 2 threads", "on 4 threads", "shuffled",
                                                 "shuffled on 3 threads"};
    ls_executor *const executors[] = {self->two, self->four, self->shuffled, self->mixed};
    const ls_program *program = ls_world_program(world);
    ls_snapshot *before = ls_world_snapshot(world);
    uint64_t wanted = order_run(world, NULL, NULL);
    bool is_equal = true;
    for (uint32_t i = 0; is_equal && i < found->count; i++) {
        ls_world_restore(world, before);
        is_equal = order_run(world, &found->list[i], NULL) == wanted;
        self->counts.ticks++;
        char text[256] = "";
        print_order(program, &found->list[i], text, sizeof text);
        if (!is_equal)
            fail(self, "accepted, but tick %" PRIu64 " ends in another state in the order%s",
                 ls_snapshot_tick(before), text);
    }
    if (is_equal) { /* executors take turns from tick to tick */
        uint32_t turn = (uint32_t)(ls_snapshot_tick(before) % LS_COUNT_OF(executors));
        ls_world_restore(world, before);
        is_equal = order_run(world, NULL, executors[turn]) == wanted;
        self->counts.ticks++;
        if (!is_equal)
            fail(self, "accepted, but tick %" PRIu64 " ends in another state %s",
                 ls_snapshot_tick(before), executor_names[turn]);
    }
    ls_snapshot_destroy(before);
    return is_equal;
}

/* Compares the orders that the program has with those that the schedule and the rules require. A
 * stage in insertion order may have additional ones. */
static bool check_order(prover *self, const schedule *given, const ls_program *program)
{
    bool says[SYSTEMS_MAX][SYSTEMS_MAX] = {{false}};
    uint32_t count = given->system_count;
    bool may_have_more = given->insertion_order[0] || given->insertion_order[1];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            const actor *one = &given->systems[i], *other = &given->systems[j];
            bool is_behind_label =
                i != j && other->after_label && one->labels >> (other->after_label - 1) & 1;
            is_behind_label |= i != j && schedule_is_in(one, other->after_part);
            says[i][j] = given->before[i][j] || given->needs[i][j] || is_behind_label ||
                         (given->weakly[i][j] && rules_keep_apart(one, other)) ||
                         (one->stage < other->stage && given->stage_count > 1);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < count; j++)
                says[i][j] |= says[i][k] && says[k][j];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            const actor *one = &given->systems[i], *other = &given->systems[j];
            bool is_one_group = one->stage == other->stage && one->slot == other->slot;
            bool is_ordered = ls_program_is_ordered(program, position_of(program, one->name),
                                                    position_of(program, other->name));
            if (is_one_group && is_ordered != says[i][j] && !(is_ordered && may_have_more))
                return fail(self, "\"%s\" and \"%s\" have %s", one->name, other->name,
                            is_ordered ? "an order that nobody asked for"
                                       : "no order, but it was asked for");
        }
    }
    return true;
}

static void count_free(prover *self, const schedule *given, const ls_program *program)
{
    for (uint32_t i = 0; i < given->system_count; i++) {
        for (uint32_t j = i + 1; j < given->system_count; j++) {
            const actor *one = &given->systems[i], *other = &given->systems[j];
            uint32_t first = position_of(program, one->name);
            uint32_t second = position_of(program, other->name);
            if (ls_program_is_ordered(program, first, second) ||
                ls_program_is_ordered(program, second, first))
                continue;
            self->counts.unordered_pairs++;
            bool is_kept = rules_keep_apart(one, other);
            self->counts.kept_apart += is_kept;
            self->counts.kept_by_tags +=
                is_kept && !rules_between(one, other).rules && rules_are_incompatible(one, other);
            self->counts.never_meet +=
                rules_between(one, other).rules && rules_never_meet(given, i, j);
            rules_count_free(one, other, self->counts.free_ops);
        }
    }
}

static bool has_products(const schedule *given)
{
    for (uint32_t i = 0; i < given->system_count; i++) {
        for (uint32_t j = 0; j < given->systems[i].op_count; j++) {
            op_kind kind = (op_kind)given->systems[i].ops[j].kind;
            if (kind == OP_PAIR_READ || kind == OP_PAIR_ALL || kind == OP_GRID ||
                kind == OP_GRID_WITH || kind == OP_JOIN || kind == OP_WALK || kind == OP_OBSERVE ||
                kind == OP_RECEIVE)
                return true;
        }
    }
    return false;
}

static bool prove_accepted(prover *self, const schedule *given, const ls_program *program)
{
    static orders found;
    self->counts.accepted++;
    if (!check_order(self, given, program))
        return false;
    count_free(self, given, program);
    orders_find(program, self->all_max, self->random_count, given->seed, &found);
    self->counts.orders += found.count;
    self->counts.cut_orders += !found.is_all;
    bool is_equal = true;
    for (uint32_t i = 0; is_equal && i < STATE_SEEDS; i++) {
        ls_world *world = make_world(program, mix(given->seed, i) % BIG_SEED);
        for (uint32_t tick = 0; is_equal && tick < TICKS && is_small(world); tick++)
            is_equal = compare_orders(self, world, &found);
        ls_world_destroy(world);
    }
    if (is_equal && given->seed % (given->has_partners ? 4 : 16) == 0 &&
        !has_products(given)) { /* also test several pages */
        ls_world *world = make_world(program, BIG_SEED + given->seed);
        found.count = found.count < 4 ? found.count : 4;
        for (uint32_t tick = 0; is_equal && tick < TICKS; tick++)
            is_equal = compare_orders(self, world, &found);
        ls_world_destroy(world);
    }
    return is_equal;
}

/* A refused schedule made to build: its ambiguous pairs are declared independent. Pairs that see
 * half of a lane get an order instead, and so do sender and receiver, since an unordered receiver
 * hears nothing. The orders that are tried then violate it. */
struct refusal {
    schedule open;
    bool is_pair[SYSTEMS_MAX][SYSTEMS_MAX], is_half[SYSTEMS_MAX][SYSTEMS_MAX];
    bool is_given[SYSTEMS_MAX][SYSTEMS_MAX]; /* an order was added */
};

static bool sends(const actor *system)
{
    bool does = false;
    for (uint32_t i = 0; i < system->op_count; i++)
        does |= system->ops[i].kind == OP_SEND;
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
    if (finding->kind != LS_FINDING_AMBIGUITY || one == count || other == count)
        return fail(self, "refused: %s", finding->text);
    uint32_t less = one < other ? one : other, more = one < other ? other : one;
    bool is_sent = !refusal->is_pair[less][more] &&
                   rules_between(&refusal->open.systems[one], &refusal->open.systems[other]).rules &
                       1u << RULE_EVENT;
    if (is_first && !is_sent) {
        refusal->is_pair[less][more] = true;
        refusal->open.independent[less][more] = true;
    } else if (!*is_changed) { /* adding two orders at once could form a cycle */
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
        bool is_changed = false, is_well = report != NULL || fail(self, "refused: %s", error.text);
        for (uint32_t i = 0; is_well && i < report->count; i++)
            is_well = note_finding(self, refusal, &report->findings[i], round == 0, &is_changed);
        ls_schedule_report_destroy(report);
        if (!is_well)
            return false;
    }
    return fail(self, "declared independent and ordered, it is refused nevertheless");
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

static bool find_witness(prover *self, const ls_program *program, uint32_t first, uint32_t second,
                         uint64_t seed)
{
    const order one = order_beside(program, first, second);
    const order other = order_beside(program, second, first);
    bool is_found = false;
    for (uint32_t i = 0; !is_found && i < self->states_max; i++) {
        ls_world *world = make_world(program, mix(seed, 100 + i) % BIG_SEED);
        for (uint32_t tick = 0; !is_found && tick < TICKS && is_small(world); tick++)
            is_found = differs(self, world, &one, &other);
        ls_world_destroy(world);
    }
    return is_found;
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
    bool is_found = find_witness(self, program, position_of(program, exchanged.systems[i].name),
                                 position_of(program, exchanged.systems[j].name), open->seed);
    ls_program_destroy(program);
    return is_found;
}

static bool prove_pair(prover *self, const schedule *given, const struct refusal *refusal,
                       const ls_program *program, uint32_t i, uint32_t j)
{
    uint32_t first = position_of(program, given->systems[i].name);
    uint32_t second = position_of(program, given->systems[j].name);
    bool is_half = refusal->is_half[i][j];
    reasons why = rules_between(&given->systems[i], &given->systems[j]);
    if (!refusal->is_given[i][j] && (ls_program_is_ordered(program, first, second) ||
                                     ls_program_is_ordered(program, second, first))) {
        self->counts.settled_by_another++;
        return true;
    }
    if (rules_never_meet(given, i, j))
        return fail(self, "\"%s\" and \"%s\" are refused, but no tick runs both",
                    given->systems[i].name, given->systems[j].name);
    if (!why.rules && !is_half)
        return fail(self, "\"%s\" and \"%s\" are refused for no reason", given->systems[i].name,
                    given->systems[j].name);
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

static bool prove_refused(prover *self, const schedule *given)
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
        for (uint32_t j = i + 1; is_well && j < given->system_count; j++) {
            if (refusal.is_pair[i][j] || refusal.is_half[i][j])
                is_well = prove_pair(self, given, &refusal, program, i, j);
        }
    }
    ls_program_destroy(program);
    return is_well;
}

/* Runs the flat program and that with modules; both have all their ticks in one order. */
static bool compare_flat(prover *self, const schedule *given, const ls_sim *flat,
                         const ls_program *modular)
{
    ls_program *program;
    LS_ASSERT(ls_program_create(flat, &program, NULL) == LS_OK);
    ls_world *one = make_world(program, given->seed % BIG_SEED);
    ls_world *other = make_world(modular, given->seed % BIG_SEED);
    bool is_equal = ls_world_root(one) == ls_world_root(other);
    for (uint32_t tick = 0; is_equal && tick < TICKS && is_small(one); tick++)
        is_equal = order_run(one, NULL, NULL) == order_run(other, NULL, NULL);
    ls_world_destroy(one);
    ls_world_destroy(other);
    ls_program_destroy(program);
    return is_equal || fail(self, "with modules the match has another root");
}

bool prove_schedule(prover *self, const schedule *given)
{
    static built made;
    static split_sim modules;
    ls_schedule_report *report = NULL;
    ls_program *program;
    ls_error error = {""};
    self->counts.schedules++;
    schedule_build(given, &made);
    const ls_sim *modular =
        given->has_modules ? split_sim_make(&modules, &made.sim, given->seed) : &made.sim;
    if (given->has_modules && !split_is_equal(&made.sim, modular, self->text, sizeof self->text))
        return false;
    ls_status status = ls_program_check(&made.sim, &report, &error);
    bool has_report = report != NULL;
    ls_schedule_report_destroy(report);
    if (!has_report) { /* the schedule contains an invalid system */
        snprintf(self->text, sizeof self->text, "%s", error.text);
        self->counts.unusable++;
        return true;
    }
    if (status != LS_OK)
        return prove_refused(self, given);
    LS_ASSERT(ls_program_create(modular, &program, NULL) == LS_OK);
    bool is_well = !given->has_modules || compare_flat(self, given, &made.sim, program);
    is_well = is_well && prove_accepted(self, given, program);
    ls_program_destroy(program);
    return is_well;
}

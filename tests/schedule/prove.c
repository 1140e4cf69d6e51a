#include "tests/schedule/prove.h"

#include "tests/schedule/prove_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_SEEDS = 2, ENTITIES_MAX = 60 };

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

bool prove_fail(prover *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(self->text, sizeof self->text, format, arguments);
    va_end(arguments);
    return false;
}

ls_world *prove_make_world(const ls_program *program, uint64_t seed)
{
    ls_world *world;
    ls_match match = ls_program_match(program, seed);
    LS_ASSERT(ls_world_create(program, &match, &world, NULL) == LS_OK);
    return world;
}

bool prove_is_small(const ls_world *world)
{
    return ls_world_entity_count(world) <= ENTITIES_MAX;
}

uint32_t prove_position_of(const ls_program *program, const char *name)
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
            prove_fail(self, "accepted, but tick %" PRIu64 " ends in another state in the order%s",
                       ls_snapshot_tick(before), text);
    }
    if (is_equal) { /* executors take turns from tick to tick */
        uint32_t turn = (uint32_t)(ls_snapshot_tick(before) % LS_COUNT_OF(executors));
        ls_world_restore(world, before);
        is_equal = order_run(world, NULL, executors[turn]) == wanted;
        self->counts.ticks++;
        if (!is_equal)
            prove_fail(self, "accepted, but tick %" PRIu64 " ends in another state %s",
                       ls_snapshot_tick(before), executor_names[turn]);
    }
    ls_snapshot_destroy(before);
    return is_equal;
}

/* To systems outside of a par with a fork, it is one node. */
static void join_sides(const schedule *given, bool says[SYSTEMS_MAX][SYSTEMS_MAX])
{
    for (uint32_t i = 0; i < given->system_count * given->system_count; i++) {
        uint32_t one = i / given->system_count, other = i % given->system_count;
        bool is_inside = given->systems[one].side;
        if (!says[one][other] || is_inside == (given->systems[other].side != 0))
            continue;
        for (uint32_t j = 0; j < given->system_count; j++) {
            if (given->systems[j].side)
                says[is_inside ? j : one][is_inside ? other : j] = true;
        }
    }
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
    if (rules_fork(given) != (order_step(program, false) < POSITIONS_MAX))
        return prove_fail(self, "the par has %s fork", rules_fork(given) ? "no" : "a needless");
    if (rules_fork(given))
        join_sides(given, says);
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
            bool is_ordered = ls_program_is_ordered(program, prove_position_of(program, one->name),
                                                    prove_position_of(program, other->name));
            if (is_one_group && is_ordered != says[i][j] && !(is_ordered && may_have_more))
                return prove_fail(self, "\"%s\" and \"%s\" have %s", one->name, other->name,
                                  is_ordered ? "an order that the schedule does not declare"
                                             : "no order, but the schedule declares one");
        }
    }
    return true;
}

static void count_free(prover *self, const schedule *given, const ls_program *program)
{
    for (uint32_t i = 0; i < given->system_count; i++) {
        for (uint32_t j = i + 1; j < given->system_count; j++) {
            const actor *one = &given->systems[i], *other = &given->systems[j];
            uint32_t first = prove_position_of(program, one->name);
            uint32_t second = prove_position_of(program, other->name);
            if (ls_program_is_ordered(program, first, second) ||
                ls_program_is_ordered(program, second, first))
                continue;
            self->counts.unordered_pairs++;
            if (rules_are_beside(given, i, j)) {
                self->counts.beside++;
                continue;
            }
            bool is_kept = rules_keep_apart(one, other);
            self->counts.kept_apart += is_kept;
            self->counts.kept_by_tags +=
                is_kept && !rules_between(one, other).rules && rules_are_incompatible(one, other);
            self->counts.kept_by_lanes +=
                is_kept && !rules_between(one, other).rules &&
                (rules_spawn_past_lane(one, other) || rules_spawn_past_lane(other, one));
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
                kind == OP_RECEIVE ||
                (kind > OP_ANY_OF && kind != OP_STATE && kind != OP_ENTER &&
                 kind != OP_PARENTS_FIRST))
                return true;
        }
    }
    return false;
}

static bool runs_parents_first(const schedule *given)
{
    bool does = false;
    for (uint32_t i = 0; i < given->system_count; i++) {
        for (uint32_t j = 0; j < given->systems[i].op_count; j++)
            does |= given->systems[i].ops[j].kind == OP_PARENTS_FIRST;
    }
    return does;
}

static void count_abilities(prove_counts *counts, const schedule *given)
{
    bool is_on_main_thread = false;
    for (uint32_t i = 0; i < given->system_count; i++)
        is_on_main_thread |= given->systems[i].is_on_main_thread;
    for (uint32_t i = 0; i < given->stage_count; i++)
        is_on_main_thread |= given->is_on_main_thread[i];
    counts->with[PROVE_STATES] += given->has_states;
    counts->with[PROVE_FORK] += rules_fork(given);
    counts->with[PROVE_WORLD] += given->has_world;
    counts->with[PROVE_DEATHS] += given->on_despawn != 0;
    counts->with[PROVE_EMPTY] += given->despawns_empty;
    counts->with[PROVE_MAIN_THREAD] += is_on_main_thread;
    counts->with[PROVE_PARENTS_FIRST] += runs_parents_first(given);
}

static bool prove_accepted(prover *self, const schedule *given, const ls_program *program)
{
    static orders found;
    self->counts.accepted++;
    count_abilities(&self->counts, given);
    if (!check_order(self, given, program) ||
        (given->has_states && !prove_states(self, given, program)))
        return false;
    count_free(self, given, program);
    orders_find(program, self->all_max, self->random_count, given->seed, &found);
    self->counts.orders += found.count;
    self->counts.cut_orders += !found.is_all;
    bool is_equal = true;
    for (uint32_t i = 0; is_equal && i < STATE_SEEDS; i++) {
        ls_world *world = prove_make_world(program, mix(given->seed, i) % PROVE_BIG_SEED);
        for (uint32_t tick = 0; is_equal && tick < PROVE_TICKS && prove_is_small(world); tick++)
            is_equal = compare_orders(self, world, &found);
        ls_world_destroy(world);
    }
    if (is_equal && given->seed % (given->has_partners ? 4 : 16) == 0 &&
        !has_products(given)) { /* also test several pages */
        ls_world *world = prove_make_world(program, PROVE_BIG_SEED + given->seed);
        found.count = found.count < 4 ? found.count : 4;
        for (uint32_t tick = 0; is_equal && tick < PROVE_TICKS; tick++)
            is_equal = compare_orders(self, world, &found);
        ls_world_destroy(world);
    }
    return is_equal;
}

/* Runs the flat program and that with modules; both have all their ticks in one order. */
static bool compare_flat(prover *self, const schedule *given, const ls_sim *flat,
                         const ls_program *modular)
{
    ls_program *program;
    LS_ASSERT(ls_program_create(flat, &program, NULL) == LS_OK);
    ls_world *one = prove_make_world(program, given->seed % PROVE_BIG_SEED);
    ls_world *other = prove_make_world(modular, given->seed % PROVE_BIG_SEED);
    bool is_equal = ls_world_root(one) == ls_world_root(other);
    for (uint32_t tick = 0; is_equal && tick < PROVE_TICKS && prove_is_small(one); tick++)
        is_equal = order_run(one, NULL, NULL) == order_run(other, NULL, NULL);
    ls_world_destroy(one);
    ls_world_destroy(other);
    ls_program_destroy(program);
    return is_equal || prove_fail(self, "with modules the match has another root");
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

/* Decides for each slot whether several threads share it. It times a few runs with the current
 * choice, then a few with the other one. The faster choice then holds for a number of runs, which
 * doubles each time it wins again. Several threads are not tried for a slot that is too short, or
 * for a chain of systems that cannot be split. */
#include "core/run/thread_policy.h"

#include "core/base/platform_cpu.h"
#include "core/run/scratch.h"

enum {
    TIMED_RUNS = 3,
    /* At this countdown the systems are measured. TIMED_RUNS of the current choice follow, then of
     * the other one, down to 0. */
    MEASURED_AT = 2 * TIMED_RUNS,
    HOLD_MIN = 16,
    HOLD_MIN_SHARED = 128, /* trying one thread on work for many takes many times as long */
    HOLD_MAX = 4096,
    TIMED_EVERY = 32,
    MEASURED_EVERY = 64,
    MICROSECONDS_TO_SHARE = 2,
};

static void set_countdown(ls_slot_policy *slot, uint32_t hold_runs)
{
    uint32_t min = slot->is_shared ? HOLD_MIN_SHARED : HOLD_MIN;
    hold_runs = hold_runs < min ? min : hold_runs;
    slot->hold_runs = hold_runs > HOLD_MAX ? HOLD_MAX : hold_runs;
    slot->countdown = MEASURED_AT + slot->hold_runs;
    slot->outliers = 0;
}

/* On how many threads the system may run at once. Before the first run its pages are
 * not known: a concurrent system with a hint counts for all threads, any other for one. */
static uint32_t count_sharers(const ls_thread_policy *policy, const ls_world *world,
                              uint32_t position)
{
    const ls_system *system = world->program->systems[position].system;
    uint32_t chunks = world->scratch->runs[position].chunks;
    if (chunks == 0 && policy->is_hint[position] && system->mode == LS_CONCURRENT)
        chunks = policy->threads;
    if (system->main_thread || system->home_thread || chunks == 0)
        return 1;
    return chunks < policy->threads ? chunks : policy->threads;
}

static void rank_systems(ls_thread_policy *policy, const ls_world *world, uint32_t first,
                         uint32_t end)
{
    const ls_program *program = world->program;
    ls_slot_policy *slot = &policy->slots[first];
    slot->work = 0;
    for (uint32_t i = first; i < end; i++) {
        policy->shared_times[i] = policy->times[i] / count_sharers(policy, world, i) + 1;
        slot->work += policy->times[i] + 1;
    }
    const ls_list_schedule_job job = {.systems = program->systems,
                                      .first = first,
                                      .end = end,
                                      .times = policy->shared_times,
                                      .workers = policy->threads,
                                      .trials = ls_list_schedule_default_trials(end - first)};
    (void)ls_list_schedule_choose(&job, policy->ranks, policy->list_scratch);
    slot->makespan =
        ls_list_schedule_find_hold(&job, policy->ranks, &slot->hold, policy->list_scratch);
    for (uint32_t i = first; i < end; i++)
        policy->items[i - first] = (ls_sort_item){.key = ~policy->ranks[i], .value = i};
    ls_sort(policy->items, policy->scratch, end - first);
    for (uint32_t i = first; i < end; i++)
        policy->order[i] = policy->items[i - first].value;
}

/* Whether several threads cannot be faster. `alone`: the time of the slot on one thread. */
static bool cannot_gain(const ls_thread_policy *policy, const ls_slot_policy *slot, uint64_t alone)
{
    uint64_t shared = slot->work / policy->threads;
    shared = shared > slot->makespan ? shared : slot->makespan;
    return alone < MICROSECONDS_TO_SHARE * ls_cycles_us() || shared * 20 > slot->work * 19;
}

static bool has_hint(const ls_thread_policy *policy, uint32_t first, uint32_t end)
{
    uint32_t i = first;
    while (i < end && !policy->is_hint[i])
        i++;
    return i < end;
}

static void restart(ls_thread_policy *policy, const ls_world *world, uint32_t threads)
{
    policy->threads = threads;
    for (uint32_t i = 0; i < world->program->stage_count; i++) {
        const ls_plan_stage *stage = &world->program->stages[i];
        uint32_t first = stage->first[1], end = stage->first[2];
        if (first == end)
            continue;
        ls_slot_policy *slot = &policy->slots[first];
        *slot = (ls_slot_policy){.countdown = MEASURED_AT + 1, .has_home = slot->has_home};
        rank_systems(policy, world, first, end);
        slot->is_shared = !stage->stage->main_thread && has_hint(policy, first, end) &&
                          !cannot_gain(policy, slot, slot->work);
    }
}

static void note_homes(ls_thread_policy *policy, const ls_program *program)
{
    for (uint32_t i = 0; i < program->stage_count; i++) {
        uint32_t first = program->stages[i].first[1], end = program->stages[i].first[2];
        for (uint32_t j = first; j < end; j++)
            policy->slots[first].has_home |= program->systems[j].system->home_thread != 0;
    }
}

ls_thread_policy *ls_thread_policy_create(const ls_program *program)
{
    ls_thread_policy *policy = ls_alloc(sizeof *policy);
    size_t count = program->system_count;
    policy->times = ls_alloc(sizeof *policy->times * count);
    policy->is_hint = ls_alloc(sizeof *policy->is_hint * count);
    policy->spent = ls_alloc(sizeof *policy->spent * count);
    policy->shared_times = ls_alloc(sizeof *policy->shared_times * count);
    policy->ranks = ls_alloc(sizeof *policy->ranks * count);
    policy->order = ls_alloc(sizeof *policy->order * count);
    policy->items = ls_alloc(sizeof *policy->items * count);
    policy->scratch = ls_alloc(sizeof *policy->scratch * count);
    policy->slots = ls_alloc(sizeof *policy->slots * count);
    policy->list_scratch = ls_alloc(ls_list_schedule_scratch_bytes(program->system_count));
    for (uint32_t i = 0; i < count; i++) {
        const ls_system *system = program->systems[i].system;
        policy->times[i] = system->cost_ns * ls_cycles_us() / 1000;
        policy->is_hint[i] = policy->times[i] > 0;
    }
    note_homes(policy, program);
    return policy;
}

void ls_thread_policy_destroy(ls_thread_policy *policy)
{
    if (!policy)
        return;
    ls_free(policy->times);
    ls_free(policy->is_hint);
    ls_free(policy->spent);
    ls_free(policy->shared_times);
    ls_free(policy->ranks);
    ls_free(policy->order);
    ls_free(policy->items);
    ls_free(policy->scratch);
    ls_free(policy->slots);
    ls_free(policy->list_scratch);
    ls_free(policy);
}

void ls_thread_policy_begin(ls_thread_policy *policy, const ls_world *world, uint32_t threads,
                            ls_thread_policy_run *run)
{
    if (policy->threads != threads)
        restart(policy, world, threads);
    const ls_slot_policy *slot = &policy->slots[run->first];
    uint32_t countdown = slot->countdown;
    if (countdown > MEASURED_AT) {
        run->is_measured = slot->is_shared && countdown % MEASURED_EVERY == 0;
        run->is_timed = countdown % TIMED_EVERY == 1;
    } else {
        run->is_measured = countdown == MEASURED_AT;
        run->is_timed = !run->is_measured;
    }
    run->is_timed &= !run->is_forced;
    run->is_shared = run->is_forced || slot->is_shared != (countdown < TIMED_RUNS);
    run->started = run->is_timed ? ls_cycles() : 0;
}

/* A single long wait, such as a preemption, must not dominate a system's average. Relaxed: the
 * threads that add to `spent` have left the work queue, whose return orders this after them. */
static void update_times(ls_thread_policy *policy, const ls_world *world,
                         const ls_thread_policy_run *run)
{
    for (uint32_t i = run->first; i < run->end; i++) {
        uint64_t spent = atomic_exchange_explicit(&policy->spent[i], 0, memory_order_relaxed);
        uint64_t time = policy->is_hint[i] ? 0 : policy->times[i];
        /* Without a cycle counter nothing replaces the hint. */
        if (world->scratch->runs[i].is_off || (policy->is_hint[i] && spent == 0))
            continue;
        policy->is_hint[i] = false;
        spent = time && spent > time * 8 ? time * 8 : spent;
        policy->times[i] = time ? time - time / 4 + spent / 4 + 1 : spent;
    }
    rank_systems(policy, world, run->first, run->end);
}

static void choose(ls_slot_policy *slot)
{
    bool is_better =
        slot->is_shared ? slot->best[0] <= slot->best[1] : slot->best[1] * 20 < slot->best[0] * 19;
    slot->is_shared ^= is_better;
    set_countdown(slot, is_better ? 0 : slot->hold_runs * 2);
}

/* After two timed runs in a row that were far from the best time, the choice is made again. */
static void check_for_outlier(ls_slot_policy *slot, uint64_t time)
{
    uint64_t best = slot->best[slot->is_shared];
    bool is_outlier = time / 3 > best || (time < best / 3);
    slot->outliers =
        is_outlier && time > MICROSECONDS_TO_SHARE * ls_cycles_us() ? slot->outliers + 1 : 0;
    if (slot->outliers < 2)
        return;
    set_countdown(slot, 0);
    slot->countdown = MEASURED_AT + 1;
}

static void note_time(ls_slot_policy *slot, const ls_thread_policy_run *run)
{
    uint64_t time = ls_cycles() - run->started;
    if (slot->countdown > MEASURED_AT)
        check_for_outlier(slot, time);
    else if (time < slot->best[run->is_shared])
        slot->best[run->is_shared] = time;
}

void ls_thread_policy_shuffle(ls_thread_policy *policy, ls_thread_policy_run *run,
                              ls_random_stream stream)
{
    policy->slots[run->first].hold =
        (ls_list_schedule_hold){LS_LIST_SCHEDULE_NONE, LS_LIST_SCHEDULE_NONE};
    for (uint32_t i = run->first; i < run->end; i++) {
        uint32_t other =
            run->first + ls_random_below(ls_random_draw(stream, i), i - run->first + 1);
        policy->order[i] = policy->order[other];
        policy->order[other] = i;
    }
    run->is_shared = true;
    run->is_measured = run->is_timed = false;
}

void ls_thread_policy_end(ls_thread_policy *policy, const ls_world *world,
                          const ls_thread_policy_run *run)
{
    ls_slot_policy *slot = &policy->slots[run->first];
    if (run->is_measured)
        update_times(policy, world, run);
    if (run->is_timed)
        note_time(slot, run);
    if (slot->countdown == MEASURED_AT)
        slot->best[0] = slot->best[1] = UINT64_MAX;
    if (run->is_forced && slot->countdown == MEASURED_AT)
        set_countdown(slot, MEASURED_EVERY);
    else if (slot->countdown == TIMED_RUNS && !slot->is_shared &&
             cannot_gain(policy, slot, slot->best[0]))
        set_countdown(slot, slot->hold_runs * 2);
    else if (slot->countdown == 0)
        choose(slot);
    else
        slot->countdown--;
}

bool ls_thread_policy_is_shared(const ls_thread_policy *policy, const ls_program *program)
{
    for (uint32_t i = 0; i < program->stage_count; i++) {
        const uint32_t *first = program->stages[i].first;
        if (first[1] < first[2] && policy->slots[first[1]].is_shared)
            return true;
    }
    return false;
}

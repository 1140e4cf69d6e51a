/* Simulates the order in which the executor starts systems. Upward ranks consider the longest path,
 * but not that there are fewer workers than paths. If the simulated time with them is well above a
 * lower bound, better ranks are searched: each system is moved as late as possible in the simulated
 * schedule, then ranks are exchanged while trials are left. A single extra wait between two systems
 * can achieve what no ranks can. */
#include "core/schedule/list_schedule.h"

#include <string.h>

/* The greatest rank among the systems that wait for this system. Later systems that are only kept
 * apart from it count, too, although either may come first: the executor starts the one with the
 * lower position if nothing else decides. */
static uint64_t rank_after(const ls_plan_system *plan, const uint64_t *ranks)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < plan->successor_count + plan->apart_count; i++) {
        uint64_t rank = ranks[plan->successors[i]];
        longest = rank > longest ? rank : longest;
    }
    return longest;
}

void ls_list_schedule_upward(const ls_plan_system *systems, uint32_t first, uint32_t end,
                             const uint64_t *times, uint64_t *ranks)
{
    for (uint32_t i = end; i-- > first;)
        ranks[i] = times[i] + rank_after(&systems[i], ranks);
}

/* Times vary from tick to tick. So other ranks must save at least 1 / GAIN_MIN of the time. A hold
 * must save at least 1 / HOLD_GAIN_MIN, because it costs time when it does not help. */
enum { GAIN_MIN = 64, HOLD_GAIN_MIN = 32, JUSTIFICATIONS_MAX = 8 };

enum { TRIALS_MIN = 16, TRIALS_MAX = 200, TRIALS_TIMES_SYSTEMS = 10000 };

uint32_t ls_list_schedule_default_trials(uint32_t count)
{
    uint32_t trials = TRIALS_TIMES_SYSTEMS / (count + 1);
    return trials < TRIALS_MIN ? TRIALS_MIN : trials < TRIALS_MAX ? trials : TRIALS_MAX;
}

typedef struct work_arrays {
    uint64_t *trial; /* ranks being tried, by position */
    uint64_t *ends;  /* end time of each system, by position */
    uint32_t *pending;
    uint32_t *heap; /* priority queue of ready positions */
    ls_list_schedule_hold hold;
} work_arrays;

static const ls_list_schedule_hold no_hold = {LS_LIST_SCHEDULE_NONE, LS_LIST_SCHEDULE_NONE};

static work_arrays arrays_in(const ls_list_schedule_job *job, void *scratch)
{
    uint64_t *words = scratch;
    uint32_t *halves = (uint32_t *)(words + 2 * (size_t)job->end);
    return (work_arrays){words, words + job->end, halves, halves + job->end, no_hold};
}

size_t ls_list_schedule_scratch_bytes(uint32_t end)
{
    return (2 * sizeof(uint64_t) + 2 * sizeof(uint32_t)) * (size_t)end;
}

static bool is_above(const uint64_t *keys, uint32_t a, uint32_t b)
{
    return keys[a] > keys[b] || (keys[a] == keys[b] && a < b);
}

static void heap_push(uint32_t *heap, uint32_t *count, const uint64_t *keys, uint32_t added)
{
    uint32_t at = (*count)++;
    for (uint32_t above; at > 0 && is_above(keys, added, heap[above = (at - 1) / 2]); at = above)
        heap[at] = heap[above];
    heap[at] = added;
}

static uint32_t heap_pop(uint32_t *heap, uint32_t *count, const uint64_t *keys)
{
    uint32_t top = heap[0], last = heap[--*count], at = 0;
    for (uint32_t below = 1; below < *count; below = 2 * at + 1) {
        below += below + 1 < *count && is_above(keys, heap[below + 1], heap[below]);
        if (!is_above(keys, heap[below], last))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = last;
    return top;
}

/* A system takes at least 1, so that it always starts later than the systems that it waits for. */
static uint64_t time_of(const ls_list_schedule_job *job, uint32_t position)
{
    return job->times[position] ? job->times[position] : 1;
}

typedef struct busy_workers {
    uint32_t count;
    uint32_t positions[LS_THREADS_MAX];
} busy_workers;

static void end_wait(uint32_t position, const uint64_t *ranks, work_arrays *arrays, uint32_t *ready)
{
    if (--arrays->pending[position] == 0)
        heap_push(arrays->heap, ready, ranks, position);
}

static void release(const ls_list_schedule_job *job, uint32_t ended, const uint64_t *ranks,
                    work_arrays *arrays, uint32_t *ready)
{
    const ls_plan_system *plan = &job->systems[ended];
    for (uint32_t i = 0; i < plan->successor_count + plan->apart_count; i++)
        end_wait(plan->successors[i], ranks, arrays, ready);
    if (ended == arrays->hold.earlier)
        end_wait(arrays->hold.later, ranks, arrays, ready);
}

/* Advances to the time at which the next system ends, and releases the systems that wait for those
 * that end then. Returns that time. */
static uint64_t step(const ls_list_schedule_job *job, busy_workers *busy, const uint64_t *ranks,
                     work_arrays *arrays, uint32_t *ready)
{
    uint64_t now = UINT64_MAX;
    for (uint32_t i = 0; i < busy->count; i++)
        now = arrays->ends[busy->positions[i]] < now ? arrays->ends[busy->positions[i]] : now;
    for (uint32_t i = busy->count; i-- > 0;) {
        uint32_t position = busy->positions[i];
        if (arrays->ends[position] != now)
            continue;
        busy->positions[i] = busy->positions[--busy->count];
        release(job, position, ranks, arrays, ready);
    }
    return now;
}

/* The makespan with these ranks; UINT64_MAX when systems wait for each other. */
static uint64_t simulate(const ls_list_schedule_job *job, const uint64_t *ranks,
                         work_arrays *arrays)
{
    uint32_t ready = 0, left = job->end - job->first;
    uint64_t now = 0;
    busy_workers busy = {0};
    for (uint32_t i = job->first; i < job->end; i++) {
        const ls_plan_system *plan = &job->systems[i];
        arrays->pending[i] =
            plan->predecessor_count + plan->apart_before_count + (i == arrays->hold.later);
        if (arrays->pending[i] == 0)
            heap_push(arrays->heap, &ready, ranks, i);
    }
    while (ready + busy.count > 0) {
        while (ready > 0 && busy.count < job->workers) {
            uint32_t position = heap_pop(arrays->heap, &ready, ranks);
            arrays->ends[position] = now + time_of(job, position);
            busy.positions[busy.count++] = position;
            left--;
        }
        now = step(job, &busy, ranks, arrays, &ready);
    }
    return left ? UINT64_MAX : now;
}

/* Times count backwards from the end of the slot. Returns the worker that becomes free last but not
 * after `wanted`; otherwise the one that is free first. */
static uint32_t best_fit(const uint64_t *free_from, uint32_t workers, uint64_t wanted)
{
    uint32_t chosen = 0;
    for (uint32_t i = 1; i < workers; i++) {
        bool fits = free_from[i] <= wanted, chosen_fits = free_from[chosen] <= wanted;
        if (fits == chosen_fits ? (free_from[i] > free_from[chosen]) == fits : fits)
            chosen = i;
    }
    return chosen;
}

/* Moves each system of the last simulated schedule as late as possible, beginning with the one that
 * ended last. Its rank becomes the time from its new start to the end of the slot: the upward rank
 * plus any wait for a worker. */
static void justify(const ls_list_schedule_job *job, work_arrays *arrays)
{
    uint64_t free_from[LS_THREADS_MAX] = {0};
    uint32_t count = 0;
    for (uint32_t i = job->first; i < job->end; i++)
        heap_push(arrays->heap, &count, arrays->ends, i);
    while (count > 0) {
        uint32_t position = heap_pop(arrays->heap, &count, arrays->ends);
        uint64_t from = rank_after(&job->systems[position], arrays->trial);
        uint32_t worker = best_fit(free_from, job->workers, from);
        from = free_from[worker] > from ? free_from[worker] : from;
        arrays->trial[position] = free_from[worker] = from + time_of(job, position);
    }
}

static uint64_t lower_bound(const ls_list_schedule_job *job, const uint64_t *upward)
{
    uint64_t work = 0, longest = 0;
    for (uint32_t i = job->first; i < job->end; i++) {
        work += time_of(job, i);
        longest = upward[i] > longest ? upward[i] : longest;
    }
    uint64_t share = (work + job->workers - 1) / job->workers;
    return share > longest ? share : longest;
}

typedef struct rank_search {
    const ls_list_schedule_job *job;
    work_arrays arrays;
    uint64_t *ranks; /* the best ranks so far */
    uint64_t makespan, enough;
    uint32_t trials;
} rank_search;

static uint64_t try_ranks(rank_search *search)
{
    search->trials--;
    uint64_t makespan = simulate(search->job, search->arrays.trial, &search->arrays);
    if (makespan < search->makespan) {
        uint32_t first = search->job->first;
        memcpy(search->ranks + first, search->arrays.trial + first,
               sizeof *search->ranks * (search->job->end - first));
        search->makespan = makespan;
    }
    return makespan;
}

static void justify_twice(rank_search *search)
{
    for (uint32_t i = 0; i < JUSTIFICATIONS_MAX && search->trials; i++) {
        if (search->makespan <= search->enough)
            return;
        justify(search->job, &search->arrays);
        try_ranks(search);
    }
}

/* A fixed pseudo-random sequence; it only has to be reproducible, with a long period. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 32) * below >> 32);
}

/* Exchanges the ranks of two systems, and keeps the exchange if the makespan is not longer. */
static void exchange(rank_search *search)
{
    uint64_t *trial = search->arrays.trial, at = search->makespan, random = 1;
    uint32_t first = search->job->first, count = search->job->end - first;
    memcpy(trial + first, search->ranks + first, sizeof *trial * count);
    while (search->trials && search->makespan > search->enough) {
        uint32_t a = first + draw(&random, count), b = first + draw(&random, count);
        uint64_t rank = trial[a];
        trial[a] = trial[b];
        trial[b] = rank;
        uint64_t makespan = try_ranks(search);
        if (makespan <= at) {
            at = makespan;
            continue;
        }
        trial[b] = trial[a];
        trial[a] = rank;
    }
}

uint64_t ls_list_schedule_choose(const ls_list_schedule_job *job, uint64_t *ranks, void *scratch)
{
    if (job->first == job->end)
        return 0;
    rank_search search = {.job = job, .arrays = arrays_in(job, scratch), .ranks = ranks};
    ls_list_schedule_upward(job->systems, job->first, job->end, job->times, ranks);
    uint64_t bound = lower_bound(job, ranks);
    search.enough = bound + bound / GAIN_MIN;
    search.trials = job->trials;
    uint64_t upward = search.makespan = simulate(job, ranks, &search.arrays);
    justify_twice(&search);
    exchange(&search);
    if (search.makespan > upward - upward / GAIN_MIN) {
        ls_list_schedule_upward(job->systems, job->first, job->end, job->times, ranks);
        return upward;
    }
    return search.makespan;
}

/* Pair number `i` of all `count` * (`count` - 1) ordered pairs. */
static ls_list_schedule_hold pair_at(uint32_t first, uint32_t count, uint32_t i)
{
    uint32_t earlier = i / (count - 1), later = i % (count - 1);
    return (ls_list_schedule_hold){first + earlier, first + later + (later >= earlier)};
}

/* Tries all pairs if there are few; otherwise a pseudo-random selection. */
uint64_t ls_list_schedule_find_hold(const ls_list_schedule_job *job, const uint64_t *ranks,
                                    ls_list_schedule_hold *hold, void *scratch)
{
    work_arrays arrays = arrays_in(job, scratch);
    uint32_t count = job->end - job->first, pairs = count ? count * (count - 1) : 0;
    uint32_t trials = pairs < job->trials ? pairs : job->trials;
    *hold = no_hold;
    ls_list_schedule_upward(job->systems, job->first, job->end, job->times, arrays.trial);
    uint64_t bound = lower_bound(job, arrays.trial), random = 1;
    uint64_t shortest = simulate(job, ranks, &arrays), without = shortest;
    for (uint32_t i = 0; i < trials && shortest > bound + bound / HOLD_GAIN_MIN; i++) {
        arrays.hold = pair_at(job->first, count, trials == pairs ? i : draw(&random, pairs));
        uint64_t makespan = simulate(job, ranks, &arrays);
        if (makespan >= shortest || makespan > without - without / HOLD_GAIN_MIN)
            continue;
        shortest = makespan;
        *hold = arrays.hold;
    }
    return shortest;
}

/* The exact search schedules systems in the order of their start times, each on the worker that is
 * free first: some optimal schedule has this form. A subproblem is the set of scheduled systems,
 * the times when workers are free, and the ends of systems with waiting successors. A state is
 * dropped when another state of the same set is nowhere later, or when its lower bound reaches the
 * best known schedule. In the greedy variant an earlier end can be worse, so only equal states are
 * dropped. */
#include "benches/schedule/makespan.h"

#include <lockstep/base.h>

#include <string.h>

uint64_t makespan_by_rank_with(const graph *given, const uint64_t *ranks, uint32_t workers,
                               ls_list_schedule_hold hold)
{
    enum { WAITING, RUNNING, ENDED };
    uint8_t *phases = ls_alloc(given->count);
    uint64_t *ends = ls_alloc(sizeof *ends * given->count), now = 0;
    uint32_t running = 0;
    for (uint32_t left = given->count; left > 0;) {
        uint32_t chosen = UINT32_MAX;
        for (uint32_t i = 0; i < given->count && running < workers; i++) {
            bool is_ready = phases[i] == WAITING;
            for (uint32_t j = 0; j < given->nodes[i].before_count; j++)
                is_ready &= phases[given->nodes[i].before[j]] == ENDED;
            if (i == hold.later)
                is_ready &= phases[hold.earlier] == ENDED;
            if (is_ready && (chosen == UINT32_MAX || ranks[i] > ranks[chosen]))
                chosen = i;
        }
        if (chosen != UINT32_MAX) {
            phases[chosen] = RUNNING;
            ends[chosen] = now + given->times[chosen];
            running++;
            continue;
        }
        uint64_t next = UINT64_MAX;
        for (uint32_t i = 0; i < given->count; i++)
            next = phases[i] == RUNNING && ends[i] < next ? ends[i] : next;
        LS_ASSERT(next != UINT64_MAX); /* otherwise systems wait for each other */
        now = next;
        for (uint32_t i = 0; i < given->count; i++) {
            if (phases[i] != RUNNING || ends[i] != now)
                continue;
            phases[i] = ENDED;
            running--;
            left--;
        }
    }
    ls_free(phases);
    ls_free(ends);
    return now;
}

uint64_t makespan_by_rank(const graph *given, const uint64_t *ranks, uint32_t workers)
{
    const ls_list_schedule_hold not_held = {LS_LIST_SCHEDULE_NONE, LS_LIST_SCHEDULE_NONE};
    return makespan_by_rank_with(given, ranks, workers, not_held);
}

typedef struct state {
    uint32_t next;                            /* next state of the same set, or NONE */
    uint32_t free_from[MAKESPAN_WORKERS_MAX]; /* ascending; at least the last start */
    uint32_t ends[MAKESPAN_EXACT_MAX]; /* by system: its end; 0 when no unscheduled system waits for
                                          it */
} state;

enum { SETS = 1 << MAKESPAN_EXACT_MAX, NONE = UINT32_MAX };

typedef struct exact {
    uint32_t count, workers;
    bool is_greedy; /* no worker idles while a system is ready */
    /* By system: the sets of its predecessors and successors. */
    uint32_t before[MAKESPAN_EXACT_MAX], after[MAKESPAN_EXACT_MAX];
    uint32_t times[MAKESPAN_EXACT_MAX];
    uint32_t ways[MAKESPAN_EXACT_MAX]; /* longest path from the system's start to the end */
    uint32_t shortest;
    uint32_t heads[SETS]; /* by set of scheduled systems: its first state */
    state *states;
    uint32_t state_count, state_room, spare;
} exact;

/* The earliest start of a system, if unscheduled systems had unlimited workers. */
static uint32_t earliest(const exact *self, const state *from, const uint32_t *ends, uint32_t i)
{
    uint32_t start = from->free_from[0];
    for (uint32_t left = self->before[i]; left; left &= left - 1) {
        uint32_t end = ends[__builtin_ctz(left)];
        start = end > start ? end : start;
    }
    return start;
}

static uint32_t bound(const exact *self, const state *from, uint32_t taken)
{
    uint32_t ends[MAKESPAN_EXACT_MAX], sum = self->workers - 1;
    uint32_t min = from->free_from[self->workers - 1];
    for (uint32_t i = 0; i < self->workers; i++)
        sum += from->free_from[i];
    for (uint32_t i = 0; i < self->count; i++) {
        ends[i] = from->ends[i];
        if (taken >> i & 1)
            continue;
        uint32_t start = earliest(self, from, ends, i);
        ends[i] = start + self->times[i];
        min = start + self->ways[i] > min ? start + self->ways[i] : min;
        sum += self->times[i];
    }
    return sum / self->workers > min ? sum / self->workers : min;
}

/* Whether the best schedule that continues `a` is at least as short as the best that continues
 * `b`. */
static bool is_as_good(const exact *self, const state *a, const state *b)
{
    for (uint32_t i = 0; i < self->workers; i++) {
        if (self->is_greedy ? a->free_from[i] != b->free_from[i]
                            : a->free_from[i] > b->free_from[i])
            return false;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        if (self->is_greedy ? a->ends[i] != b->ends[i] : a->ends[i] > b->ends[i])
            return false;
    }
    return true;
}

static uint32_t take_spare(exact *self)
{
    if (self->spare != NONE) {
        uint32_t taken = self->spare;
        self->spare = self->states[taken].next;
        return taken;
    }
    if (self->state_count == self->state_room) {
        self->state_room = self->state_room ? 2 * self->state_room : 1024;
        self->states = ls_realloc(self->states, sizeof *self->states * self->state_room);
    }
    return self->state_count++;
}

static void insert(exact *self, const state *made, uint32_t set)
{
    for (uint32_t i = self->heads[set]; i != NONE; i = self->states[i].next) {
        if (is_as_good(self, &self->states[i], made))
            return;
    }
    for (uint32_t *link = &self->heads[set]; *link != NONE;) {
        uint32_t i = *link;
        if (!is_as_good(self, made, &self->states[i])) {
            link = &self->states[i].next;
            continue;
        }
        *link = self->states[i].next;
        self->states[i].next = self->spare;
        self->spare = i;
    }
    uint32_t at = take_spare(self);
    self->states[at] = *made;
    self->states[at].next = self->heads[set];
    self->heads[set] = at;
}

/* Starts a system on the worker that is free first; no later system starts earlier. */
static void start_system(const exact *self, state *from, uint32_t i, uint32_t set)
{
    uint32_t start = earliest(self, from, from->ends, i), end = start + self->times[i], at = 0;
    for (; at + 1 < self->workers && from->free_from[at + 1] < end; at++)
        from->free_from[at] = from->free_from[at + 1];
    from->free_from[at] = end;
    for (at = 0; at < self->workers; at++)
        from->free_from[at] = from->free_from[at] < start ? start : from->free_from[at];
    from->ends[i] = end;
    for (at = 0; at < self->count; at++) {
        if (from->ends[at] <= from->free_from[0] || (self->after[at] & ~set) == 0)
            from->ends[at] = 0;
    }
}

static bool may_follow(const exact *self, uint32_t i, uint32_t set)
{
    return (set >> i & 1) == 0 && (self->before[i] & ~set) == 0;
}

/* The latest start of the next system; the greedy variant allows only the earliest. */
static uint32_t latest_start(const exact *self, const state *from, uint32_t set)
{
    uint32_t latest = UINT32_MAX;
    for (uint32_t i = 0; i < self->count && self->is_greedy; i++) {
        uint32_t start = earliest(self, from, from->ends, i);
        if (may_follow(self, i, set) && start < latest)
            latest = start;
    }
    return latest;
}

static void expand(exact *self, uint32_t from, uint32_t set)
{
    uint32_t latest = latest_start(self, &self->states[from], set);
    for (uint32_t i = 0; i < self->count; i++) {
        const state *before = &self->states[from];
        if (!may_follow(self, i, set) || earliest(self, before, before->ends, i) > latest)
            continue;
        state made = self->states[from];
        uint32_t grown = set | 1u << i;
        start_system(self, &made, i, grown);
        uint32_t min = bound(self, &made, grown);
        if (min >= self->shortest)
            continue;
        if (grown == (1u << self->count) - 1)
            self->shortest = min;
        else
            insert(self, &made, grown);
    }
}

static void load(exact *self, const graph *given)
{
    for (uint32_t i = self->count; i-- > 0;) {
        self->times[i] = self->ways[i] = (uint32_t)given->times[i];
        for (uint32_t left = self->after[i]; left; left &= left - 1) {
            uint32_t way = self->times[i] + self->ways[__builtin_ctz(left)];
            self->ways[i] = way > self->ways[i] ? way : self->ways[i];
        }
        for (uint32_t j = 0; j < given->nodes[i].before_count; j++) {
            self->before[i] |= 1u << given->nodes[i].before[j];
            self->after[given->nodes[i].before[j]] |= 1u << i;
        }
    }
}

static uint64_t find(const graph *given, uint32_t workers, uint64_t known, bool is_greedy)
{
    LS_ASSERT(given->count <= MAKESPAN_EXACT_MAX && workers <= MAKESPAN_WORKERS_MAX);
    if (known <= graph_bound(given, workers))
        return known;
    exact *self = ls_alloc(sizeof *self);
    self->count = given->count;
    self->workers = workers;
    self->is_greedy = is_greedy;
    self->spare = NONE;
    self->shortest = (uint32_t)known;
    memset(self->heads, 0xff, sizeof self->heads);
    load(self, given);
    const state nothing = {.next = NONE};
    insert(self, &nothing, 0);
    /* In numeric order, a set comes after all of its subsets. */
    for (uint32_t set = 0; set + 1 < 1u << self->count; set++) {
        for (uint32_t i = self->heads[set]; i != NONE; i = self->states[i].next) {
            if (bound(self, &self->states[i], set) < self->shortest)
                expand(self, i, set);
        }
    }
    uint64_t shortest = self->shortest;
    ls_free(self->states);
    ls_free(self);
    return shortest;
}

uint64_t makespan_optimum(const graph *given, uint32_t workers, uint64_t known)
{
    return find(given, workers, known, false);
}

uint64_t makespan_greedy_optimum(const graph *given, uint32_t workers, uint64_t known)
{
    return find(given, workers, known, true);
}

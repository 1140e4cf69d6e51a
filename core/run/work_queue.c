#include "core/run/work_queue.h"

#include "core/base/platform.h"
#include "core/base/platform_cpu.h"
#include "core/run/run.h"

#include <string.h>

enum {
    PAUSES_MAX = 16,
    /* Handing work to another thread costs about 0.2 us; the work should take several times as
     * long. */
    MICROSECONDS_AT_ONCE = 1,
};

/* One worker. It reports the systems that it has ended only when it finds no more work, because
 * each update of shared state costs all threads time. */
struct worker {
    ls_work_queue *queue;
    uint32_t thread;
    uint32_t ended;
};

static uint32_t position_at(const ls_work_queue *queue, uint32_t place)
{
    return queue->policy->order[queue->run->first + place];
}

/* Release: pairs with take_ready() for `ready`, with take_one() for `open`. */
static void post(_Atomic uint64_t *words, uint32_t place)
{
    atomic_fetch_or_explicit(&words[place / 64], (uint64_t)1 << (place % 64), memory_order_release);
}

/* Relaxed: a hint for what to take; take_ready() acquires. */
static uint64_t load_word(const _Atomic uint64_t *words, uint32_t word)
{
    return atomic_load_explicit(&words[word], memory_order_relaxed);
}

/* Release for each predecessor; acquire so that the last one hands on what the others did. */
static void release(ls_work_queue *queue, uint32_t position)
{
    ls_run *run = &queue->job->world->scratch->runs[position];
    if (atomic_fetch_sub_explicit(&run->pending, 1, memory_order_acq_rel) == 1)
        post(queue->ready, queue->places[position - queue->run->first]);
}

static void end_system(struct worker *worker, uint32_t position)
{
    ls_work_queue *queue = worker->queue;
    ls_world *world = queue->job->world;
    const ls_plan_system *plan = &world->program->systems[position];
    if (!world->scratch->runs[position].is_off)
        ls_run_end(queue->job, position);
    for (uint32_t i = 0; i < plan->successor_count + plan->apart_count; i++)
        release(queue, plan->successors[i]);
    if (queue->hold.earlier == position)
        release(queue, queue->hold.later);
    worker->ended++;
}

/* The number of chunks that a thread takes at once. Shares shrink towards the end, so that all
 * threads finish at about the same time. No share is too small to be worth handing over. */
static uint32_t share_of(const ls_work_queue *queue, uint32_t position, uint32_t left)
{
    uint32_t chunks = queue->job->world->scratch->runs[position].chunks;
    uint64_t share = left / (2 * queue->threads);
    uint64_t time = queue->policy->times[position], min = 1;
    if (!queue->run->is_forced && time)
        min = MICROSECONDS_AT_ONCE * ls_cycles_us() * chunks / time;
    share = share < min ? min : share;
    share = share < left ? share : left;
    return share ? (uint32_t)share : 1;
}

/* The first ready system of the word that may run only on this thread, as a bit; 0: none. */
static uint64_t first_tied(const struct worker *worker, uint32_t word)
{
    const ls_work_queue *queue = worker->queue;
    for (uint64_t bits = load_word(queue->ready, word) & queue->tied[word]; bits;
         bits &= bits - 1) {
        if (queue->homes[word * 64 + (uint32_t)__builtin_ctzll(bits)] == worker->thread)
            return bits & -bits;
    }
    return 0;
}

static bool is_home(const struct worker *worker)
{
    return worker->queue->tying >> worker->thread & 1;
}

/* Whether a system of a higher rank than the system at `place` is ready for this thread, or a
 * system that only this thread may run. */
static bool has_better(const struct worker *worker, uint32_t place)
{
    const ls_work_queue *queue = worker->queue;
    for (uint32_t word = 0; word <= place / 64; word++) {
        uint64_t above = word < place / 64 ? UINT64_MAX : ((uint64_t)1 << (place % 64)) - 1;
        if (load_word(queue->ready, word) & ~queue->tied[word] & above)
            return true;
    }
    for (uint32_t word = 0; is_home(worker) && word < queue->words; word++) {
        if (first_tied(worker, word))
            return true;
    }
    return false;
}

/* Every other thread takes pages from the last on. So from tick to tick a thread has most of the
 * same pages, and finds them in its own cache. The low half of `next` counts the pages that were
 * taken from the first on, the high half the pages that were taken from the last on. */
static bool is_from_last(const struct worker *worker)
{
    return worker->thread % 2;
}

static uint64_t count_taken(const struct worker *worker, uint32_t share)
{
    return is_from_last(worker) ? (uint64_t)share << 32 : share;
}

static uint32_t first_of(const struct worker *worker, uint64_t before, uint32_t share,
                         uint32_t chunks)
{
    return is_from_last(worker) ? chunks - (uint32_t)(before >> 32) - share : (uint32_t)before;
}

/* The pages that are left. Threads that come too late also count up, so the sum may exceed the
 * number of pages. */
static uint32_t count_left(uint64_t taken, uint32_t chunks)
{
    uint64_t count = (taken >> 32) + (uint32_t)taken;
    return count < chunks ? chunks - (uint32_t)count : 0;
}

/* Runs shares of a system's remaining pages until none are left or a better system is ready.
 * Returns the number of pages that it ran. Relaxed: `next` only deals out numbers, each once; the
 * bit in `open` has published the pages. Clearing that bit publishes nothing. */
static uint32_t run_shares(const struct worker *worker, uint32_t place, uint32_t position)
{
    ls_work_queue *queue = worker->queue;
    ls_run *run = &queue->job->world->scratch->runs[position];
    uint32_t chunks = run->chunks, done = 0;
    while (!done || !has_better(worker, place)) {
        uint32_t left = count_left(atomic_load_explicit(&run->next, memory_order_relaxed), chunks);
        if (!left)
            break;
        uint32_t share = share_of(queue, position, left);
        uint64_t taken =
            atomic_fetch_add_explicit(&run->next, count_taken(worker, share), memory_order_relaxed);
        left = count_left(taken, chunks);
        if (share >= left)
            atomic_fetch_and_explicit(&queue->open[place / 64], ~((uint64_t)1 << (place % 64)),
                                      memory_order_relaxed);
        if (!left)
            break;
        share = left < share ? left : share;
        ls_run_chunk(queue->job, position, first_of(worker, taken, share, chunks), share,
                     &(ls_run_by){.worker = worker->thread});
        done += share;
    }
    return done;
}

/* Release publishes what this share did. The thread that completes the count ends the system;
 * acquire lets it see what all shares did. */
static void note_done(struct worker *worker, uint32_t position, uint32_t done)
{
    ls_run *run = &worker->queue->job->world->scratch->runs[position];
    uint32_t before = atomic_fetch_add_explicit(&run->done, done, memory_order_acq_rel);
    if (before + done == run->chunks)
        end_system(worker, position);
}

static void join(struct worker *worker, uint32_t place)
{
    uint32_t position = position_at(worker->queue, place);
    uint32_t done = run_shares(worker, place, position);
    if (done)
        note_done(worker, position, done);
}

/* Begins a system. Only this thread runs it until it posts the remaining pages for all threads. */
static void begin(struct worker *worker, uint32_t place)
{
    ls_work_queue *queue = worker->queue;
    uint32_t position = position_at(queue, place);
    ls_run *run = &queue->job->world->scratch->runs[position];
    const ls_run_by by = {.worker = worker->thread};
    if (!run->is_off)
        ls_run_begin(queue->job, position);
    uint32_t chunks = run->is_off ? 0 : run->chunks;
    bool is_tied = ls_bit_has(queue->tied, place);
    uint32_t share = is_tied || chunks < 2 ? chunks : share_of(queue, position, chunks);
    if (share < chunks) {
        /* Relaxed: no other thread reads `next` before the post, which publishes it. */
        atomic_store_explicit(&run->next, count_taken(worker, share), memory_order_relaxed);
        post(queue->open, place);
        ls_run_chunk(queue->job, position, first_of(worker, 0, share, chunks), share, &by);
        note_done(worker, position, share + run_shares(worker, place, position));
        return;
    }
    if (chunks)
        ls_run_chunk(queue->job, position, 0, chunks, &by);
    end_system(worker, position);
}

static void run_timed(struct worker *worker, void (*step)(struct worker *, uint32_t),
                      uint32_t place)
{
    const ls_work_queue *queue = worker->queue;
    uint64_t started = queue->run->is_measured ? ls_cycles() : 0;
    step(worker, place);
    if (queue->run->is_measured)
        ls_thread_policy_spend(queue->policy, position_at(queue, place), ls_cycles() - started);
}

/* The first ready system, with those after it as long as all together are short enough to take at
 * once. */
static uint64_t short_systems(const ls_work_queue *queue, uint32_t word, uint64_t ready)
{
    uint64_t some = 0, time = 0, limit = MICROSECONDS_AT_ONCE * ls_cycles_us();
    for (uint64_t bits = ready; bits && !queue->run->is_forced; bits &= bits - 1) {
        uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
        uint64_t one = queue->policy->times[position_at(queue, place)];
        if (one == 0 || time + one > limit)
            break;
        time += one;
        some |= bits & -bits;
    }
    return some ? some : ready & -ready;
}

/* The exchange decides which thread runs a system, and acquires what its predecessors did. */
static bool take_ready(struct worker *worker, uint32_t word, uint64_t wanted)
{
    uint64_t before =
        atomic_fetch_and_explicit(&worker->queue->ready[word], ~wanted, memory_order_acquire);
    for (uint64_t taken = before & wanted; taken; taken &= taken - 1)
        run_timed(worker, begin, word * 64 + (uint32_t)__builtin_ctzll(taken));
    return before & wanted;
}

/* A thread first takes work that only it may do; other threads can do the rest. */
static bool take_tied(struct worker *worker)
{
    const ls_work_queue *queue = worker->queue;
    for (uint32_t word = 0; word < queue->words; word++) {
        uint64_t ready = first_tied(worker, word);
        if (ready)
            return take_ready(worker, word, ready);
    }
    return false;
}

static bool take_one(struct worker *worker)
{
    const ls_work_queue *queue = worker->queue;
    if (is_home(worker) && take_tied(worker))
        return true;
    for (uint32_t word = 0; word < queue->words; word++) {
        uint64_t ready = load_word(queue->ready, word) & ~queue->tied[word];
        /* Acquire: join() reads what begin() set up on another thread. */
        uint64_t open = atomic_load_explicit(&queue->open[word], memory_order_acquire);
        if (open && (!ready || (open & -open) < (ready & -ready))) {
            run_timed(worker, join, word * 64 + (uint32_t)__builtin_ctzll(open));
            return true;
        }
        if (ready)
            return take_ready(worker, word, short_systems(queue, word, ready));
    }
    return false;
}

/* A worker without work polls less often after a while, because each poll takes a cache line from
 * the busy threads. */
static void work(void *argument, uint32_t thread)
{
    ls_work_queue *queue = argument;
    struct worker worker = {.queue = queue, .thread = thread};
    uint32_t spins = 0;
    for (;;) {
        if (take_one(&worker) || ls_parallel_for_help(&queue->loop)) {
            spins = 0;
            continue;
        }
        /* Release and acquire: thread 0 returns from the queue after all systems. The team's wait
         * for the workers would order this as well, but it comes later. */
        if (worker.ended)
            atomic_fetch_sub_explicit(&queue->left, worker.ended, memory_order_release);
        worker.ended = 0;
        if (atomic_load_explicit(&queue->left, memory_order_acquire) == 0)
            return;
        for (uint32_t i = 0; i <= spins && i < PAUSES_MAX; i++)
            ls_pause();
        if (++spins > LS_SPINS_BEFORE_YIELD)
            ls_thread_yield();
    }
}

static void tie(ls_work_queue *queue, uint32_t place, const ls_system *system)
{
    if (!system->main_thread && !system->home_thread)
        return;
    bool is_there = queue->has_homes && system->home_thread < queue->threads;
    queue->homes[place] = is_there ? system->home_thread : 0;
    ls_bit_set(queue->tied, place);
    queue->tying |= (uint64_t)1 << queue->homes[place];
}

/* Counts predecessors. Systems that may not run at the same time wait as if they were ordered.
 * Relaxed and plain: no worker is inside yet, and ls_team_run() publishes all of it. */
static void set_up(ls_work_queue *queue)
{
    ls_world *world = queue->job->world;
    uint32_t first = queue->run->first, count = queue->run->end - first;
    queue->hold = queue->policy->slots[first].hold;
    queue->words = LS_BIT_WORDS(count);
    queue->tying = 0;
    memset(queue->tied, 0, sizeof queue->tied[0] * queue->words);
    memset(queue->ready, 0, sizeof queue->ready[0] * queue->words);
    memset(queue->open, 0, sizeof queue->open[0] * queue->words);
    atomic_store_explicit(&queue->left, count, memory_order_relaxed);
    for (uint32_t place = 0; place < count; place++) {
        uint32_t position = position_at(queue, place);
        const ls_plan_system *plan = &world->program->systems[position];
        uint32_t pending =
            plan->predecessor_count + plan->apart_before_count + (queue->hold.later == position);
        queue->places[position - first] = (uint16_t)place;
        atomic_store_explicit(&world->scratch->runs[position].pending, pending,
                              memory_order_relaxed);
        if (pending == 0)
            post(queue->ready, place);
        tie(queue, place, plan->system);
    }
}

void ls_work_queue_run(ls_work_queue *queue, ls_team *team, const ls_tick_job *job,
                       const ls_thread_policy_run *run)
{
    queue->job = job;
    queue->run = run;
    queue->policy = job->world->scratch->policy;
    queue->threads = queue->policy->threads;
    set_up(queue);
    queue->loop.threads = queue->threads;
    job->world->scratch->loop = &queue->loop;
    ls_team_run(team, work, queue);
    job->world->scratch->loop = NULL;
}

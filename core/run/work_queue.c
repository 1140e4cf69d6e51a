#include "core/run/work_queue.h"

#include "core/base/cycle_counter.h"
#include "core/run/run.h"

#include <sched.h>
#include <string.h>

enum {
    LOOKS_BEFORE_YIELD = 400,
    PAUSES_MAX = 16,
    /* To hand something over costs about a fifth of a microsecond; what is handed over should take
     * several times as long. */
    MICROSECONDS_AT_ONCE = 1,
};

/* One worker. It reports what it has ended when it finds nothing more to do, because each message
 * to the others costs both sides time. */
struct hand {
    ls_work_queue *board;
    uint32_t worker;
    uint32_t ended;
};

static uint32_t position_at(const ls_work_queue *board, uint32_t place)
{
    return board->pace->order[board->run->first + place];
}

static void post(_Atomic uint64_t *words, uint32_t place)
{
    atomic_fetch_or_explicit(&words[place / 64], (uint64_t)1 << (place % 64), memory_order_release);
}

static uint64_t look(const _Atomic uint64_t *words, uint32_t word)
{
    return atomic_load_explicit(&words[word], memory_order_relaxed);
}

static void release(ls_work_queue *board, uint32_t position)
{
    ls_run *run = &board->job->world->scratch->runs[position];
    if (atomic_fetch_sub_explicit(&run->pending, 1, memory_order_acq_rel) == 1)
        post(board->ready, board->places[position - board->run->first]);
}

static void end_system(struct hand *hand, uint32_t position)
{
    ls_work_queue *board = hand->board;
    ls_world *world = board->job->world;
    const ls_plan_system *plan = &world->program->systems[position];
    if (!world->scratch->runs[position].is_off)
        ls_run_end(board->job, position);
    for (uint32_t i = 0; i < plan->successor_count + plan->apart_count; i++)
        release(board, plan->successors[i]);
    if (board->hold.earlier == position)
        release(board, board->hold.later);
    hand->ended++;
}

/* Some now and more later: the shares become smaller, so that all end at about the same time. But
 * none so small that it were over sooner than handed on. */
static uint32_t share_of(const ls_work_queue *board, uint32_t position, uint32_t left)
{
    uint32_t chunks = board->job->world->scratch->runs[position].chunks;
    uint64_t share = left / (2 * board->threads);
    uint64_t time = board->pace->times[position], least = 1;
    if (!board->run->is_forced && time)
        least = MICROSECONDS_AT_ONCE * ls_cycles_us() * chunks / time;
    share = share < least ? least : share;
    share = share < left ? share : left;
    return share ? (uint32_t)share : 1;
}

/* Whether something of a higher rank than the place waits for this thread. */
static bool has_better(const struct hand *hand, uint32_t place)
{
    const ls_work_queue *board = hand->board;
    for (uint32_t word = 0; word <= place / 64; word++) {
        uint64_t above = word < place / 64 ? UINT64_MAX : ((uint64_t)1 << (place % 64)) - 1;
        if (look(board->ready, word) & ~board->callers[word] & above)
            return true;
    }
    for (uint32_t word = 0; hand->worker == 0 && board->has_callers && word < board->words;
         word++) {
        if (look(board->ready, word) & board->callers[word])
            return true;
    }
    return false;
}

/* Takes shares of the pages that are left, if there are any, and says how many pages it did. */
static uint32_t run_shares(const struct hand *hand, uint32_t place, uint32_t position)
{
    ls_work_queue *board = hand->board;
    ls_run *run = &board->job->world->scratch->runs[position];
    uint32_t chunks = run->chunks, done = 0;
    while (!done || !has_better(hand, place)) {
        uint32_t first = atomic_load_explicit(&run->next, memory_order_relaxed);
        if (first >= chunks)
            break;
        uint32_t share = share_of(board, position, chunks - first);
        first = atomic_fetch_add_explicit(&run->next, share, memory_order_relaxed);
        if (first + share >= chunks)
            atomic_fetch_and_explicit(&board->open[place / 64], ~((uint64_t)1 << (place % 64)),
                                      memory_order_relaxed);
        if (first >= chunks)
            break;
        share = chunks - first < share ? chunks - first : share;
        ls_run_chunk(board->job, position, first, share, &(ls_run_by){.worker = hand->worker});
        done += share;
    }
    return done;
}

static void note_done(struct hand *hand, uint32_t position, uint32_t done)
{
    ls_run *run = &hand->board->job->world->scratch->runs[position];
    uint32_t before = atomic_fetch_add_explicit(&run->done, done, memory_order_acq_rel);
    if (before + done == run->chunks)
        end_system(hand, position);
}

static void join(struct hand *hand, uint32_t place)
{
    uint32_t position = position_at(hand->board, place);
    uint32_t done = run_shares(hand, place, position);
    if (done)
        note_done(hand, position, done);
}

/* The place is this thread's alone, until pages that are left are put up for everybody. */
static void begin(struct hand *hand, uint32_t place)
{
    ls_work_queue *board = hand->board;
    uint32_t position = position_at(board, place);
    ls_run *run = &board->job->world->scratch->runs[position];
    const ls_run_by by = {.worker = hand->worker};
    if (!run->is_off)
        ls_run_begin(board->job, position);
    uint32_t chunks = run->is_off ? 0 : run->chunks;
    bool is_callers = ls_bit_has(board->callers, place);
    uint32_t share = is_callers || chunks < 2 ? chunks : share_of(board, position, chunks);
    if (share < chunks) {
        atomic_store_explicit(&run->next, share, memory_order_relaxed);
        post(board->open, place);
        ls_run_chunk(board->job, position, 0, share, &by);
        note_done(hand, position, share + run_shares(hand, place, position));
        return;
    }
    if (chunks)
        ls_run_chunk(board->job, position, 0, chunks, &by);
    end_system(hand, position);
}

static void timed(struct hand *hand, void (*step)(struct hand *, uint32_t), uint32_t place)
{
    const ls_work_queue *board = hand->board;
    uint64_t started = board->run->is_measured ? ls_cycles() : 0;
    step(hand, place);
    if (board->run->is_measured)
        ls_thread_policy_spend(board->pace, position_at(board, place), ls_cycles() - started);
}

/* The first ready system, and the short ones that follow it. */
static uint64_t some_of(const ls_work_queue *board, uint32_t word, uint64_t ready)
{
    uint64_t some = 0, time = 0, limit = MICROSECONDS_AT_ONCE * ls_cycles_us();
    for (uint64_t bits = ready; bits && !board->run->is_forced; bits &= bits - 1) {
        uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
        uint64_t one = board->pace->times[position_at(board, place)];
        if (one == 0 || time + one > limit)
            break;
        time += one;
        some |= bits & -bits;
    }
    return some ? some : ready & -ready;
}

static bool take_ready(struct hand *hand, uint32_t word, uint64_t wanted)
{
    uint64_t before =
        atomic_fetch_and_explicit(&hand->board->ready[word], ~wanted, memory_order_acquire);
    for (uint64_t mine = before & wanted; mine; mine &= mine - 1)
        timed(hand, begin, word * 64 + (uint32_t)__builtin_ctzll(mine));
    return before & wanted;
}

/* Work that only the caller may do comes first for it: the others may have other work. */
static bool take_callers(struct hand *hand)
{
    const ls_work_queue *board = hand->board;
    for (uint32_t word = 0; word < board->words; word++) {
        uint64_t ready = look(board->ready, word) & board->callers[word];
        if (ready)
            return take_ready(hand, word, ready & -ready);
    }
    return false;
}

static bool take_one(struct hand *hand)
{
    const ls_work_queue *board = hand->board;
    if (hand->worker == 0 && board->has_callers && take_callers(hand))
        return true;
    for (uint32_t word = 0; word < board->words; word++) {
        uint64_t ready = look(board->ready, word) & ~board->callers[word];
        uint64_t open = atomic_load_explicit(&board->open[word], memory_order_acquire);
        if (open && (!ready || (open & -open) < (ready & -ready))) {
            timed(hand, join, word * 64 + (uint32_t)__builtin_ctzll(open));
            return true;
        }
        if (ready)
            return take_ready(hand, word, some_of(board, word, ready));
    }
    return false;
}

/* A worker that finds nothing looks less often after a while, because each look takes a cache line
 * from the busy ones. */
static void work(void *argument, uint32_t worker)
{
    ls_work_queue *board = argument;
    struct hand hand = {.board = board, .worker = worker};
    uint32_t looks = 0;
    for (;;) {
        if (take_one(&hand)) {
            looks = 0;
            continue;
        }
        if (hand.ended)
            atomic_fetch_sub_explicit(&board->left, hand.ended, memory_order_release);
        hand.ended = 0;
        if (atomic_load_explicit(&board->left, memory_order_acquire) == 0)
            return;
        for (uint32_t i = 0; i <= looks && i < PAUSES_MAX; i++)
            ls_pause();
        if (++looks > LOOKS_BEFORE_YIELD)
            sched_yield();
    }
}

/* Systems that may not run at the same time wait as if they had an order. */
static void set_up(ls_work_queue *board)
{
    ls_world *world = board->job->world;
    uint32_t first = board->run->first, count = board->run->end - first;
    board->hold = board->pace->slots[first].hold;
    board->words = LS_BIT_WORDS(count);
    board->has_callers = false;
    memset(board->callers, 0, sizeof board->callers[0] * board->words);
    memset(board->ready, 0, sizeof board->ready[0] * board->words);
    memset(board->open, 0, sizeof board->open[0] * board->words);
    atomic_store_explicit(&board->left, count, memory_order_relaxed);
    for (uint32_t place = 0; place < count; place++) {
        uint32_t position = position_at(board, place);
        const ls_plan_system *plan = &world->program->systems[position];
        uint32_t pending =
            plan->predecessor_count + plan->apart_before_count + (board->hold.later == position);
        board->places[position - first] = (uint16_t)place;
        atomic_store_explicit(&world->scratch->runs[position].pending, pending,
                              memory_order_relaxed);
        if (pending == 0)
            post(board->ready, place);
        if (plan->system->main_thread) {
            ls_bit_set(board->callers, place);
            board->has_callers = true;
        }
    }
}

void ls_work_queue_run(ls_work_queue *board, ls_team *team, const ls_tick_job *job,
                       const ls_thread_policy_run *run)
{
    board->job = job;
    board->run = run;
    board->pace = job->world->scratch->pace;
    board->threads = board->pace->threads;
    set_up(board);
    ls_team_run(team, work, board);
}

#include "core/board.h"

#include "core/clock.h"

#include <sched.h>
#include <string.h>

enum {
    LOOKS_BEFORE_YIELD = 400,
    PAUSES_MAX = 16,
    /* To hand something over costs about a fifth of a microsecond; what is handed over should take
     * several times as long. */
    MICROSECONDS_AT_ONCE = 1,
};

static uint32_t position_at(const ls_board *board, uint32_t place)
{
    return board->pace->order[board->run->first + place];
}

static void post(_Atomic uint64_t *words, uint32_t place)
{
    atomic_fetch_or_explicit(&words[place / 64], (uint64_t)1 << (place % 64), memory_order_release);
}

static void make_ready(ls_board *board, uint32_t position)
{
    post(board->ready, board->places[position - board->run->first]);
}

static void end_system(ls_board *board, uint32_t position)
{
    ls_world *world = board->job->world;
    const ls_plan_system *plan = &world->program->systems[position];
    if (!world->runs[position].is_off)
        ls_run_end(board->job, position);
    for (uint32_t i = 0; i < plan->successor_count + plan->apart_count; i++) {
        uint32_t next = plan->successors[i];
        if (atomic_fetch_sub_explicit(&world->runs[next].pending, 1, memory_order_acq_rel) == 1)
            make_ready(board, next);
    }
    atomic_fetch_sub_explicit(&board->left, 1, memory_order_release);
}

/* Some now and more later: the shares become smaller, so that all end at about the same time. But
 * none so small that it were over sooner than handed on. */
static uint32_t share_of(const ls_board *board, uint32_t position, uint32_t left)
{
    uint32_t chunks = board->job->world->runs[position].chunks;
    uint32_t share = left / (2 * board->threads);
    uint64_t time = board->pace->times[position], least = 1;
    if (!board->run->is_forced && time)
        least = MICROSECONDS_AT_ONCE * ls_clock_us() * chunks / time;
    share = share < least ? (uint32_t)(least < left ? least : left) : share;
    return share ? share : 1;
}

static void run_chunks(ls_board *board, uint32_t position, uint32_t first, uint32_t count,
                       uint32_t worker)
{
    ls_run *run = &board->job->world->runs[position];
    ls_run_chunk(board->job, position, first, count, &(ls_run_by){.worker = worker});
    uint32_t before = atomic_fetch_add_explicit(&run->done, count, memory_order_acq_rel);
    if (before + count == run->chunks)
        end_system(board, position);
}

/* The place is this thread's alone, until pages that are left are put up for everybody. */
static void begin(ls_board *board, uint32_t place, uint32_t worker)
{
    uint32_t position = position_at(board, place);
    ls_run *run = &board->job->world->runs[position];
    if (!run->is_off)
        ls_run_begin(board->job, position);
    if (run->is_off || run->chunks == 0) {
        end_system(board, position);
        return;
    }
    bool is_callers = board->job->world->program->systems[position].system->main_thread;
    uint32_t share = is_callers ? run->chunks : share_of(board, position, run->chunks);
    if (share < run->chunks) {
        atomic_store_explicit(&run->next, share, memory_order_relaxed);
        post(board->open, place);
    }
    run_chunks(board, position, 0, share, worker);
}

/* Takes a share of the pages that are left, if there are any. */
static void join(ls_board *board, uint32_t place, uint32_t worker)
{
    uint32_t position = position_at(board, place);
    ls_run *run = &board->job->world->runs[position];
    uint32_t chunks = run->chunks, first = atomic_load_explicit(&run->next, memory_order_relaxed);
    if (first >= chunks)
        return;
    uint32_t share = share_of(board, position, chunks - first);
    first = atomic_fetch_add_explicit(&run->next, share, memory_order_relaxed);
    if (first + share >= chunks)
        atomic_fetch_and_explicit(&board->open[place / 64], ~((uint64_t)1 << (place % 64)),
                                  memory_order_relaxed);
    if (first >= chunks)
        return;
    run_chunks(board, position, first, chunks - first < share ? chunks - first : share, worker);
}

static void timed(ls_board *board, void (*step)(ls_board *, uint32_t, uint32_t), uint32_t place,
                  uint32_t worker)
{
    uint64_t started = board->run->is_measured ? ls_clock() : 0;
    step(board, place, worker);
    if (board->run->is_measured)
        ls_pace_spend(board->pace, position_at(board, place), ls_clock() - started);
}

/* Of those that are ready the first, and as many behind it as are short. */
static uint64_t some_of(const ls_board *board, uint32_t word, uint64_t ready)
{
    uint64_t some = 0, time = 0;
    for (; ready && !board->run->is_forced; ready &= ready - 1) {
        uint64_t one =
            board->pace->times[position_at(board, word * 64 + (uint32_t)__builtin_ctzll(ready))];
        if (one == 0 || time + one > MICROSECONDS_AT_ONCE * ls_clock_us())
            break;
        time += one;
        some |= ready & -ready;
    }
    return some ? some : ready & -ready;
}

static bool take_ready(ls_board *board, uint32_t word, uint64_t wanted, uint32_t worker)
{
    uint64_t mine =
        atomic_fetch_and_explicit(&board->ready[word], ~wanted, memory_order_acquire) & wanted;
    for (uint64_t bits = mine; bits; bits &= bits - 1)
        timed(board, begin, word * 64 + (uint32_t)__builtin_ctzll(bits), worker);
    return mine;
}

/* What only the caller may do comes first with it: for the others there may be other work. */
static bool take_callers(ls_board *board)
{
    for (uint32_t word = 0; word < board->words; word++) {
        uint64_t ready =
            atomic_load_explicit(&board->ready[word], memory_order_relaxed) & board->callers[word];
        if (ready)
            return take_ready(board, word, ready & -ready, 0);
    }
    return false;
}

static bool take_one(ls_board *board, uint32_t worker)
{
    if (worker == 0 && board->has_callers && take_callers(board))
        return true;
    for (uint32_t word = 0; word < board->words; word++) {
        uint64_t ready =
            atomic_load_explicit(&board->ready[word], memory_order_relaxed) & ~board->callers[word];
        uint64_t open = atomic_load_explicit(&board->open[word], memory_order_acquire);
        if (open && (!ready || (open & -open) < (ready & -ready))) {
            timed(board, join, word * 64 + (uint32_t)__builtin_ctzll(open), worker);
            return true;
        }
        if (ready)
            return take_ready(board, word, some_of(board, word, ready), worker);
    }
    return false;
}

/* Whoever finds nothing looks less often after a while, because each look takes a cache line from
 * those who work. */
static void work(void *argument, uint32_t worker)
{
    ls_board *board = argument;
    uint32_t looks = 0;
    while (atomic_load_explicit(&board->left, memory_order_acquire) > 0) {
        if (take_one(board, worker)) {
            looks = 0;
            continue;
        }
        for (uint32_t i = 0; i <= looks && i < PAUSES_MAX; i++)
            ls_pause();
        if (++looks > LOOKS_BEFORE_YIELD)
            sched_yield();
    }
}

/* What may not run at the same time waits as if it had an order. */
static void set_up(ls_board *board)
{
    ls_world *world = board->job->world;
    uint32_t first = board->run->first, count = board->run->end - first;
    board->words = LS_BIT_WORDS(count);
    board->has_callers = false;
    memset(board->callers, 0, sizeof board->callers[0] * board->words);
    memset(board->ready, 0, sizeof board->ready[0] * board->words);
    memset(board->open, 0, sizeof board->open[0] * board->words);
    atomic_store_explicit(&board->left, count, memory_order_relaxed);
    for (uint32_t place = 0; place < count; place++) {
        uint32_t position = position_at(board, place);
        const ls_plan_system *plan = &world->program->systems[position];
        uint32_t pending = plan->predecessor_count + plan->apart_before_count;
        board->places[position - first] = (uint16_t)place;
        atomic_store_explicit(&world->runs[position].pending, pending, memory_order_relaxed);
        if (pending == 0)
            make_ready(board, position);
        if (plan->system->main_thread) {
            ls_bit_set(board->callers, place);
            board->has_callers = true;
        }
    }
}

void ls_board_run(ls_board *board, ls_team *team, const ls_tick_job *job, const ls_pace_run *run)
{
    board->job = job;
    board->run = run;
    board->pace = job->world->pace;
    board->threads = board->pace->threads;
    set_up(board);
    ls_team_run(team, work, board);
}

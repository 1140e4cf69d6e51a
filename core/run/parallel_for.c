#include "core/run/parallel_for.h"

#include "core/base/platform.h"
#include "core/base/platform_cpu.h"

enum { PIECE_BITS = 16 };

/* Takes a piece; false when none is left. The first look is a load, because a failing exchange
 * would take the cache line from the owner; it is relaxed, because the exchange acquires. */
static bool take(ls_parallel_for *loop, uint32_t *piece)
{
    uint32_t offer = atomic_load_explicit(&loop->offer, memory_order_relaxed);
    do {
        *piece = (uint16_t)offer;
        if (*piece >= offer >> PIECE_BITS)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&loop->offer, &offer, offer + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

bool ls_parallel_for_help(ls_parallel_for *loop)
{
    uint32_t piece;
    if (!take(loop, &piece))
        return false;
    loop->body(loop->argument, piece);
    atomic_fetch_add_explicit(&loop->done, 1, memory_order_release);
    return true;
}

/* Acquire pairs with the previous owner's release: that owner has set the members that this one
 * sets. */
static bool own(ls_parallel_for *loop)
{
    return !atomic_exchange_explicit(&loop->is_taken, 1, memory_order_acquire);
}

/* Release publishes body and argument. `done` is relaxed: only a thread that has taken a piece, and
 * so acquired the offer, adds to it. */
static void offer(ls_parallel_for *loop, uint32_t pieces, ls_parallel_body *body, void *argument)
{
    loop->body = body;
    loop->argument = argument;
    atomic_store_explicit(&loop->done, 0, memory_order_relaxed);
    atomic_store_explicit(&loop->offer, pieces << PIECE_BITS, memory_order_release);
}

void ls_parallel_for_run(ls_parallel_for *loop, uint32_t pieces, ls_parallel_body *body,
                         void *argument)
{
    LS_ASSERT(pieces <= UINT16_MAX);
    if (!loop || pieces < 2 || !own(loop)) {
        for (uint32_t i = 0; i < pieces; i++)
            body(argument, i);
        return;
    }
    uint32_t piece, helped = pieces;
    offer(loop, pieces, body, argument);
    for (; take(loop, &piece); helped--)
        body(argument, piece);
    /* Acquires what other threads did in their pieces. */
    for (uint32_t spins = 0; atomic_load_explicit(&loop->done, memory_order_acquire) != helped;
         spins++) {
        ls_pause();
        if (spins > LS_SPINS_BEFORE_YIELD)
            ls_thread_yield();
    }
    atomic_store_explicit(&loop->is_taken, 0, memory_order_release);
}

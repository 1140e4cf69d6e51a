/* Records every store into a piece of memory while some code runs: the instruction, its callers,
 * and the bytes before and after.
 *
 * The pages around the piece are made read-only ("closed"). A store there raises a signal; its
 * handler notes the place and lets exactly that one instruction run (core/base/platform_step.h): by
 * the processor's trap flag on x86-64, and as a copy before a breakpoint on aarch64.
 * To find bytes that were written with an equal value, the instruction runs once more over the
 * complement of what it left: the bytes that it makes the same again are those that it writes. Then
 * memory and registers are restored to the first result, and the pages are closed again. The
 * processor itself executes every store, so wide and unaligned stores, `rep movs` (noted once an
 * iteration) and the C library need no decoder. Other data on these pages only costs time. Tracing
 * a child step by step would find the same. But that costs time for each instruction instead of
 * each store, and a container may forbid it. */
#ifndef LS_WRITE_WATCH_H
#define LS_WRITE_WATCH_H

#include <lockstep/base.h>

#define LS_WRITE_WATCH_STORES_MAX   16384u
#define LS_WRITE_WATCH_FRAMES_MAX   24u
#define LS_WRITE_WATCH_WINDOW_BYTES 128u

/* ls_write_watch_begin() says this where no store is watched. */
#define LS_WRITE_WATCH_ABSENT                                                                      \
    "stores are watched on Linux on x86-64 and aarch64 only; run this there, or set a watchpoint " \
    "in a debugger"

typedef struct ls_write_watch_store {
    uint32_t at;                   /* offset where the instruction wrote, if the signal says so */
    uint32_t changed, changed_end; /* offsets of the bytes that changed; equal if none did */
    uint32_t stored, stored_end;   /* offsets of the bytes that it wrote, with those that changed */
    /* `old` and `now` begin at `window`; they hold the written bytes and some around them. */
    uint32_t window;
    uint32_t window_bytes;
    uint8_t old[LS_WRITE_WATCH_WINDOW_BYTES], now[LS_WRITE_WATCH_WINDOW_BYTES];
    uint32_t frame_count;
    uintptr_t frames[LS_WRITE_WATCH_FRAMES_MAX]; /* the instruction, then the return addresses */
} ls_write_watch_store;

typedef struct ls_write_watch ls_write_watch;

/* Notes stores into the `bytes` bytes at `region` from here on. All offsets count from there.
 *   errors  LS_ERROR_REFUSED on another processor or system, or where the system refuses it
 *   owns    ls_write_watch_destroy() by the caller
 *   thread  one at a time in a process (asserted). No other thread writes near the region, and no
 *           system call does: it would fail */
ls_status ls_write_watch_begin(void *region, size_t bytes, ls_write_watch **watch,
                               ls_error *error) LS_MUST_USE;
/* Stops noting stores; the list stays until ls_write_watch_destroy(). Restores the signal
 * handlers. */
void ls_write_watch_end(ls_write_watch *watch);
const ls_write_watch_store *ls_write_watch_stores(const ls_write_watch *watch, uint32_t *count);
/* Returns how many stores were seen but are not in the list: those beyond
 * LS_WRITE_WATCH_STORES_MAX, and a store that could not be run as a single step. After such a store
 * the pages stay open, so that later stores are neither seen nor counted. */
uint32_t ls_write_watch_left_out(const ls_write_watch *watch);
void ls_write_watch_destroy(ls_write_watch *watch);

#endif

/* Every store into a piece of memory while something runs: which instruction, called by whom, what
 * was there before and afterwards.
 *
 * The memory system's pages around the piece are made read-only. A store there ends in a signal,
 * whose handler notes the place and lets exactly that one instruction run, by the processor's trap
 * flag. The instruction runs once more over the complement of what it left: bytes that it makes the
 * same again are those that it writes, also where they were equal before. Then memory and registers
 * are as after the first time, and the pages are closed again. So the processor itself executes
 * what it always does: wide and unaligned stores, `rep movs` (noted once an iteration) and the C
 * library need no decoder, and what else is on these pages costs time alone. A child that is
 * traced step by step would find the same, but pays for each instruction instead of each store, and
 * may not be traced in a container.
 */
#ifndef LS_WRITE_WATCH_H
#define LS_WRITE_WATCH_H

#include <lockstep/base.h>

#define LS_WRITE_WATCH_STORES_MAX   16384u
#define LS_WRITE_WATCH_FRAMES_MAX   24u
#define LS_WRITE_WATCH_WINDOW_BYTES 128u

typedef struct ls_write_watch_store {
    uint32_t at;                   /* where the instruction wrote, if the signal says so */
    uint32_t changed, changed_end; /* bytes that changed; equal when it stored what was there */
    uint32_t stored, stored_end;   /* bytes that it wrote, those that changed among them */
    uint32_t window;       /* where `old` and `now` begin; they hold all that it wrote and */
    uint32_t window_bytes; /* some of what is around it */
    uint8_t old[LS_WRITE_WATCH_WINDOW_BYTES], now[LS_WRITE_WATCH_WINDOW_BYTES];
    uint32_t frame_count;
    uintptr_t
        frames[LS_WRITE_WATCH_FRAMES_MAX]; /* the instruction, then whither each call returns */
} ls_write_watch_store;

typedef struct ls_write_watch ls_write_watch;

/* From here on, stores into the `bytes` bytes at `region` are noted. All offsets count from there.
 *   errors  LS_ERROR_REFUSED where the processor or the system cannot do it
 *   owns    ls_write_watch_end() by the caller
 *   thread  one at a time in a process (asserted). No other thread writes near the region, and no
 *           system call does: it would fail */
ls_status ls_write_watch_begin(void *region, size_t bytes, ls_write_watch **trap,
                               ls_error *error) LS_MUST_USE;
/* No longer; what was noted stays until ls_write_watch_destroy(). Signals are handled as before. */
void ls_write_watch_end(ls_write_watch *trap);
const ls_write_watch_store *ls_write_watch_stores(const ls_write_watch *trap, uint32_t *count);
/* Stores beyond LS_WRITE_WATCH_STORES_MAX. */
uint32_t ls_write_watch_left_out(const ls_write_watch *trap);
void ls_write_watch_destroy(ls_write_watch *trap);

#endif

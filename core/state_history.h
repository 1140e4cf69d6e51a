/* The states of a world's last ticks, kept so that one of them can be had again, bit for bit: what
 * a desync is explained from, since running the ticks again need not repeat what went wrong.
 *
 * A snapshot of each tick would make the world copy its tables and directories with every tick, and
 * move its pages to memory that no cache holds. So it is the pages that are kept: of each tick the
 * contents of those whose hash it has changed (core/state/page_log.h).
 *   thread  the world's, between its ticks */
#ifndef LS_STATE_HISTORY_H
#define LS_STATE_HISTORY_H
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_STATE_HISTORY_TICKS_MAX 4096
#define LS_STATE_HISTORY_STRETCH   8 /* times as many ticks at most */
#define LS_STATE_HISTORY_NONE      UINT64_MAX

typedef struct ls_state_history ls_state_history;

/* The number of ticks that covers a time; at most LS_STATE_HISTORY_TICKS_MAX. */
LS_API uint32_t ls_state_history_ticks(uint32_t ms, uint32_t tick_rate);

/* Keeps nothing yet.
 *   shape   `ticks` 1..LS_STATE_HISTORY_TICKS_MAX; `bytes_max` of all that it takes, one copy of
 *           the whole state included
 *   owns    destroyed by the caller, before the world */
LS_API ls_state_history *ls_state_history_create(ls_world *world, uint32_t ticks, size_t bytes_max);
/* NULL is allowed. Snapshots that it gave are destroyed before it. */
LS_API void ls_state_history_destroy(ls_state_history *past);

/* Keeps the present state, gives its root, and lets those go that are `ticks` or more
 * behind it and before `wanted_from`: ticks that were run in a hurry are not old
 * (LS_STATE_HISTORY_NONE: none is wanted longer); LS_STATE_HISTORY_STRETCH times `ticks` are kept
 * at most. Over the byte budget the oldest go too, and only every second, fourth, .. tick is kept
 * for a while. A world that went back has no past.
 *   shape   `executor` hashes with its threads, NULL: with this one gives  what ls_world_root()
 *           gives, for less than both would cost */
LS_API uint64_t ls_state_history_keep(ls_state_history *past, ls_executor *executor,
                                      uint64_t wanted_from);

/* The first kept tick at or after `tick`; LS_STATE_HISTORY_NONE when there is none. */
LS_API uint64_t ls_state_history_find(const ls_state_history *past, uint64_t tick);
/* The root of a kept tick. */
LS_API uint64_t ls_state_history_root(const ls_state_history *past, uint64_t tick);
/* Every how manieth tick is kept: 1, 2, 4, .. */
LS_API uint32_t ls_state_history_step(const ls_state_history *past);

/* The memory of what is kept, without that of snapshots. */
LS_API size_t ls_state_history_bytes(const ls_state_history *past);

/* The state of a kept tick, which outlives its place here. Costs a copy of the state; the two
 * that were asked for last are shared with whoever asks again.
 *   owns  destroyed by the caller on this thread, before the past */
LS_API ls_snapshot *ls_state_history_snapshot(ls_state_history *past, uint64_t tick);

#ifdef __cplusplus
}
#endif

#endif

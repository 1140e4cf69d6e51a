/* The states of a world's last ticks, each restorable bit for bit. They are kept to explain a
 * desync, because running the ticks again may not repeat the fault.
 *
 * For a snapshot of each tick, the world would copy its tables and directories every tick, and move
 * its pages to memory outside of the caches. So for each tick only the contents of pages with a
 * changed hash are kept (core/state/page_log.h).
 *   thread  the world's, between its ticks */
#ifndef LS_STATE_HISTORY_H
#define LS_STATE_HISTORY_H
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_STATE_HISTORY_TICKS_MAX 4096
#define LS_STATE_HISTORY_STRETCH   8 /* maximum of kept ticks, as a multiple of `ticks` */
#define LS_STATE_HISTORY_NONE      UINT64_MAX

typedef struct ls_state_history ls_state_history;

/* The number of ticks that covers a time; at most LS_STATE_HISTORY_TICKS_MAX. */
LS_API uint32_t ls_state_history_ticks(uint32_t ms, uint32_t tick_rate);

/* Creates an empty history.
 *   shape   `ticks` 1..LS_STATE_HISTORY_TICKS_MAX; `bytes_max` limits the kept pages, which include
 *           one copy of the whole state, but not the memory for finding them or for snapshots
 *   owns    the caller destroys it before the world */
LS_API ls_state_history *ls_state_history_create(ls_world *world, uint32_t ticks, size_t bytes_max);
/* NULL is allowed. All snapshots from the history must be destroyed before it. */
LS_API void ls_state_history_destroy(ls_state_history *history);

/* Keeps the current state and returns its root, as ls_world_root() does; this costs less than two
 * separate calls. Drops states that are both older than `ticks` and before `wanted_from`
 * (LS_STATE_HISTORY_NONE: no tick is wanted longer). Without `wanted_from`, ticks that run in quick
 * succession, as in catching up, would be dropped too early. At most LS_STATE_HISTORY_STRETCH times
 * `ticks` are kept. If they exceed the byte budget, the oldest are dropped, and for a while only
 * every second, fourth, .. tick is kept. If the world has not reached a later tick since the last
 * call, the history drops everything and starts again.
 *   shape   `executor`: its threads hash; NULL: hashes on this thread */
LS_API uint64_t ls_state_history_keep(ls_state_history *history, ls_executor *executor,
                                      uint64_t wanted_from);

/* The first kept tick at or after `tick`; LS_STATE_HISTORY_NONE when there is none. */
LS_API uint64_t ls_state_history_find(const ls_state_history *history, uint64_t tick);
/* The root of a kept tick. */
LS_API uint64_t ls_state_history_root(const ls_state_history *history, uint64_t tick);
/* The distance between kept ticks: 1, 2, 4, .. */
LS_API uint32_t ls_state_history_step(const ls_state_history *history);

/* The memory of the kept states, without snapshots. */
LS_API size_t ls_state_history_bytes(const ls_state_history *history);

/* A snapshot of a kept tick; it remains valid when the history drops the tick. Costs a copy of the
 * state; the two latest snapshots are shared with later requests.
 *   owns    the caller destroys it on this thread, before the history */
LS_API ls_snapshot *ls_state_history_snapshot(ls_state_history *history, uint64_t tick);

#ifdef __cplusplus
}
#endif

#endif

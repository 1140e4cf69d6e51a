/* The states of a world's last ticks, each restorable bit for bit. A desync is explained from them,
 * because running the ticks again need not repeat what went wrong.
 *
 * A snapshot of each tick would make the world copy its tables and directories every tick, and move
 * its pages to memory that no cache holds. So only pages are kept: for each tick, the contents of
 * those whose hash has changed (core/state/page_log.h).
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

/* Creates an empty history.
 *   shape   `ticks` 1..LS_STATE_HISTORY_TICKS_MAX; `bytes_max` of all its memory, one copy of the
 *           whole state included
 *   owns    destroyed by the caller, before the world */
LS_API ls_state_history *ls_state_history_create(ls_world *world, uint32_t ticks, size_t bytes_max);
/* NULL is allowed. Snapshots that it gave are destroyed before it. */
LS_API void ls_state_history_destroy(ls_state_history *past);

/* Keeps the present state and returns its root. Drops states that are both `ticks` or more old and
 * before `wanted_from` (LS_STATE_HISTORY_NONE: none is wanted longer), because ticks that ran in
 * quick succession are not old. At most LS_STATE_HISTORY_STRETCH times `ticks` are kept. Over the
 * byte budget the oldest are dropped too, and for a while only every second, fourth, .. tick is
 * kept. A world that went back to an earlier tick starts with an empty history.
 *   shape   `executor` hashes with its threads; NULL: on this thread. The root is that of
 *           ls_world_root(), and costs less than a separate call */
LS_API uint64_t ls_state_history_keep(ls_state_history *past, ls_executor *executor,
                                      uint64_t wanted_from);

/* The first kept tick at or after `tick`; LS_STATE_HISTORY_NONE when there is none. */
LS_API uint64_t ls_state_history_find(const ls_state_history *past, uint64_t tick);
/* The root of a kept tick. */
LS_API uint64_t ls_state_history_root(const ls_state_history *past, uint64_t tick);
/* The distance between two kept ticks: 1, 2, 4, .. */
LS_API uint32_t ls_state_history_step(const ls_state_history *past);

/* The memory of what is kept, without that of snapshots. */
LS_API size_t ls_state_history_bytes(const ls_state_history *past);

/* A snapshot of a kept tick, which may outlive the tick's place here. Costs a copy of the state;
 * the two snapshots asked for last are shared with later requests.
 *   owns    destroyed by the caller on this thread, before the history */
LS_API ls_snapshot *ls_state_history_snapshot(ls_state_history *past, uint64_t tick);

#ifdef __cplusplus
}
#endif

#endif

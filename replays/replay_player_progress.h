/* Progress of a long seek, for programs that show it. */
#ifndef LS_REPLAY_PLAYER_PROGRESS_H
#define LS_REPLAY_PLAYER_PROGRESS_H

#include <stdint.h>

struct ls_replay_player;

/* Calls `progress` after each tick that ls_replay_player_seek() simulates, with the tick of the
 * state then and the tick that is sought. NULL: no longer.
 *   thread  that of the seek */
void ls_replay_player_set_progress(struct ls_replay_player *player,
                                   void (*progress)(void *context, uint64_t tick, uint64_t target),
                                   void *context);

#endif

/* Plays a recording while it grows: a match that is followed while it runs. */
#ifndef LS_GROWING_H
#define LS_GROWING_H

#include <lockstep/replay_player.h>

/* Takes `bytes` bytes at `data` in place of those that the recording, which is one file in memory,
 * and the player of it were opened with. They begin with the same bytes. The player keeps its
 * states; lists and ticks that the recording gave before are invalid.
 *   owns    the caller; the old bytes may be freed */
void ls_growing_take(ls_recording *recording, ls_replay_player *player, const void *data,
                     size_t bytes);

#endif

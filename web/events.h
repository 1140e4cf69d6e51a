/* The events of a match, for the timeline: those that systems sent, and those of players. */
#ifndef LS_WEB_EVENTS_H
#define LS_WEB_EVENTS_H

#include "core/base/builder.h"
#include <lockstep/replay_player.h>

enum { LS_WEB_PLAYER_EVENTS_MAX = 1000 };

/* The names of the simulation's events. */
void ls_web_events_print(const ls_program *program, ls_builder *text);
/* How many events the last tick sent. */
uint32_t ls_web_events_count(const ls_program *program, const ls_world *world);
/* Joins, leaves, pauses and resumes from tick `first` on: `events`, and `isCut` where there are
 * more than the maximum. */
void ls_web_player_events_print(ls_replay_player *player, uint64_t first, ls_builder *text);

#endif

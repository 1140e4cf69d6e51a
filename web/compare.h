/* The differences between two recordings of one simulation. */
#ifndef LS_WEB_COMPARE_H
#define LS_WEB_COMPARE_H

#include "core/base/builder.h"
#include <lockstep/replay_player.h>

/* Adds members to a JSON object: `first`, the first tick whose recorded roots differ, if there is
 * one; `ticks` and `count`, how many ticks both have and how many cells differ now, with `isCut` if
 * a limit ended the count; `cells` with their places and values, for a shorter list; `entities`,
 * the low halves of the handles of those that differ. */
void ls_web_compare(ls_replay_player *left, ls_replay_player *right, ls_builder *text);

#endif

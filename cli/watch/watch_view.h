/* Draws the picture of `lockstep watch`; cli/watch.c handles keys and time. */
#ifndef LS_WATCH_VIEW_H
#define LS_WATCH_VIEW_H

#include "cli/common/match_playback.h"
#include "cli/watch/watch_live.h"
#include "cli/watch/watch_map.h"

typedef struct ls_watch {
    ls_match_playback playback;
    ls_watch_live live; /* with a feed: the playback is of a running match */
    ls_watch_map map;
    bool has_map, shows_map, shows_help;
    bool is_playing;
    uint32_t speed_16ths; /* speed in sixteenths of real time */
    ls_entity chosen;     /* LS_ENTITY_NULL: show the singletons of the world */
    uint32_t first_row;   /* first row shown of the table */
    uint32_t first_line;  /* first line shown of the inspector */
    bool is_asking;       /* the user is typing the tick to jump to */
    char answer[24];
    ls_error message; /* empty: none */
    bool has_diverged;
} ls_watch;

/* Draws everything, for any size of the terminal. */
void ls_watch_draw(ls_watch *watch);

/* Returns the living entities in canonical order.
 *   owns  ls_free() by the caller */
ls_entity *ls_watch_entities(const ls_world *world, uint32_t *count);

#endif

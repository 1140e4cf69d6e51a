/* The picture of `lockstep watch`, and how it is drawn; cli/watch.c moves it. */
#ifndef LS_WATCH_VIEW_H
#define LS_WATCH_VIEW_H

#include "cli/common/playback.h"
#include "cli/watch/watch_map.h"

typedef struct ls_watch {
    ls_playback playback;
    ls_watch_map map;
    bool has_map, shows_map, shows_help;
    bool is_playing;
    uint32_t speed_16ths; /* of real time */
    ls_entity chosen;     /* LS_ENTITY_NULL: the singletons of the world are shown */
    uint32_t first_row;   /* of the table */
    uint32_t first_line;  /* of what the inspector shows */
    bool is_asking;       /* for the tick to jump to */
    char answer[24];
    ls_error message; /* empty: none */
    bool has_diverged;
} ls_watch;

/* Draws all of it, whatever the size of the terminal is. */
void ls_watch_draw(ls_watch *watch);

/* The living entities in canonical order.
 *   owns  ls_free() by the caller */
ls_entity *ls_watch_entities(const ls_world *world, uint32_t *count);

#endif

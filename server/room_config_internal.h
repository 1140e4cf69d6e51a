/* The check of a room's config, and how to close what it holds when no room takes it over. */
#ifndef LS_ROOM_CONFIG_INTERNAL_H
#define LS_ROOM_CONFIG_INTERNAL_H

#include <lockstep/room_config.h>

/* Checks a config. `match` is the config's match, or the match of its recorded series.
 *   errors  LS_ERROR_USAGE */
ls_status ls_room_config_check(const ls_room_config *config, const ls_match *match,
                               ls_error *error) LS_MUST_USE;
/* Closes the sink, recorder and series of a config that no room takes over. */
void ls_room_config_close(const ls_room_config *config);

#endif

#ifndef LS_ROOM_CONFIG_INTERNAL_H
#define LS_ROOM_CONFIG_INTERNAL_H

#include <lockstep/room_config.h>

/* `match`: the config's own, or that of its history.   errors  LS_ERROR_USAGE */
ls_status ls_room_config_check(const ls_room_config *config, const ls_match *match,
                               ls_error *error) LS_MUST_USE;
/* Closes the sink, recorder and history of a config when no room takes them over. */
void ls_room_config_close(const ls_room_config *config);

#endif

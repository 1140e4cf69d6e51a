/* The options of the process that every room gets. */
#ifndef LS_ROOM_POLICIES_H
#define LS_ROOM_POLICIES_H

#include "cli/serve/service_options.h"

void ls_room_policies_set(const ls_service_options *options, ls_room_config *config);

#endif

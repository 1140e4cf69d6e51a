/* What a match leaves that could not go on: a folder beside its recording, NAME.bundle, with the
 * reason in words and the world as it stood, for whoever wants to find out why. */
#ifndef LS_BUNDLE_H
#define LS_BUNDLE_H

#include "cli/log.h"
#include "server/room.h"

/* `recording` "": the bundle is made in the working folder's "failed.bundle". What cannot be
 * written is told in the log. */
void ls_bundle_write(ls_room *room, const char *recording, ls_log *log);

#endif

/* Searches for the cause of a divergence: runs the tick in variants, then reads the file. */
#ifndef LS_DIVERGENCE_SEARCH_H
#define LS_DIVERGENCE_SEARCH_H

#include "desync/divergence.h"

/* Fills in the divergence. The recording is read again; its reading position is unspecified
 * afterwards.
 *   thread  as ls_write_watch_begin() */
void ls_divergence_find(ls_recording *recording, const ls_program *program,
                        const ls_root_difference *difference, ls_divergence *divergence);

#endif

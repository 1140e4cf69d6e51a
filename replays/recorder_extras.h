/* Private to this folder; include/lockstep/recorder.h declares the other functions of
 * recorder_extras.c. */
#ifndef LS_RECORDER_EXTRAS_H
#define LS_RECORDER_EXTRAS_H

#include <lockstep/recorder.h>

/* Appends the description of the previous file of the match. */
ls_status ls_recorder_append_link(ls_recorder *recorder, const ls_recording_link *link,
                                  ls_error *error);

#endif

/* Private to this folder; the rest of recorder_extras.c is in include/lockstep/recorder.h. */
#ifndef LS_RECORDER_EXTRAS_H
#define LS_RECORDER_EXTRAS_H

#include <lockstep/recorder.h>

/* Appends the description of the file before this one. */
ls_status ls_recorder_append_link(ls_recorder *recorder, const ls_recording_link *link,
                                  ls_error *error);

#endif

/* Recordings as files on disk: opens them and reads them whole. Private to this folder. */
#ifndef LS_REPLAYS_FILE_H
#define LS_REPLAYS_FILE_H

#include "replays/record.h"

/* ls_file_open: opens a regular file for reading, or also for writing.
 * ls_file_read: reads the whole file in its present length; it may shrink meanwhile.
 *   errors  as ls_recording_open(); nothing is then open or owned
 *   owns    the caller closes the descriptor and frees `*data` */
ls_status ls_file_open(const char *path, bool can_write, int *descriptor,
                       ls_error *error) LS_MUST_USE;
ls_status ls_file_read(const char *path, int descriptor, uint8_t **data, size_t *bytes,
                       ls_error *error) LS_MUST_USE;

#endif

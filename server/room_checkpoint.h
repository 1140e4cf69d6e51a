/* A checkpoint, for the one who runs the server: the recording of a match is signed and durable up
 * to now, and can be copied or opened while the match continues. A disk job syncs it, and no tick
 * waits.
 *   thread  the server's */
#ifndef LS_ROOM_CHECKPOINT_H
#define LS_ROOM_CHECKPOINT_H

#include <lockstep/server.h>

#define LS_CHECKPOINT_FILE_BYTES 4096

typedef struct ls_room_checkpoint {
    uint64_t room;   /* the room's own number, which no other room gets */
    uint64_t number; /* of the checkpoint in the recording */
    bool is_durable;
    uint64_t tick;  /* the file has every tick before this one, once it is durable */
    uint64_t bytes; /* of the file, up to and with the signature */
    char file[LS_CHECKPOINT_FILE_BYTES];
} ls_room_checkpoint;

/* Begins a checkpoint.
 *   errors  NOT_FOUND: the match has no recording; REFUSED: nothing can be recorded now, with the
 *           reason; IO: the disk has failed; LIMIT: the name of the file is too long */
ls_status ls_room_checkpoint_begin(ls_room *room, ls_room_checkpoint *checkpoint,
                                   ls_error *error) LS_MUST_USE;
/* Sets is_durable, tick and bytes when the disk has it.
 *   errors  IO: the file cannot be written any more; REFUSED: the match has ended */
ls_status ls_room_checkpoint_poll(const ls_server *server, ls_room_checkpoint *checkpoint,
                                  ls_error *error) LS_MUST_USE;

#endif

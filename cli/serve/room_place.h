/* The places of a server's rooms: for each room its files and the jobs that write them. */
#ifndef LS_ROOM_PLACE_H
#define LS_ROOM_PLACE_H

#include "cli/serve/room_cleanup.h"
#include "cli/serve/rooms_config.h"
#include "core/base/platform_file.h"
#include "server/seats_file.h"
#include <lockstep/evidence_limits.h>

/* The most closed rooms with unfinished disk work. */
#define LS_ROOM_PLACE_CLEANUPS_MAX 256

/* The files of one room and the jobs that write them. */
typedef struct ls_room_place {
    ls_job job;              /* writes `file`; the first member: its function casts it back */
    ls_room *room;           /* NULL: no room */
    bool is_new;             /* the place is for a room that is being opened */
    bool is_kept;            /* the room is not handed over */
    bool is_given;           /* a successor was asked to take its files, and may write them */
    bool is_over;            /* the room is closed: the cleanup begins when the job is done */
    ls_room_cleanup cleanup; /* busy until its job's result was taken */
    uint64_t number, seed;
    ls_sink sink;                      /* for the recording, until the room owns it */
    char recording[LS_PATH_BYTES_MAX]; /* "": none */
    char evidence[LS_PATH_BYTES_MAX];  /* the last bundle; "": no client has diverged */
    char seats[LS_PATH_BYTES_MAX];
    uint64_t version; /* version of the seats that were last submitted to be written */
    uint64_t desyncs[LS_SERVER_INQUIRIES]; /* ticks for which evidence files were opened */
    uint32_t desync_count, evidence_count; /* evidence_count: files from before a crash */
    ls_seats_file file;
    ls_status status;
    ls_error error;
} ls_room_place;

struct ls_rooms {
    ls_rooms_config config;
    ls_server *server;
    ls_room_place **places; /* allocated one by one when needed; the others are NULL */
    uint32_t place_count;
    uint64_t opened;
    uint64_t seats_version; /* the server's version when the seats were last checked */
    bool has_work;          /* a place is new, over, or has a running job */
    int lock;               /* locks the folder while a recording gets its name; -1: none */
    bool has_failed_recording;
    char failed_recording[LS_PATH_BYTES_MAX];
    uint32_t failed_matches;
};

/* Takes a free place for a room that is about to be opened; NULL: all still have disk work. */
ls_room_place *ls_room_place_take(ls_rooms *rooms);
/* Sets the error for a room that gets no place.
 *   errors  LIMIT */
ls_status ls_room_place_refuse(ls_error *error);
/* Assigns a place to the room that was opened for it. NULL: the room could not be opened. */
void ls_room_place_settle(ls_rooms *rooms, ls_room_place *place, ls_room *room);
/* The place of an open room; NULL: none. */
ls_room_place *ls_room_place_find(const ls_rooms *rooms, const ls_room *room);
/* The place of a recording; NULL: none. */
ls_room_place *ls_room_place_of(const ls_rooms *rooms, const char *recording);
/* Whether the file of seats has the present seats of the room. */
bool ls_room_place_has_seats(const ls_room_place *place);
/* Finds the rooms of new places. The server opens rooms that clients name, and no callback reports
 * that. */
void ls_room_place_find_new(ls_rooms *rooms);
/* Sets the parts of a room's config that are equal for all rooms of the process. */
void ls_room_place_configure(ls_rooms *rooms, ls_room_config *config);
/* Begins the cleanup of a closed room, but not while its seats are being written: the job would
 * recreate the file. */
void ls_room_place_begin_cleanup(const ls_rooms *rooms, ls_room_place *place);

#endif

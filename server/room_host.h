/* The part of a server that its rooms use: program, job queues, clock, randomness, identity. */
#ifndef LS_ROOM_HOST_H
#define LS_ROOM_HOST_H

#include <lockstep/entropy.h>
#include <lockstep/identity.h>
#include <lockstep/jobs.h>
#include <lockstep/limits.h>
#include <lockstep/program.h>

typedef struct ls_room_host {
    const ls_program *program;
    ls_jobs *jobs, *disk_jobs; /* NULL: jobs run at once, on the thread that submits them */
    const ls_identity *identity;
    ls_entropy entropy;
    uint64_t now_unix_s; /* wall-clock time */
    char build[LS_BUILD_TEXT_BYTES];
} ls_room_host;

#endif

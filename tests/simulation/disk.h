/* A disk with one recording. It can be full or broken, may write less than asked, and loses
 * unsynced bytes when its machine dies. */
#ifndef LS_SIMULATION_DISK_H
#define LS_SIMULATION_DISK_H

#include "draws.h"

#include "tests/support/memory_sink.h"

struct disk {
    ls_memory_sink memory;
    struct draws draws;
    uint32_t short_percent;
    bool is_full, is_broken;
    bool is_deaf;     /* writes succeed, syncs have no effect */
    uint8_t rot_mask; /* the bit that has flipped at `rot_at`; 0: none */
    size_t rot_at;
    bool is_gone; /* the process that opened it is dead, so its calls have no effect */
};

void disk_init(struct disk *self, struct draws draws, uint32_t short_percent);
void disk_reset(struct disk *self);
ls_sink disk_open(struct disk *self);
ls_sink_existing disk_reopen(struct disk *self);
/* Keeps only the bytes that survive the death of the process or of the machine. */
void disk_die(struct disk *self, bool is_machine);
/* Flips one bit; disk_heal restores it from a copy on another machine. */
void disk_rot(struct disk *self);
void disk_heal(struct disk *self);
/* Flips the rotten bit; a second call undoes this. */
void disk_flip(struct disk *self);
/* Makes the disk work again for a new process. */
void disk_revive(struct disk *self);

#endif

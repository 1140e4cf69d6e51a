/* A disk with a recording: it can be full or broken, writes less than asked, and forgets at the
 * death of the machine what was not synced. */
#ifndef LS_SIMULATION_DISK_H
#define LS_SIMULATION_DISK_H

#include "dice.h"

#include "tests/support/memory_sink.h"

struct disk {
    ls_memory_sink memory;
    struct dice dice;
    uint32_t short_percent;
    bool is_full, is_broken;
    bool is_deaf;     /* writes, but does not sync */
    uint8_t rot_mask; /* 0: all bits are as they were written */
    size_t rot_at;
    bool is_gone; /* its process is dead: its calls have no effect */
};

void disk_init(struct disk *self, struct dice dice, uint32_t short_percent);
void disk_reset(struct disk *self);
ls_sink disk_open(struct disk *self);
ls_sink_existing disk_reopen(struct disk *self);
/* The bytes left after the death of a process or a machine. */
void disk_die(struct disk *self, bool is_machine);
/* Flips one bit, until the copy on another machine replaces it. */
void disk_rot(struct disk *self);
void disk_heal(struct disk *self);
/* Flips the bit back; the next call restores the flip. */
void disk_flip(struct disk *self);
/* Another process opens it, and it works. */
void disk_revive(struct disk *self);

#endif

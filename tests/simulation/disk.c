#include "disk.h"

#include "failing_memory.h"

#include <errno.h>
#include <string.h>

enum { SECTOR_BYTES = 512 };

/* Writes to the disk's memory. The disk is not part of the writing process, so its allocations
 * never fail. */
static int64_t write_down(struct disk *self, const void *data, size_t bytes)
{
    ls_sink inner = ls_memory_sink_open(&self->memory);
    bool was_inside = failing_memory_pause();
    int64_t written = inner.append(inner.context, data, bytes);
    failing_memory_go_on(was_inside);
    return written;
}

static int64_t append(void *context, const void *data, size_t bytes)
{
    struct disk *self = context;
    if (self->is_gone)
        return (int64_t)bytes;
    if (self->is_broken)
        return -EIO;
    if (self->is_full) {
        /* The disk becomes full within this write: only the first bytes fit. */
        size_t left = draws_range(&self->draws, 0, bytes - 1);
        self->is_broken = true;
        return left ? write_down(self, data, left) : -ENOSPC;
    }
    if (draws_percent(&self->draws, self->short_percent))
        bytes = draws_range(&self->draws, 1, bytes);
    return write_down(self, data, bytes);
}

static int sync_data(void *context)
{
    struct disk *self = context;
    ls_sink inner = ls_memory_sink_open(&self->memory);
    if (self->is_gone)
        return 0;
    return self->is_broken || self->is_deaf ? -EIO : inner.sync(inner.context);
}

static int close_disk(void *context)
{
    struct disk *self = context;
    self->memory.closed = !self->is_gone;
    return 0;
}

static int truncate_disk(void *context, uint64_t bytes)
{
    struct disk *self = context;
    ls_sink_existing inner = ls_memory_sink_reopen(&self->memory);
    if (self->rot_at >= bytes)
        self->rot_mask = 0;
    return inner.truncate(&self->memory, bytes);
}

void disk_init(struct disk *self, struct draws draws, uint32_t short_percent)
{
    *self = (struct disk){.draws = draws, .short_percent = short_percent};
    ls_memory_sink_init(&self->memory);
}

void disk_reset(struct disk *self)
{
    ls_memory_sink_reset(&self->memory);
}

ls_sink disk_open(struct disk *self)
{
    return (ls_sink){self, append, sync_data, close_disk};
}

ls_sink_existing disk_reopen(struct disk *self)
{
    ls_sink_existing existing = ls_memory_sink_reopen(&self->memory);
    existing.sink = disk_open(self);
    existing.truncate = truncate_disk;
    return existing;
}

/* Loses unsynced bytes at the end, as when a machine dies. Whole sectors of the rest may be zeros:
 * the file system may have extended the file without writing the data. */
static void tear(struct disk *self)
{
    ls_memory_sink *memory = &self->memory;
    size_t kept = memory->bytes - memory->synced_bytes;
    kept = kept && draws_percent(&self->draws, 50) ? draws_range(&self->draws, 0, kept) : 0;
    memory->bytes = memory->synced_bytes + kept;
    size_t zeros = kept && draws_percent(&self->draws, 30) ? draws_range(&self->draws, 1, kept) : 0;
    size_t first = (memory->bytes - zeros + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
    if (zeros && first < memory->bytes)
        memset(memory->data + first, 0, memory->bytes - first);
}

void disk_rot(struct disk *self)
{
    if (self->rot_mask || !self->memory.bytes)
        return;
    /* Often flip a bit in the newest record: such damage looks like the torn end of a dead
     * writer. */
    size_t bytes = self->memory.bytes;
    size_t first = bytes > 64 && draws_percent(&self->draws, 40) ? bytes - 64 : 0;
    self->rot_at = draws_range(&self->draws, first, bytes - 1);
    self->rot_mask = (uint8_t)(1u << draws_range(&self->draws, 0, 7));
    self->memory.data[self->rot_at] ^= self->rot_mask;
}

void disk_flip(struct disk *self)
{
    if (self->rot_mask)
        self->memory.data[self->rot_at] ^= self->rot_mask;
}

void disk_heal(struct disk *self)
{
    disk_flip(self);
    self->rot_mask = 0;
}

void disk_die(struct disk *self, bool is_machine)
{
    self->is_gone = true;
    if (is_machine && self->rot_at >= self->memory.synced_bytes)
        disk_heal(self);
    if (is_machine)
        tear(self);
}

void disk_revive(struct disk *self)
{
    self->is_gone = self->is_full = self->is_broken = self->is_deaf = false;
}

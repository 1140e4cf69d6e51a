#include "desync/write_watch.h"

#include "core/base/platform_step.h"
#include "desync/call_stack.h"
#include "desync/raw_copy.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The signal names the store's first byte, or its first byte on the second page if only that page
 * is closed. It may name any byte of a block that is zeroed. So the store may touch bytes on both
 * sides of the named one. */
enum {
    STRETCH_BYTES = 3 * LS_STORE_BYTES_MAX,
    PIECE_BYTES = 64, /* at most, of one entry of the list */
    AROUND = 16,
    STACK_BYTES = 256 << 10
};

struct ls_write_watch {
    uint8_t *region, *shadow; /* shadow: the region as it was before the store */
    size_t bytes;
    uint8_t *pages;
    size_t page_bytes;
    bool is_on;
    uint8_t *stack;
    size_t mapped_bytes; /* size of the mapping with this struct, the stores, the shadow and the
                            stack */
    stack_t old_stack;
    struct sigaction old_fault, old_step;
    uint32_t count, left_out;
    uint32_t frame_count; /* of the store that is being stepped over */
    uintptr_t frames[LS_WRITE_WATCH_FRAMES_MAX];
    ptrdiff_t at; /* the byte that the signal named, as an offset in the region; may be outside */
    ptrdiff_t reach; /* bytes that the store writes at most */
    /* The instruction runs again, over the complement of its result, to find bytes stored with an
     * equal value (write_watch.h). */
    bool is_again;
    ls_machine_step step;
    ls_registers before, after; /* before and after the first run of the instruction */
    /* The bytes around the store after the first run, on the closed pages, also outside of the
     * region. */
    uint8_t result[STRETCH_BYTES];
    ls_write_watch_store stores[];
};

static ls_write_watch *active; /* global, because handlers get no argument of ours */

static void protect(const ls_write_watch *watch, int rights)
{
    (void)mprotect(watch->pages, watch->page_bytes, rights);
}

/* Finds the part of the region that the store may have touched. False when there is none. */
static bool find_stretch(const ls_write_watch *watch, size_t *first, size_t *end)
{
    ptrdiff_t low = watch->at - watch->reach, high = watch->at + 2 * watch->reach;
    *first = low < 0 ? 0 : (size_t)low;
    *end = high < 0 ? 0 : (size_t)high;
    if (*end > watch->bytes)
        *end = watch->bytes;
    return *first < *end;
}

/* Takes the frames from the instruction on, without those of the handler and of the kernel's signal
 * return. */
static void take_frames(ls_write_watch *watch, uintptr_t instruction)
{
    uintptr_t all[LS_WRITE_WATCH_FRAMES_MAX + 8];
    uint32_t count = ls_call_stack_take(all, LS_COUNT_OF(all)), first = 0;
    while (first < count && all[first] != instruction)
        first++;
    watch->frames[0] = instruction;
    watch->frame_count = 1;
    for (uint32_t i = first + 1; i < count && watch->frame_count < LS_WRITE_WATCH_FRAMES_MAX; i++)
        watch->frames[watch->frame_count++] = all[i];
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ls_write_watch *watch = active;
    const uint8_t *where = info->si_addr;
    if (!watch || where < watch->pages || where >= watch->pages + watch->page_bytes) {
        /* Not a store that is watched: restore the old action, and the fault comes again at
         * once. */
        (void)sigaction(signal, watch ? &watch->old_fault : NULL, NULL);
        return;
    }
    size_t first, end;
    protect(watch, PROT_READ | PROT_WRITE);
    watch->at = where - watch->region;
    watch->reach = (ptrdiff_t)ls_store_bytes(context);
    watch->frame_count = 0;
    watch->is_again = false;
    if (find_stretch(watch, &first, &end))
        take_frames(watch, ls_interrupted_instruction(context));
    ls_registers_save(&watch->before, context);
    /* Without a step the pages stay open, and no later store is seen. */
    if (!ls_machine_step_begin(&watch->step, context))
        watch->left_out++;
}

struct stretch {
    size_t first, end;
};

static void note(ls_write_watch *watch, struct stretch changed, struct stretch stored)
{
    if (watch->count == LS_WRITE_WATCH_STORES_MAX) {
        watch->left_out++;
        return;
    }
    size_t window = stored.first < AROUND ? 0 : stored.first - AROUND;
    size_t end = stored.end + AROUND < watch->bytes ? stored.end + AROUND : watch->bytes;
    if (end - window > LS_WRITE_WATCH_WINDOW_BYTES)
        end = window + LS_WRITE_WATCH_WINDOW_BYTES;
    ls_write_watch_store *store = &watch->stores[watch->count++];
    store->at = (uint32_t)(watch->at < 0 ? 0 : watch->at);
    store->changed = (uint32_t)changed.first;
    store->changed_end = (uint32_t)changed.end;
    store->stored = (uint32_t)stored.first;
    store->stored_end = (uint32_t)stored.end;
    store->window = (uint32_t)window;
    store->window_bytes = (uint32_t)(end - window);
    memcpy(store->old, watch->shadow + window, end - window);
    memcpy(store->now, watch->region + window, end - window);
    store->frame_count = watch->frame_count;
    memcpy(store->frames, watch->frames, sizeof watch->frames);
}

/* Notes one store, which gives several entries if it is longer than PIECE_BYTES, as a zeroed block
 * is. */
static void note_pieces(ls_write_watch *watch, struct stretch changed, struct stretch stored)
{
    size_t end = stored.end;
    do {
        struct stretch piece = {stored.first, stored.first + PIECE_BYTES};
        piece.end = piece.end < end ? piece.end : end;
        struct stretch part = {changed.first < piece.first ? piece.first : changed.first,
                               changed.end < piece.end ? changed.end : piece.end};
        note(watch, part.first < part.end ? part : (struct stretch){piece.first, piece.first},
             piece);
        stored.first = piece.end;
    } while (stored.first < end);
}

/* Returns the bytes of the stretch in which `a` and `b` differ; empty at `from` if they are
 * equal. */
static struct stretch compare(const uint8_t *a, const uint8_t *b, struct stretch stretch,
                              size_t from)
{
    size_t low = 0, high = stretch.end - stretch.first;
    while (low < high && a[low] == b[low])
        low++;
    while (high > low && a[high - 1] == b[high - 1])
        high--;
    return low < high ? (struct stretch){stretch.first + low, stretch.first + high}
                      : (struct stretch){from, from};
}

/* Finds the bytes of the closed pages that one instruction may have touched; returns their
 * number. */
static size_t find_around(const ls_write_watch *watch, uint8_t **start)
{
    uint8_t *low = watch->region + watch->at - watch->reach, *high = low + 3 * watch->reach;
    uint8_t *pages_end = watch->pages + watch->page_bytes;
    *start = low < watch->pages ? watch->pages : low;
    return (size_t)((high < pages_end ? high : pages_end) - *start);
}

/* Whether the store can be undone: all its bytes must be on the closed pages. Otherwise an
 * instruction that reads what it writes would take effect twice. */
static bool can_run_again(const ls_write_watch *watch)
{
    return watch->region + watch->at + watch->reach <= watch->pages + watch->page_bytes;
}

/* Runs the instruction again, over the complement of the bytes that it left in the region. False,
 * without effect, when the system refuses. */
static bool run_again(ls_write_watch *watch, struct stretch stretch, void *machine)
{
    uint8_t *around;
    size_t count = find_around(watch, &around);
    ls_registers_save(&watch->after, machine);
    ls_raw_copy(watch->result, around, count);
    for (size_t i = stretch.first; i < stretch.end; i++)
        watch->region[i] = (uint8_t)~watch->region[i];
    ls_registers_restore(&watch->before, machine);
    watch->is_again = ls_machine_step_begin(&watch->step, machine);
    if (!watch->is_again) {
        ls_raw_copy(around, watch->result, count);
        ls_registers_restore(&watch->after, machine);
    }
    return watch->is_again;
}

/* Returns the bytes that are no longer the complement, and restores the results of the first
 * run. */
static struct stretch end_again(ls_write_watch *watch, struct stretch stretch, size_t from,
                                void *machine)
{
    uint8_t *around, untouched[STRETCH_BYTES];
    size_t count = find_around(watch, &around);
    const uint8_t *first = watch->result + (watch->region + stretch.first - around);
    for (size_t i = 0; i < stretch.end - stretch.first; i++)
        untouched[i] = (uint8_t)~first[i];
    struct stretch stored = compare(watch->region + stretch.first, untouched, stretch, from);
    ls_raw_copy(around, watch->result, count);
    ls_registers_restore(&watch->after, machine);
    return stored;
}

static void end_store(ls_write_watch *watch, struct stretch stretch, void *machine)
{
    bool is_inside = watch->at >= 0 && watch->at < (ptrdiff_t)watch->bytes;
    size_t at = is_inside ? (size_t)watch->at : stretch.first;
    struct stretch stored = {at, at};
    if (watch->is_again)
        stored = end_again(watch, stretch, at, machine);
    struct stretch changed = compare(watch->region + stretch.first, watch->shadow + stretch.first,
                                     stretch, stored.first);
    bool has_changed = changed.first < changed.end;
    if (stored.first == stored.end && has_changed)
        stored = changed;
    if (has_changed && changed.first < stored.first)
        stored.first = changed.first;
    if (has_changed && stored.end < changed.end)
        stored.end = changed.end;
    if (stored.first < stored.end || is_inside)
        note_pieces(watch, changed, stored);
    memcpy(watch->shadow + stretch.first, watch->region + stretch.first,
           stretch.end - stretch.first);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    ls_write_watch *watch = active;
    struct stretch stretch;
    (void)info;
    if (!watch || !ls_machine_step_end(&watch->step, context)) {
        /* Not of a step: restore the old action. */
        (void)sigaction(signal, watch ? &watch->old_step : NULL, NULL);
        return;
    }
    bool is_near = find_stretch(watch, &stretch.first, &stretch.end);
    if (is_near && !watch->is_again && can_run_again(watch) && run_again(watch, stretch, context))
        return;
    if (is_near)
        end_store(watch, stretch, context);
    protect(watch, PROT_READ);
}

static ls_status take_signals(ls_write_watch *watch, ls_error *error)
{
    /* Handlers run on a stack of their own, so that memory below the stack pointer stays as it
     * is. */
    const stack_t stack = {.ss_sp = watch->stack, .ss_size = STACK_BYTES};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&fault.sa_mask);
    sigfillset(&step.sa_mask);
    if (sigaltstack(&stack, &watch->old_stack) != 0)
        return ls_error_set(error, LS_ERROR_REFUSED, "no stack for signals can be set");
    (void)sigaction(SIGSEGV, &fault, &watch->old_fault);
    (void)sigaction(SIGTRAP, &step, &watch->old_step);
    return LS_OK;
}

static void give_signals_back(ls_write_watch *watch)
{
    (void)sigaction(SIGSEGV, &watch->old_fault, NULL);
    (void)sigaction(SIGTRAP, &watch->old_step, NULL);
    (void)sigaltstack(&watch->old_stack, NULL);
}

/* Maps memory from the kernel and not from malloc, so that none of it is on a closed page. */
static ls_write_watch *map_watch(size_t region_bytes)
{
    size_t stores =
        sizeof(ls_write_watch) + sizeof(ls_write_watch_store) * LS_WRITE_WATCH_STORES_MAX;
    size_t bytes = stores + STACK_BYTES + region_bytes;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    ls_write_watch *watch = (ls_write_watch *)(void *)memory;
    watch->mapped_bytes = bytes;
    watch->stack = memory + stores;
    watch->shadow = watch->stack + STACK_BYTES;
    return watch;
}

ls_status ls_write_watch_begin(void *region, size_t bytes, ls_write_watch **watch, ls_error *error)
{
    LS_ASSERT(!active && bytes > 0);
    *watch = NULL;
    if (!ls_machine_can_step())
        return ls_error_set(error, LS_ERROR_REFUSED, LS_WRITE_WATCH_ABSENT);
    ls_write_watch *made = map_watch(bytes);
    if (!made)
        return ls_error_set(error, LS_ERROR_REFUSED, "no memory to note stores in");
    size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)region / unit * unit;
    made->region = region;
    made->bytes = bytes;
    made->pages = (uint8_t *)region - ((uintptr_t)region - first);
    made->page_bytes = ((uintptr_t)region + bytes - first + unit - 1) / unit * unit;
    memcpy(made->shadow, region, bytes);
    ls_status status = LS_OK;
    if (!ls_machine_step_init(&made->step))
        status = ls_error_set(error, LS_ERROR_REFUSED, "no memory to run single stores in");
    if (status == LS_OK)
        status = take_signals(made, error);
    if (status == LS_OK && mprotect(made->pages, made->page_bytes, PROT_READ) != 0) {
        give_signals_back(made);
        status = ls_error_set(error, LS_ERROR_REFUSED, "the system closes no memory for writing");
    }
    if (status != LS_OK) {
        ls_write_watch_destroy(made);
        return status;
    }
    made->is_on = true;
    active = *watch = made;
    return LS_OK;
}

void ls_write_watch_end(ls_write_watch *watch)
{
    if (!watch->is_on)
        return;
    protect(watch, PROT_READ | PROT_WRITE);
    give_signals_back(watch);
    watch->is_on = false;
    active = NULL;
}

const ls_write_watch_store *ls_write_watch_stores(const ls_write_watch *watch, uint32_t *count)
{
    *count = watch->count;
    return watch->stores;
}

uint32_t ls_write_watch_left_out(const ls_write_watch *watch)
{
    return watch->left_out;
}

void ls_write_watch_destroy(ls_write_watch *watch)
{
    if (!watch)
        return;
    ls_write_watch_end(watch);
    ls_machine_step_reset(&watch->step);
    (void)munmap(watch, watch->mapped_bytes);
}

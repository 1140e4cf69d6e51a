#include "desync/trap.h"

#if defined(__x86_64__) && defined(__linux__)

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Of the flags register: after the next instruction comes SIGTRAP. */
enum { TRAP_FLAG = 0x100 };
/* No store is wider than 64 bytes; the signal names its first byte, or that of its second page. */
enum { STORE_BYTES_MAX = 64, AROUND = 16, STACK_BYTES = 256 << 10 };

struct ls_trap {
    uint8_t *region, *shadow; /* the latter is what the region was before the store */
    size_t bytes;
    uint8_t *pages;
    size_t page_bytes;
    bool is_on;
    uint8_t *stack;
    size_t mapped_bytes; /* of this struct, the stores, the shadow and the stack */
    stack_t old_stack;
    struct sigaction old_fault, old_step;
    uint32_t count, left_out;
    uint32_t frame_count; /* of the store that is stepped over */
    uintptr_t frames[LS_TRAP_FRAMES_MAX];
    ptrdiff_t at;
    ls_trap_store stores[];
};

static ls_trap *active; /* handlers get no argument of ours */

static void protect(const ls_trap *trap, int rights)
{
    (void)mprotect(trap->pages, trap->page_bytes, rights);
}

/* The stretch of the region that the store may have touched. False when there is none. */
static bool find_stretch(const ls_trap *trap, size_t *first, size_t *end)
{
    ptrdiff_t low = trap->at - STORE_BYTES_MAX, high = trap->at + 2 * STORE_BYTES_MAX;
    *first = low < 0 ? 0 : (size_t)low;
    *end = high < 0 ? 0 : (size_t)high;
    if (*end > trap->bytes)
        *end = trap->bytes;
    return *first < *end;
}

/* Those of the handler and of the kernel's return are left out. */
static void take_frames(ls_trap *trap, uintptr_t instruction)
{
    void *all[LS_TRAP_FRAMES_MAX + 8];
    int count = backtrace(all, (int)LS_COUNT_OF(all)), first = 0;
    while (first < count && (uintptr_t)all[first] != instruction)
        first++;
    trap->frames[0] = instruction;
    trap->frame_count = 1;
    for (int i = first + 1; i < count && trap->frame_count < LS_TRAP_FRAMES_MAX; i++)
        trap->frames[trap->frame_count++] = (uintptr_t)all[i];
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ls_trap *trap = active;
    ucontext_t *machine = context;
    const uint8_t *where = info->si_addr;
    if (!trap || where < trap->pages || where >= trap->pages + trap->page_bytes) {
        /* Somebody else's: comes again at once. */
        (void)sigaction(signal, trap ? &trap->old_fault : NULL, NULL);
        return;
    }
    size_t first, end;
    protect(trap, PROT_READ | PROT_WRITE);
    trap->at = where - trap->region;
    trap->frame_count = 0;
    if (find_stretch(trap, &first, &end))
        take_frames(trap, (uintptr_t)machine->uc_mcontext.gregs[REG_RIP]);
    machine->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void note(ls_trap *trap, size_t changed, size_t changed_end)
{
    if (trap->count == LS_TRAP_STORES_MAX) {
        trap->left_out++;
        return;
    }
    size_t window = changed < AROUND ? 0 : changed - AROUND;
    size_t end = changed_end + AROUND < trap->bytes ? changed_end + AROUND : trap->bytes;
    if (end - window > LS_TRAP_WINDOW_BYTES)
        end = window + LS_TRAP_WINDOW_BYTES;
    ls_trap_store *store = &trap->stores[trap->count++];
    store->at = (uint32_t)(trap->at < 0 ? 0 : trap->at);
    store->changed = (uint32_t)changed;
    store->changed_end = (uint32_t)changed_end;
    store->window = (uint32_t)window;
    store->window_bytes = (uint32_t)(end - window);
    memcpy(store->old, trap->shadow + window, end - window);
    memcpy(store->now, trap->region + window, end - window);
    store->frame_count = trap->frame_count;
    memcpy(store->frames, trap->frames, sizeof trap->frames);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    ls_trap *trap = active;
    ucontext_t *machine = context;
    size_t first, end;
    (void)signal;
    (void)info;
    machine->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (!trap)
        return;
    if (find_stretch(trap, &first, &end)) {
        size_t low = first, high = end;
        while (low < high && trap->region[low] == trap->shadow[low])
            low++;
        while (high > low && trap->region[high - 1] == trap->shadow[high - 1])
            high--;
        bool is_inside = trap->at >= 0 && trap->at < (ptrdiff_t)trap->bytes;
        if (low < high)
            note(trap, low, high);
        else if (is_inside)
            note(trap, (size_t)trap->at, (size_t)trap->at);
        memcpy(trap->shadow + first, trap->region + first, end - first);
    }
    protect(trap, PROT_READ);
}

static ls_status take_signals(ls_trap *trap, ls_error *error)
{
    /* A stack of their own: what lies below the system's is left as it is. */
    const stack_t stack = {.ss_sp = trap->stack, .ss_size = STACK_BYTES};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&fault.sa_mask);
    sigfillset(&step.sa_mask);
    if (sigaltstack(&stack, &trap->old_stack) != 0)
        return ls_error_set(error, LS_ERROR_REFUSED, "no stack for signals can be set");
    (void)sigaction(SIGSEGV, &fault, &trap->old_fault);
    (void)sigaction(SIGTRAP, &step, &trap->old_step);
    return LS_OK;
}

static void give_signals_back(ls_trap *trap)
{
    (void)sigaction(SIGSEGV, &trap->old_fault, NULL);
    (void)sigaction(SIGTRAP, &trap->old_step, NULL);
    (void)sigaltstack(&trap->old_stack, NULL);
}

/* From the kernel and not from malloc, so that none of it lies on a page that is closed. */
static ls_trap *map_trap(size_t region_bytes)
{
    size_t stores = sizeof(ls_trap) + sizeof(ls_trap_store) * LS_TRAP_STORES_MAX;
    size_t bytes = stores + STACK_BYTES + region_bytes;
    uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    ls_trap *trap = (ls_trap *)(void *)memory;
    trap->mapped_bytes = bytes;
    trap->stack = memory + stores;
    trap->shadow = trap->stack + STACK_BYTES;
    return trap;
}

ls_status ls_trap_begin(void *region, size_t bytes, ls_trap **trap, ls_error *error)
{
    LS_ASSERT(!active && bytes > 0);
    *trap = NULL;
    ls_trap *made = map_trap(bytes);
    if (!made)
        return ls_error_set(error, LS_ERROR_REFUSED, "no memory to note stores in");
    size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)region / unit * unit;
    made->region = region;
    made->bytes = bytes;
    made->pages = (uint8_t *)region - ((uintptr_t)region - first);
    made->page_bytes = ((uintptr_t)region + bytes - first + unit - 1) / unit * unit;
    memcpy(made->shadow, region, bytes);
    void *warm[4];
    (void)backtrace(warm, (int)LS_COUNT_OF(warm)); /* loads what it needs: not in a handler */
    ls_status status = take_signals(made, error);
    if (status == LS_OK && mprotect(made->pages, made->page_bytes, PROT_READ) != 0) {
        give_signals_back(made);
        status = ls_error_set(error, LS_ERROR_REFUSED, "the system closes no memory for writing");
    }
    if (status != LS_OK) {
        ls_trap_destroy(made);
        return status;
    }
    made->is_on = true;
    active = *trap = made;
    return LS_OK;
}

void ls_trap_end(ls_trap *trap)
{
    if (!trap->is_on)
        return;
    protect(trap, PROT_READ | PROT_WRITE);
    give_signals_back(trap);
    trap->is_on = false;
    active = NULL;
}

const ls_trap_store *ls_trap_stores(const ls_trap *trap, uint32_t *count)
{
    *count = trap->count;
    return trap->stores;
}

uint32_t ls_trap_left_out(const ls_trap *trap)
{
    return trap->left_out;
}

void ls_trap_destroy(ls_trap *trap)
{
    if (!trap)
        return;
    ls_trap_end(trap);
    (void)munmap(trap, trap->mapped_bytes);
}

#else

ls_status ls_trap_begin(void *region, size_t bytes, ls_trap **trap, ls_error *error)
{
    (void)region;
    (void)bytes;
    *trap = NULL;
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "stores are watched on Linux on x86-64 only; run this there, or set a "
                        "watchpoint in a debugger");
}

void ls_trap_end(ls_trap *trap)
{
    (void)trap;
}

const ls_trap_store *ls_trap_stores(const ls_trap *trap, uint32_t *count)
{
    (void)trap;
    *count = 0;
    return NULL;
}

uint32_t ls_trap_left_out(const ls_trap *trap)
{
    (void)trap;
    return 0;
}

void ls_trap_destroy(ls_trap *trap)
{
    (void)trap;
}

#endif

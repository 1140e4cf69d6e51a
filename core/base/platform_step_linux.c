#include "core/base/platform_step.h"

#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)

/* The trap bit of the flags register: SIGTRAP follows the next instruction. */
enum { TRAP_FLAG = 0x100 };

struct saved {
    gregset_t registers;
    __typeof__(*(fpregset_t)NULL) floats; /* each C library has a name of its own for it */
};
_Static_assert(sizeof(struct saved) <= sizeof(ls_registers), "the storage is too small");

bool ls_machine_can_step(void)
{
    return true;
}

uintptr_t ls_interrupted_instruction(const void *machine)
{
    return (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.gregs[REG_RIP];
}

size_t ls_store_bytes(const void *machine)
{
    (void)machine;
    return 64;
}

void ls_registers_save(ls_registers *registers, const void *machine)
{
    const mcontext_t *from = &((const ucontext_t *)machine)->uc_mcontext;
    struct saved *saved = (struct saved *)(void *)registers->storage;
    memcpy(saved->registers, from->gregs, sizeof saved->registers);
    if (from->fpregs)
        saved->floats = *from->fpregs;
}

void ls_registers_restore(const ls_registers *registers, void *machine)
{
    mcontext_t *to = &((ucontext_t *)machine)->uc_mcontext;
    const struct saved *saved = (const struct saved *)(const void *)registers->storage;
    memcpy(to->gregs, saved->registers, sizeof saved->registers);
    if (to->fpregs)
        *to->fpregs = saved->floats;
}

bool ls_machine_step_init(ls_machine_step *step)
{
    *step = (ls_machine_step){0};
    return true;
}

void ls_machine_step_reset(ls_machine_step *step)
{
    *step = (ls_machine_step){0};
}

bool ls_machine_step_begin(ls_machine_step *step, void *machine)
{
    (void)step;
    ((ucontext_t *)machine)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
}

bool ls_machine_step_end(ls_machine_step *step, void *machine)
{
    (void)step;
    ((ucontext_t *)machine)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    return true;
}

#elif defined(__aarch64__)

/* On AArch64 a process cannot ask for a single step of itself. The instruction is copied to a page
 * of its own, before a breakpoint, and runs there: no store instruction of this processor depends
 * on its own address. */
enum { NO_REGISTER = 31 };
#define BREAKPOINT UINT32_C(0xd4200000) /* brk #0 */
#define ZERO_BLOCK UINT32_C(0xd50b7420) /* dc zva, of any register */

/* No floating-point registers, because stores do not change them. */
struct saved {
    uint64_t general[31], stack, instruction, flags;
};
_Static_assert(sizeof(struct saved) <= sizeof(ls_registers), "the storage is too small");

bool ls_machine_can_step(void)
{
    return true;
}

uintptr_t ls_interrupted_instruction(const void *machine)
{
    return (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.pc;
}

static uint32_t instruction_at(uint64_t address)
{
    uint32_t instruction;
    memcpy(&instruction, (const void *)(uintptr_t)address, sizeof instruction);
    return instruction;
}

/* `dc zva` zeroes a block of 4 to 2,048 bytes; other stores write at most 64 bytes, except the
 * stores of SVE and of the memory copy instructions, which are not recognised here. */
size_t ls_store_bytes(const void *machine)
{
    uint64_t shape;
    if ((instruction_at(((const ucontext_t *)machine)->uc_mcontext.pc) & ~31u) != ZERO_BLOCK)
        return 64;
    __asm__("mrs %0, dczid_el0" : "=r"(shape));
    return (size_t)4 << (shape & 15);
}

void ls_registers_save(ls_registers *registers, const void *machine)
{
    const mcontext_t *from = &((const ucontext_t *)machine)->uc_mcontext;
    struct saved *saved = (struct saved *)(void *)registers->storage;
    for (uint32_t i = 0; i < LS_COUNT_OF(saved->general); i++)
        saved->general[i] = from->regs[i];
    saved->stack = from->sp;
    saved->instruction = from->pc;
    saved->flags = from->pstate;
}

void ls_registers_restore(const ls_registers *registers, void *machine)
{
    mcontext_t *to = &((ucontext_t *)machine)->uc_mcontext;
    const struct saved *saved = (const struct saved *)(const void *)registers->storage;
    for (uint32_t i = 0; i < LS_COUNT_OF(saved->general); i++)
        to->regs[i] = saved->general[i];
    to->sp = saved->stack;
    to->pc = saved->instruction;
    to->pstate = saved->flags;
}

static size_t code_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool ls_machine_step_init(ls_machine_step *step)
{
    void *code =
        mmap(NULL, code_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *step = (ls_machine_step){.code = code == MAP_FAILED ? NULL : code};
    return step->code != NULL;
}

void ls_machine_step_reset(ls_machine_step *step)
{
    if (step->code)
        (void)munmap(step->code, code_bytes());
    *step = (ls_machine_step){0};
}

/* An exclusive store succeeds only if no interruption came after its load, and the signal was one.
 * The caller makes sure that no other thread writes there, so a plain store with the same operands
 * has the same effect. `*result` is the register in which the exclusive store would report success.
 * Other instructions stay as they are.
 *   source  Arm Architecture Reference Manual (DDI 0487), C4.1.94: loads and stores */
static uint32_t make_plain(uint32_t instruction, uint32_t *result)
{
    *result = NO_REGISTER;
    if ((instruction & 0x3fc00000) != 0x08000000)
        return instruction;
    bool is_pair = instruction >> 21 & 1;
    if (is_pair && !(instruction >> 31)) /* a compare and swap of two registers */
        return instruction;
    *result = instruction >> 16 & 31;
    if (!is_pair) /* stlr */
        return (instruction & 0xc00003ff) | 0x089ffc00;
    /* stp, of 64 or 32 bits */
    return (instruction & 0x7fff) | (instruction & 0x40000000 ? 0xa9000000 : 0x29000000);
}

bool ls_machine_step_begin(ls_machine_step *step, void *machine)
{
    mcontext_t *registers = &((ucontext_t *)machine)->uc_mcontext;
    uint32_t *code = step->code;
    if (mprotect(code, code_bytes(), PROT_READ | PROT_WRITE) != 0)
        return false;
    code[0] = make_plain(instruction_at(registers->pc), &step->result);
    code[1] = BREAKPOINT;
    if (mprotect(code, code_bytes(), PROT_READ | PROT_EXEC) != 0)
        return false;
    __builtin___clear_cache((char *)&code[0], (char *)&code[2]);
    step->resume = (uintptr_t)registers->pc + sizeof *code;
    registers->pc = (uintptr_t)code;
    return true;
}

bool ls_machine_step_end(ls_machine_step *step, void *machine)
{
    mcontext_t *registers = &((ucontext_t *)machine)->uc_mcontext;
    if (registers->pc != (uintptr_t)step->code + sizeof(uint32_t))
        return false;
    registers->pc = step->resume;
    if (step->result != NO_REGISTER)
        registers->regs[step->result] = 0;
    return true;
}

#else

bool ls_machine_can_step(void)
{
    return false;
}

uintptr_t ls_interrupted_instruction(const void *machine)
{
    (void)machine;
    return 0;
}

size_t ls_store_bytes(const void *machine)
{
    (void)machine;
    return 0;
}

void ls_registers_save(ls_registers *registers, const void *machine)
{
    (void)registers;
    (void)machine;
}

void ls_registers_restore(const ls_registers *registers, void *machine)
{
    (void)registers;
    (void)machine;
}

bool ls_machine_step_init(ls_machine_step *step)
{
    *step = (ls_machine_step){0};
    return false;
}

void ls_machine_step_reset(ls_machine_step *step)
{
    (void)step;
}

bool ls_machine_step_begin(ls_machine_step *step, void *machine)
{
    (void)step;
    (void)machine;
    return false;
}

bool ls_machine_step_end(ls_machine_step *step, void *machine)
{
    (void)step;
    (void)machine;
    return false;
}

#endif

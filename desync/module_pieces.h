/* The memory of a loaded module's static variables. module_pieces.c finds it with the loader of ELF
 * files, module_pieces_windows.c on Windows. */
#ifndef LS_MODULE_PIECES_H
#define LS_MODULE_PIECES_H

#include <lockstep/base.h>

enum { LS_MODULE_PIECES_MAX = 8 };
typedef struct ls_module_pieces {
    uintptr_t base; /* where the module begins */
    struct {
        uint8_t *start;
        size_t count;
    } pieces[LS_MODULE_PIECES_MAX];
    uint32_t count;
} ls_module_pieces;

/* Finds the pieces of the module that `inside` points into. False for anything else, and for the
 * program itself. */
bool ls_module_pieces_find(const void *inside, ls_module_pieces *found) LS_MUST_USE;

#endif

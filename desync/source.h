/* Finds function, file and line of an address in the running process, in the executable and in
 * every shared object.
 *   source  DWARF 4, sections 2.14 and 3.3.8, read by libdw; without it, or without the debug
 *           information that -g makes, the name of the function and the distance from its start */
#ifndef LS_SOURCE_H
#define LS_SOURCE_H

#include <lockstep/base.h>

typedef struct ls_sources ls_sources;

typedef struct ls_source_place {
    const char *function; /* NULL when it is unknown; from ls_sources_variable() a variable */
    const char *file;     /* as the compiler was told; NULL without debug information */
    uint32_t line;        /* 0 without debug information */
    const char *module;   /* the file that holds the code */
    uintptr_t offset;     /* from the start of the function, or of the module */
    uint64_t bytes;       /* the size of a variable */
    bool is_inlined;      /* the next place is where it was inlined */
} ls_source_place;

/* Reads the list of modules that are loaded now.
 *   owns    ls_sources_close() by the caller; texts of places live until then
 *   thread  one at a time */
ls_sources *ls_sources_open(void);
void ls_sources_close(ls_sources *sources);
/* The places of one address: an inlined function first, then the places that it was inlined into.
 * Returns how many there are, at least 1 and at most `max`. For a return address, ask for the byte
 * before it. */
uint32_t ls_sources_find(ls_sources *sources, uintptr_t address, ls_source_place *places,
                         uint32_t max);
/* Finds the variable that holds the byte at `address`, in the module that `inside` points into.
 * `place` gets the variable's name as its function, its size, and the file and line of the
 * declaration. False when the name is not known. */
bool ls_sources_variable(ls_sources *sources, uintptr_t inside, uintptr_t address,
                         ls_source_place *place) LS_MUST_USE;
/* Prints `function at file:line`, or `function+0x12 in module` without a line. Longer texts are
 * cut. */
enum { LS_SOURCE_PLACE_BYTES = 512 };
void ls_source_place_print(const ls_source_place *place, char *text, size_t bytes);
/* Returns one sentence that says how to get line numbers; NULL if the place has one. */
const char *ls_source_remedy(const ls_source_place *place);

#endif

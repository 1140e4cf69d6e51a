/* Cells and lives: the operations under every interface that reads or changes a world, without any
 * check of declared access. */
#ifndef LS_STORE_H
#define LS_STORE_H

#include "core/world_internal.h"

bool ls_store_is_alive(const ls_world *world, ls_entity entity);
const void *ls_store_find(const ls_world *world, uint32_t column, ls_entity entity);
void *ls_store_write(ls_world *world, uint32_t column, ls_entity entity);
/* The cell, which exists, where a later write will be seen. */
const void *ls_store_unshare(ls_world *world, uint32_t column, ls_entity entity);
bool ls_store_attach(ls_world *world, uint32_t column, ls_entity entity, const void *value);
bool ls_store_detach(ls_world *world, uint32_t column, ls_entity entity);
/* Sets the bits of `mask` in a word of the page's presence, whose cells were zero, or clears them
 * and zeroes the cells. */
ls_page *ls_store_attach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t mask);
void ls_store_detach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                          uint32_t word, uint64_t mask);
ls_entity ls_store_spawn(ls_world *world, uint32_t lane);
/* True for an entity that is alive and was born in the tick that runs. */
bool ls_store_is_newborn(const ls_world *world, ls_entity entity);
/* The slot that the lane's next newborn gets; LS_SLOTS_MAX when it is full. */
uint32_t ls_store_next_free(const ls_world *world, uint32_t lane, uint32_t first_page);
/* Makes the column's tables the world's own: its pages can be written from now on. */
void ls_store_own(ls_world *world, uint32_t column);
/* The same for all that a system may write, before one runs: so tables stay while others read. */
void ls_store_own_written(ls_world *world);
/* The sync point: clears what was marked, columns and lives, and empties the marks. */
void ls_store_sweep(ls_world *world);
void ls_marks_add(ls_marks *marks, ls_entity entity);

#endif

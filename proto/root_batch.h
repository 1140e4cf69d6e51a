/* A batch stands for the roots of consecutive ticks in an UPDATE: a spectator reports them all in
 * one number, and each of them only when the server finds that number wrong. */
#ifndef LS_ROOT_BATCH_H
#define LS_ROOT_BATCH_H

#include <lockstep/base.h>

#define LS_ROOT_BATCH_MAX 256 /* roots in one batch */

/* Returns the number of a batch with one more root. The number of an empty batch is the tick of its
 * first root. */
uint64_t ls_root_batch_add(uint64_t batch, uint64_t root);

#endif

/* Functions of the snapshot decoder that the reader of byte planes shares. */
#ifndef LS_SNAPSHOT_DECODE_H
#define LS_SNAPSHOT_DECODE_H
#include "core/state/world_state.h"
#include <lockstep/bytes.h>

/* Reads a snapshot into the world's state, which must be empty, and sets `root` to the root that
 * the bytes claim. On an error the caller releases the state. */
LS_MUST_USE ls_status ls_state_read(ls_world *world, ls_reader *reader, uint64_t *root,
                                    ls_error *error);
/* True when all cells of the page `key` (lane << 16 | page) have valid values; otherwise `fault`
 * names cell and field. Liveness must be read before. */
bool ls_state_check_cells(const ls_world *world, uint32_t column, uint32_t key, ls_page *page,
                          ls_error *fault);

#endif

/* A state in parts that two machines can compare without sending it: hashes of columns, hashes of a
 * column's pages, the bytes of a page. Equal states give equal parts on every machine.
 *   shape   columns are numbered as ls_program_component() does; behind them the lives, then the
 *           head: what a state has beside cells
 *   thread  any, for a snapshot */
#ifndef LS_CELLS_H
#define LS_CELLS_H

#include <lockstep/diff.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_CELLS_COLUMNS_MAX (LS_COMPONENTS_MAX + 2)
/* A page of cells of LS_COMPONENT_BYTES_MAX, which is larger than a singleton. */
#define LS_CELLS_BYTES_MAX (32u + 256u * LS_COMPONENT_BYTES_MAX)

/* With lives and head. */
LS_API uint32_t ls_cells_column_count(const ls_program *program);
/* `hashes` has room for ls_cells_column_count(). */
LS_API void ls_cells_columns(const ls_snapshot *snapshot, uint64_t *hashes);

typedef struct ls_cells_page {
    uint32_t key; /* lane << 16 | page */
    uint64_t hash;
} ls_cells_page;
/* Lists the pages of a column that have live entities, keys ascending, up to the capacity; returns
 * their number. The head has a single page, with key 0. */
LS_API uint32_t ls_cells_pages(const ls_snapshot *snapshot, uint32_t column, ls_cells_page *pages,
                               uint32_t capacity);

/* False when the page has no live entity. Any column and key may be given. */
LS_API bool ls_cells_look_up(const ls_snapshot *snapshot, uint32_t column, uint32_t key,
                             ls_cells_page *page);

/* Writes the bytes of a page: presence and the present cells; for lives, all generations up to the
 * last. Returns 0 when the page has no live entity, or more bytes than `capacity` (at most
 * LS_CELLS_BYTES_MAX). Any column and key may be given. */
LS_API size_t ls_cells_encode(const ls_snapshot *snapshot, uint32_t column, uint32_t key,
                              uint8_t *bytes, size_t capacity);

/* A page's bytes as another machine claims them. No bytes: it has no live entity. */
typedef struct ls_cells_claim {
    uint32_t column, key;
    const uint8_t *bytes;
    size_t count;
} ls_cells_claim;

/* The differences between a snapshot and itself with the claimed pages in place, as
 * include/lockstep/diff.h reports them; `a` is the snapshot's. The claims may be hostile. Gives the
 * root with the claims in place.
 *   errors  LS_ERROR_CORRUPT: a claim is not the bytes of such a page; nothing was visited
 *   thread  that of `world`, of which the snapshot is, or beside which its world was made */
LS_API ls_status ls_cells_compare(ls_world *world, const ls_snapshot *snapshot,
                                  const ls_cells_claim *claims, uint32_t claim_count,
                                  ls_difference_visit *visit, void *argument, uint64_t *root,
                                  ls_error *error) LS_MUST_USE;

/* Replaces the claimed pages in the world.
 *   errors  LS_ERROR_CORRUPT as above; the world is then unchanged */
LS_API ls_status ls_cells_place(ls_world *world, const ls_cells_claim *claims, uint32_t claim_count,
                                ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif

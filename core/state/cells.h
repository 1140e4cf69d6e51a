/* A state in parts that two machines can compare without sending all of it: hashes of columns,
 * hashes of a column's pages, bytes of a page. Equal states give equal parts on every machine.
 *   shape   columns are numbered as in ls_program_component(); after them follow liveness, then the
 *           head, which is the rest of the state: the tick and the counters
 *   thread  any, for a snapshot */
#ifndef LS_CELLS_H
#define LS_CELLS_H

#include <lockstep/diff.h>
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_CELLS_COLUMNS_MAX (LS_COMPONENTS_MAX + 2)
/* A page with cells of LS_COMPONENT_BYTES_MAX; a singleton is smaller. */
#define LS_CELLS_BYTES_MAX (32u + 256u * LS_COMPONENT_BYTES_MAX)

/* Includes liveness and head. */
LS_API uint32_t ls_cells_column_count(const ls_program *program);
/* `hashes` has room for ls_cells_column_count(). */
LS_API void ls_cells_columns(const ls_snapshot *snapshot, uint64_t *hashes);

typedef struct ls_cells_page {
    uint32_t key; /* lane << 16 | page */
    uint64_t hash;
} ls_cells_page;
/* Lists the pages of a column that are not empty, by ascending key, up to the capacity. Returns the
 * number of all of them, which may exceed the capacity. A page of liveness is empty if it never had
 * an entity. The head has a single page with key 0. */
LS_API uint32_t ls_cells_pages(const ls_snapshot *snapshot, uint32_t column, ls_cells_page *pages,
                               uint32_t capacity);

/* False when the page is empty or does not exist. Accepts any column and key. */
LS_API bool ls_cells_look_up(const ls_snapshot *snapshot, uint32_t column, uint32_t key,
                             ls_cells_page *page);

/* Writes the bytes of a page: presence and the present cells; for liveness, all generations up to
 * the last nonzero one. Returns their number; 0 when ls_cells_look_up() gives false, or when they
 * exceed `capacity` (LS_CELLS_BYTES_MAX always suffices). Accepts any column and key. */
LS_API size_t ls_cells_encode(const ls_snapshot *snapshot, uint32_t column, uint32_t key,
                              uint8_t *bytes, size_t capacity);

/* The bytes of a page as another machine claims them; 0 bytes: the page is empty. */
typedef struct ls_cells_claim {
    uint32_t column, key;
    const uint8_t *bytes;
    size_t count;
} ls_cells_claim;

/* Reports the differences between a snapshot and the same state with the claimed pages in place
 * (include/lockstep/diff.h); `a` is the snapshot. The claims may be hostile. Sets `root` to the
 * root with the claims in place.
 *   errors  LS_ERROR_CORRUPT: the bytes of a claim are invalid; `visit` was not called
 *   thread  the thread of `world`. The snapshot comes from `world`, or from a world that shares its
 *           pools (ls_world_create_sibling(); asserted) */
LS_API ls_status ls_cells_compare(ls_world *world, const ls_snapshot *snapshot,
                                  const ls_cells_claim *claims, uint32_t claim_count,
                                  ls_difference_visit *visit, void *argument, uint64_t *root,
                                  ls_error *error) LS_MUST_USE;

/* Replaces pages of the world by the claimed ones. The values in cells are not checked.
 *   errors  LS_ERROR_CORRUPT: the bytes of a claim are invalid, or an entity would have two
 *           components that the simulation declares incompatible: the message names both. The world
 *           is then unchanged */
LS_API ls_status ls_cells_place(ls_world *world, const ls_cells_claim *claims, uint32_t claim_count,
                                ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif

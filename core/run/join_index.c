#include "core/run/join_index.h"

ls_indexes *ls_indexes_create(const ls_program *program)
{
    ls_indexes *indexes = ls_alloc(sizeof *indexes);
    indexes->grids = ls_alloc(sizeof *indexes->grids * program->grid_count);
    indexes->joins = ls_alloc(sizeof *indexes->joins * program->join_count);
    ls_mutex_init(&indexes->lock);
    return indexes;
}

void ls_indexes_destroy(ls_indexes *indexes, const ls_program *program)
{
    for (uint32_t i = 0; i < program->grid_count; i++) {
        ls_free(indexes->grids[i].entries);
        ls_free(indexes->grids[i].values);
        ls_free(indexes->grids[i].pages);
        ls_free(indexes->grids[i].cells);
        ls_free(indexes->grids[i].counts);
        ls_free(indexes->grids[i].starts);
    }
    for (uint32_t i = 0; i < program->join_count; i++)
        ls_join_index_reset(&indexes->joins[i]);
    ls_mutex_destroy(&indexes->lock);
    ls_free(indexes->grids);
    ls_free(indexes->joins);
    ls_free(indexes);
}

void ls_join_index_reset(ls_join_index *index)
{
    ls_free(index->entries);
    ls_free(index->unsorted);
    ls_free(index->starts);
    *index = (ls_join_index){0};
}

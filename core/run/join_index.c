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
    for (uint32_t i = 0; i < program->grid_count; i++)
        ls_index_reset(&indexes->grids[i].base);
    for (uint32_t i = 0; i < program->join_count; i++)
        ls_index_reset(&indexes->joins[i].base);
    ls_mutex_destroy(&indexes->lock);
    ls_free(indexes->grids);
    ls_free(indexes->joins);
    ls_free(indexes);
}

void ls_index_reset(ls_index *index)
{
    ls_free(index->entries);
    ls_free(index->unsorted);
    ls_free(index->values);
    ls_free(index->unsorted_values);
    ls_free(index->pages);
    ls_free(index->cells);
    ls_free(index->counts);
    ls_free(index->starts);
    *index = (ls_index){0};
}

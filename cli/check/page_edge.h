/* Memory that ends where a read crashes. page_edge.c, page_edge_windows.c. */
#ifndef LS_PAGE_EDGE_H
#define LS_PAGE_EDGE_H

#include <stdint.h>

/* Maps a page, and after it one that cannot be read. Returns the border between them; NULL: no
 * memory. Both pages stay mapped until the process ends. */
uint8_t *ls_page_edge_map(void);

#endif
